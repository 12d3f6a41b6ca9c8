"""“Which of them has the higher score?”: the records put in order by the field that the question asks for."""

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.field_words import is_event
from agencycore.ai.builtin.language import human_date, listed
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import (
    STRONG_FIELD,
    WEAK_FIELD,
    Family,
    asks_for_field,
    families_of,
    in_overview,
    same_family,
)
from agencycore.ai.builtin.replies import Found, cited
from agencycore.ai.measures import MEASURES, Measure, names_other_measure
from agencycore.ai.types import BriefItem
from agencycore.refs import ProjectedField

Value: TypeAlias = Decimal | datetime.date

LISTED_RECORDS = 6

_ASKS_WHICH = re.compile(r"\b(?:which|who|whose|what)\b|\bthan\b")
_SAID = re.compile("|".join(rf"\b(?P<{name}>{words})\b" for name, words in MEASURES))
# Of two, and of more.
_WORDED: Mapping[Measure, tuple[str, str]] = {
    "newest": ("later", "latest"),
    "oldest": ("earlier", "earliest"),
    "most": ("higher", "highest"),
    "least": ("lower", "lowest"),
}
_MORE = _WORDED["most"]
_WORDED_SIZE = ("bigger", "biggest")
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
    asks_which = _ASKS_WHICH.search(question.lowered) or names_other_measure(question.lowered)
    if len(told) < 2 or said is None or not asks_which:
        return None
    measure = next(name for name, _ in MEASURES if said.group(name))
    asked = Question(_without_measure(question.lowered, said), question.about)
    held = [_held(family, item, measure) for item, family in same_family(asked, told, STRONG_FIELD)]
    if not held:
        return None
    silent = [item for item in told if item not in [one.item for one in held]]
    return Found(
        _words(held, silent, said.group(), measure), 1.0, tuple(f"{item.label}: {held[0].name}" for item in silent)
    )


def beside_each_other(question: Question, items: Sequence[BriefItem], told: Found) -> Found:
    """``told`` of several records, opened by what sets them apart: which has more, or the later date.

    That of the field asked for, else of each that all of them have a number or a date in.
    """
    families = [in_overview(families_of(item)) for item in items]
    shared = [one.name for one in families[0] if all(one.name in _names(others) for others in families[1:])]
    if any(asks_for_field(question, item) for item in items):
        shared = shared and [family.name for _, family in same_family(question, items, WEAK_FIELD)[:1]]
    lines = [_difference(name, items) for name in shared]
    opening = "\n".join(f"- {line}" for line in lines if line)
    return Found(f"{opening}\n\n{told.text}", told.strength, told.missing) if opening else told


def _names(families: Sequence[Family]) -> set[str]:
    return {family.name for family in families}


def _difference(name: str, items: Sequence[BriefItem]) -> str:
    """Which of the records has the most of a field, or the latest date in it; "" where they cannot be put in order."""
    held = [_at_first(family, item) for item in items for family in families_of(item) if family.name == name]
    if None in held:
        return ""
    ordered = sorted((one for one in held if one is not None), key=lambda one: one.value or 0, reverse=True)
    if len({one.unit for one in ordered}) > 1 or len({type(one.value) for one in ordered}) > 1:
        return ""
    if ordered[0].value == ordered[1].value:
        return ""
    first = ordered[0]
    words = _WORDED["newest"] if isinstance(first.value, datetime.date) else _WORDED_SIZE if name == "size" else _MORE
    worded = words[len(ordered) > 2]
    return cited(f"{first.item.label} has the {worded} {name}: {first.told}.", [first.item])


def _at_first(family: Family, item: BriefItem) -> _Held | None:
    """The number that the field's newest value begins with, the day it names, or the day on which it happened."""
    field = family.first
    text = harmless(field.value).strip().rstrip(".")
    when = _date_in(text) or (field.when if is_event(field) else None)
    if when is not None:
        return _Held(item, family.name, human_date(when), when)
    found = _NUMBER.match(text)
    return _Held(item, family.name, text, _number(found), (found["unit"] or "").strip()) if found else None


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
    return _Held(item, name, text, _number(found), (found["unit"] or "").strip())


def _number(found: re.Match[str]) -> Decimal:
    return Decimal(found["number"].replace(",", "")) * _SCALES[(found["scale"] or "").lower()]


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
