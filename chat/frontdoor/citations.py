"""From the keys a model writes to the numbers a person sees, and to what is kept of each source."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agencycore.ai.types import BriefItem, ContextBrief
from chat.frontdoor.characters import clean_characters, on_one_line
from chat.frontdoor.decision import CitedSource

MARKER_SOURCE = r"\[[ \t]?r\d{1,4}(?:[ \t]?[,;][ \t]?r\d{1,4}){0,15}[ \t]?\]"
MARKER = re.compile(MARKER_SOURCE)
KEY = re.compile(r"r\d{1,4}")
_SPACED_MARKER = re.compile(r"[ \t]?" + MARKER_SOURCE)
_BARE_NUMBER = re.compile(r"(?P<after_bracket>(?<=\]))?\[(?P<number>\d{1,3})\]")
# Stands for a shown number while the text around it is made harmless; controls are cleaned out before.
_SHOWN = re.compile("\x02(\\d+)\x02")
# Before a parenthesis a number would be a link's label, at the start of a line before a colon a definition's.
_LINK_LIKE = re.compile("(\x02)(?=\\()|(^[\\s>*+\\d.)-]*\x02\\d+\x02)(?=:)")
_SPACED_SHOWN = re.compile("[ \t]?\x02\\d+\x02")
EXCERPT_LIMIT = 8_000
CLAIM_LIMIT = 2_000
URL_LIMIT = 300
KEY_LENGTH = 40
LABEL_LENGTH = 300
REJECTED_AT_MOST = 20
NOT_EVIDENCE = frozenset({"capabilities", "conversation"})


def citable_items(brief: ContextBrief) -> dict[str, BriefItem]:
    """What an answer to this brief may cite, by key.

    The shortlist and what was said are never evidence; a record that reads as absent is not there.
    """
    absent = {ref.key for ref in brief.reference.refs} if brief.reference.status == "absent" else set()
    return {
        item.key: item
        for item in brief.evidence
        if item.key and item.source not in NOT_EVIDENCE and item.ref.key not in absent
    }


def keys_in(text: str) -> list[str]:
    """The keys that ``text`` marks, by first appearance."""
    return list(dict.fromkeys(key for marker in MARKER.findall(text) for key in KEY.findall(marker)))


def without_markers(text: str) -> str:
    return _SPACED_MARKER.sub("", text)


@dataclass(slots=True)
class Marking:
    """Gives each cited key its number, by first appearance, and remembers which sentences carried it."""

    items: Mapping[str, BriefItem]
    expected: int = 0
    claims: dict[str, list[str]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    rejected: dict[str, None] = field(default_factory=dict)
    _bare: set[int] = field(default_factory=set)

    def admit(self, keys: Iterable[str]) -> list[str]:
        """Those of ``keys`` that may be cited, each once; the others are recorded as rejected."""
        listed = list(dict.fromkeys(keys))
        self.rejected |= dict.fromkeys(key for key in listed if key not in self.items)
        return [key for key in listed if key in self.items]

    def hide(self, text: str) -> str:
        """``text`` with its markers as placeholders, those of unknown keys gone."""
        return _SPACED_MARKER.sub(self._placeholders, text)

    def hidden_keys(self, text: str) -> list[str]:
        """The keys whose placeholders ``text`` still holds."""
        return list(dict.fromkeys(f"r{number}" for number in _SHOWN.findall(text)))

    def show(self, text: str) -> str:
        """``text`` with numbers for its placeholders; a bare number that looks like one gets round brackets."""
        text = _LINK_LIKE.sub(lambda match: f"{match[0]} ", _BARE_NUMBER.sub(self._plain_number, text))
        return _SHOWN.sub(lambda match: f"[{self._number(f'r{match[1]}')}]", text)

    def numbered(self, keys: Sequence[str]) -> str:
        return "".join(f"[{self._number(key)}]" for key in keys)

    def claim(self, keys: Iterable[str], sentence: str) -> None:
        for key in keys:
            self.claims.setdefault(key, []).append(sentence)

    def _placeholders(self, match: re.Match[str]) -> str:
        keys = [key for key in KEY.findall(match[0]) if key in self.items]
        space = " " if keys and match[0][0] in " \t" else ""
        return space + "".join(f"\x02{key[1:]}\x02" for key in dict.fromkeys(keys))

    def _number(self, key: str) -> int:
        if key not in self.numbers:
            number = max(self.numbers.values(), default=0) + 1
            while number in self._bare:
                number += 1
            self.numbers[key] = number
        return self.numbers[key]

    def _plain_number(self, match: re.Match[str]) -> str:
        number = int(match["number"])
        if 0 < number <= max(self.expected, *self.numbers.values(), 0):
            return f"({number})" if match["after_bracket"] is None else f" ({number})"
        self._bare.add(number)
        return match[0]


def rejected_of(marking: Marking) -> tuple[str, ...]:
    """The rejected keys for the record: clean, short, and not without end."""
    return tuple(on_one_line(key, KEY_LENGTH) for key in list(marking.rejected)[:REJECTED_AT_MOST])


def without_placeholders(text: str) -> str:
    return _SPACED_SHOWN.sub("", text)


def cited_sources(marking: Marking, support: Mapping[str, float]) -> tuple[CitedSource, ...]:
    """The citations of a finished text, by number; ``support`` is by key."""
    return tuple(
        _cited_source(number, marking.items[key], "\n".join(marking.claims.get(key, ())), support.get(key))
        for key, number in sorted(marking.numbers.items(), key=lambda pair: pair[1])
    )


def _cited_source(number: int, item: BriefItem, claim: str, support: float | None) -> CitedSource:
    stored_hash = item.payload.get("content_hash")
    return CitedSource(
        marker=number,
        key=item.key,
        kind=item.kind,
        id=item.id,
        label=on_one_line(item.label, LABEL_LENGTH),
        position=on_one_line(item.position, LABEL_LENGTH),
        excerpt=clean_characters(item.text[:EXCERPT_LIMIT]),
        claim=claim[:CLAIM_LIMIT],
        url=item.url if len(item.url) <= URL_LIMIT else "",
        support=support,
        content_hash=stored_hash if isinstance(stored_hash, str) else hashlib.sha256(item.text.encode()).hexdigest(),
    )
