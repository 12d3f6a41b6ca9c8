"""Which of the known names a message mentions. Pure text work."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chat.context.pointing import KIND_WORDS, names_kind_after, plain

# A first word shorter than this, or one that any sentence may hold, names nobody.
SHORTEST_PART = 4
_LEGAL_FORMS = re.compile(
    r"[\s,]+(?:ltd|limited|inc|incorporated|llc|llp|plc|gmbh|ag|kg|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|asa|oy|aps|"
    r"co|corp|corporation|company|group|holding|holdings|pty|pte)\.?$"
)
_COMMON_WORDS = """
about after also another best blue customer deal digital first from general global green international
last main more national next north open other prospect renewal sales second some south team that their
them there these they this those three united what when where which will with your world
"""
_COMMON = frozenset(_COMMON_WORDS.split()) | frozenset(KIND_WORDS)


@dataclass(frozen=True, slots=True)
class Name:
    """A label that can be mentioned; ``text`` is the part that was, once found."""

    key: str
    text: str
    kind: str


def find_named(message: str, names: Sequence[Name]) -> list[Name]:
    """The names that ``message`` mentions, in the order of ``names``.

    A whole label beats a part of one, and a longer label the shorter one inside it. A part (the
    first word, a person's first or last name) counts only outside of the labels that are there as a whole.
    """
    text = plain(message)
    whole = [(name, form) for name in names if (form := _whole_form(text, name.text)) is not None]
    longest = [
        (name, form) for name, form in whole if not any(form != other and _holds(other, form) for _, other in whole)
    ]
    found = {name.key: form for name, form in longest if _fits_kind(text, form, name.kind)}
    # "Acme" beside "Birch Foods" is another name; inside "Acme Robotics" it is none.
    rest = _without(text, [form for _, form in whole])
    found |= {
        name.key: part for name in names if name not in [one for one, _ in whole] and (part := _part_in(rest, name))
    }
    return [Name(name.key, found[name.key], name.kind) for name in names if name.key in found]


def _whole_form(text: str, label: str) -> str | None:
    """The form of ``label`` that stands in ``text``: itself, or without "Ltd" and the like."""
    full = plain(label)
    forms = (full, _LEGAL_FORMS.sub("", full))
    return next((form for form in forms if len(form) > 1 and _holds(text, form)), None)


def _without(text: str, forms: Sequence[str]) -> str:
    for form in sorted(forms, key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(form)}(?![\w-])", "|", text)
    return text


def _part_in(text: str, name: Name) -> str | None:
    words = _LEGAL_FORMS.sub("", plain(name.text)).split()
    parts = words if name.kind == "person" else words[:1]
    for part in parts:
        is_telling = len(part) >= SHORTEST_PART and part not in _COMMON
        if is_telling and _holds(text, part) and _fits_kind(text, part, name.kind):
            return part
    return None


def _fits_kind(text: str, form: str, kind: str) -> bool:
    """ "the Acme deal" does not mean the company Acme."""
    kinds = names_kind_after(text, form)
    return not kinds or not kind or kind in kinds


def _holds(text: str, form: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(form)}(?![\w-])", text) is not None
