"""Which choices on offer a reply describes: "the Italian one", "the one about healthcare"."""

import re
from collections.abc import Sequence

from chat.context.pointing import KIND_WORDS, plain
from chat.context.records import Records
from chat.frontdoor.decision import Option
from knowledge.languages import stop_words

ENGLISH = "english"
# Longer values are sentences: they speak of much that the record is not.
SHORT_VALUE_WORDS = 8
SHORTEST_STEM = 4
# "Italian" and "Italy": so many letters of the shorter word may be an ending.
LONGEST_ENDING = 2

_WORD = re.compile(r"[^\W_]+")
_REFUSES = re.compile(r"\b(?:not|no|none|neither|nor|never|except|other than|but)\b|n't\b")
_ALL = re.compile(r"(?:both|all|each)(?: (?:of )?(?:them|these|those|two|three))?(?: please)?|them (?:all|both)")
_CHOICE_WORDS = frozenset(["choice", "option", "please", "think", "mean", "meant", "take", "pick", "want", "guess"])
_KINDS = frozenset(KIND_WORDS) | {"ones", "companies", "people", "runs", "deals", "prospects"}
# Where the word for what is from a country shares too little with its name.
_COUNTRIES = {
    "british": "united kingdom", "english": "united kingdom", "uk": "united kingdom", "american": "united states",
    "us": "united states", "usa": "united states", "french": "france", "spanish": "spain", "danish": "denmark",
    "dutch": "netherlands", "holland": "netherlands", "finnish": "finland", "irish": "ireland", "polish": "poland",
    "swiss": "switzerland", "greek": "greece", "turkish": "turkey", "czech": "czechia", "scottish": "united kingdom",
}  # fmt: skip


def takes_all(message: str) -> bool:
    """ "both", "all of them": every choice is meant."""
    return _ALL.fullmatch(plain(message)) is not None


def described_options(message: str, options: Sequence[Option], records: Records) -> list[Option]:
    """The options that have every telling word of ``message``; none where it refuses or tells nothing.

    Labels are looked at first, then what the records say in short, then everything that they say.
    """
    text = plain(message)
    told = [word for word in _WORD.findall(text) if word not in stop_words(ENGLISH) | _CHOICE_WORDS | _KINDS]
    if not told or _REFUSES.search(text):
        return []
    for describe in (_label, _label_and_short_values, _everything):
        if fitting := [option for option in options if _has_all(told, describe(option, records))]:
            return fitting
    return []


def _label(option: Option, records: Records) -> str:
    return option.label


def _label_and_short_values(option: Option, records: Records) -> str:
    values = [value for value in _values(option, records) if len(value.split()) <= SHORT_VALUE_WORDS]
    return " ".join([option.label, *values])


def _everything(option: Option, records: Records) -> str:
    return " ".join([option.label, *_values(option, records)])


def _values(option: Option, records: Records) -> list[str]:
    record = records.find(option.ref) if option.ref else None
    return [field.value for field in record.fields] if record else []


def _has_all(told: Sequence[str], text: str) -> bool:
    held = set(_WORD.findall(text.lower()))
    return all(any(_is_same(word, other) for other in held) or _is_of_country(word, text) for word in told)


def _is_of_country(word: str, text: str) -> bool:
    return _COUNTRIES.get(word, "\0") in text.lower()


def _is_same(word: str, other: str) -> bool:
    """Whether the words differ in nothing but an ending ("Italian", "Italy"), or one is the other's beginning."""
    if word == other:
        return True
    shorter, longer = sorted((word, other), key=len)
    common = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return common >= SHORTEST_STEM and common >= len(shorter) - LONGEST_ENDING
