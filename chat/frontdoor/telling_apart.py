"""Options of one name made distinct, by what the brief holds of their records: what a run is for, when it started."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from agencycore.ai.types import BriefItem, ContextBrief
from chat.frontdoor.characters import on_one_line
from chat.frontdoor.decision import Option

DETAIL_LENGTH = 48
MAX_DETAILS = 3


def told_apart(options: Sequence[Option], brief: ContextBrief) -> tuple[Option, ...]:
    """``options`` in their order. Labels that occur more than once get the first details that differ, else a number."""
    items = {item.ref.key: item for item in brief.items if item.source != "conversation"}
    counts = Counter(option.label.casefold() for option in options)
    labels: dict[int, str] = {}
    for name in [name for name, count in counts.items() if count > 1]:
        places = [place for place, option in enumerate(options) if option.label.casefold() == name]
        details = _differing([_facts(options[place], items) for place in places])
        labels |= {place: _joined(options[place].label, detail) for place, detail in zip(places, details, strict=True)}
    return tuple(replace(option, label=labels.get(place, option.label)) for place, option in enumerate(options))


def _facts(option: Option, items: dict[tuple[str, str], BriefItem]) -> dict[str, str]:
    """What is known of the option's record, what tells most first: a run's goal and its start."""
    item = items.get(option.ref.key) if option.ref else None
    if item is None:
        return {}
    told = {field.name: on_one_line(field.value, DETAIL_LENGTH) for field in item.fields}
    started = item.payload.get("started")
    first = {name: told[name] for name in list(told)[:1]}
    return first | ({"Started": f"started {started}"} if started else {}) | told


def _differing(facts: Sequence[dict[str, str]]) -> list[tuple[str, ...]]:
    """For each record its details: as few as tell all of them apart, and their number where none do."""
    details: list[tuple[str, ...]] = [() for _ in facts]
    for name in dict.fromkeys(name for told in facts for name in told):
        if len(set(details)) == len(facts) or len(details[0]) == MAX_DETAILS:
            break
        values = [told.get(name, "") for told in facts]
        if len(set(values)) > 1:
            details = [(*detail, value) for detail, value in zip(details, values, strict=True)]
    if len(set(details)) == len(facts):
        return details
    return [(*detail, str(number)) for number, detail in enumerate(details, start=1)]


def _joined(label: str, details: tuple[str, ...]) -> str:
    return f"{label}: {', '.join(detail for detail in details if detail)}"
