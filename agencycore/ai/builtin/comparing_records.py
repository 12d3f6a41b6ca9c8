"""“Which of them has the higher score?”: the records put in order by the field that the question asks for."""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import human_date, listed
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import STRONG_FIELD, Family, same_family
from agencycore.ai.builtin.replies import Found, cited
from agencycore.ai.types import BriefItem
from agencycore.refs import ProjectedField

Measure: TypeAlias = Literal["most", "least", "newest", "oldest"]
Value: TypeAlias = Decimal | datetime.date

LISTED_RECORDS = 6

_ASKS_WHICH = re.compile(r"\b(?:which|who|whose|what)\b|\bthan\b")
_MEASURES: tuple[tuple[Measure, str], ...] = (
    ("newest", r"latest|newest|newer|later|(?:most|more) recent(?:ly)?|last"),
    ("oldest", r"earliest|earlier|oldest|older|longest|longer|first"),
    ("most", r"higher|highest|more|most|bigger|biggest|larger|largest|greater|greatest|better|best|stronger|strongest"),
    ("least", r"lower|lowest|fewer|fewest|less|least|smaller|smallest|weaker|weakest|cheaper|cheapest|worse|worst"),
)
_SAID = re.compile("|".join(rf"\b(?P<{name}>{words})\b" for name, words in _MEASURES))
# Of two, and of more.
_WORDED: Mapping[Measure, tuple[str, str]] = {
    "newest": ("later", "latest"),
    "oldest": ("earlier", "earliest"),
    "most": ("higher", "highest"),
    "least": ("lower", "lowest"),
}
_OF_SIZE = re.compile(r"(?:bigg|larg|small)(?:er|est)")
# What stays of such a word when the field is looked for: "bigger" asks for a size, "higher" for any field.
_ASKED_AS: Mapping[str, str] = {
    **dict.fromkeys(("bigger", "biggest", "larger", "largest", "smaller", "smallest"), "size"),
    **dict.fromkeys(("cheaper", "cheapest"), "price"),
}
_SIZED = re.compile(r"\b(?:deal|deals|amount|score|points)\b")
_NUMBER = re.compile(
    r"(?P<unit>\b[A-Z]{3}\s+|[€$£]\s*)?(?<![\w.,-])(?P<number>\d[\d,]*(?:\.\d+)?)(?P<scale>[km]\b)?", re.I
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b(0?[1-9]|[12]\d|3[01]) ({_MONTHS}) (\d{{4}})\b")
_SCALES = {"": 1, "k": 1_000, "m": 1_000_000}


@dataclass(frozen=True, slots=True)
class _Held:
    """What one record has in the field: ``value`` is None where it cannot be put in order."""

    item: BriefItem
    name: str
    told: str
    value: Value | None
    unit: str = ""


def answer_which_record(question: Question, items: Sequence[BriefItem]) -> Found | None:
    """The record that has the most, least, newest or oldest of what is asked, and what the others have.

    None where the question does not compare, or no record has such a field.
    """
    said = _SAID.search(question.lowered)
    told = [item for item in items if item.fields]
    if len(told) < 2 or said is None or not _ASKS_WHICH.search(question.lowered):
        return None
    measure = next(name for name, _ in _MEASURES if said.group(name))
    asked = Question(_without_measure(question.lowered, said), question.about)
    held = [_held(family, item, measure) for item, family in same_family(asked, told, STRONG_FIELD)]
    if not held:
        return None
    silent = [item for item in told if item not in [one.item for one in held]]
    return Found(
        _words(held, silent, said.group(), measure), 1.0, tuple(f"{item.label}: {held[0].name}" for item in silent)
    )


def _without_measure(lowered: str, said: re.Match[str]) -> str:
    """The question without the words that compare; a size is asked for by them alone."""
    rest = f"{lowered[: said.start()]} {lowered[said.end() :]}".replace(" than ", " ")
    sized = "" if _SIZED.search(rest) else _ASKED_AS.get(said.group(), "")
    return f"{sized} {rest}".strip()


def _held(family: Family, item: BriefItem, measure: Measure) -> _Held:
    values = [_measured(field, item, family.name, measure) for field in family.fields]
    comparable = [one for one in values if one.value is not None]
    if not comparable:
        return values[0]
    return _in_order(comparable, measure)[0]


def _measured(field: ProjectedField, item: BriefItem, name: str, measure: Measure) -> _Held:
    text = harmless(field.value).strip().rstrip(".")
    if measure in ("newest", "oldest"):
        when = _date_in(text) or field.when
        date = human_date(when) if when else ""
        return _Held(item, name, f"{date}: {text}" if date and date not in text else text, when)
    found = _NUMBER.search(text)
    if found is None:
        return _Held(item, name, text, None)
    number = Decimal(found["number"].replace(",", "")) * _SCALES[(found["scale"] or "").lower()]
    return _Held(item, name, text, number, (found["unit"] or "").strip())


def _date_in(text: str) -> datetime.date | None:
    """The one day that the field names: “Expected to close on 1 January 2027”."""
    found = [f"{day} {month} {year}" for day, month, year in _DATE.findall(text)]
    return datetime.datetime.strptime(found[0], "%d %B %Y").date() if len(found) == 1 else None


def _in_order(held: Sequence[_Held], measure: Measure) -> list[_Held]:
    return sorted(held, key=lambda one: one.value or 0, reverse=measure in ("most", "newest"))


def _words(held: Sequence[_Held], silent: Sequence[BriefItem], said: str, measure: Measure) -> str:
    silences = [cited(f"The record of {item.label} has no {held[0].name}.", [item]) for item in silent]
    can_order = all(one.value is not None for one in held) and len({one.unit for one in held}) == 1
    if len(held) < 2 or not can_order:
        return "\n".join(f"- {line}" for line in [*map(_line, held), *silences])
    first, *others = _in_order(held, measure)
    if all(one.value == first.value for one in others):
        labels = listed([one.item.label for one in held])
        same = cited(f"{labels} have the same {first.name}: {first.told}.", [one.item for one in held])
        return "\n".join([same, *silences])
    worded = said if _OF_SIZE.fullmatch(said) else _WORDED[measure][len(held) > 2]
    lead = cited(f"{first.item.label} has the {worded} {first.name}: {first.told}.", [first.item])
    return "\n".join([lead, *(f"- {line}" for line in [*map(_line, others[:LISTED_RECORDS]), *silences])])


def _line(one: _Held) -> str:
    return cited(f"{one.item.label}: {one.told}.", [one.item])
