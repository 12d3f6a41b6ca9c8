"""A text that arrives in pieces, cut into sentences.

Where a cut falls depends on the text alone, never on how it arrived: a boundary is decided only when
everything it depends on has been seen.
"""

import re

from chat.frontdoor.citations import MARKER_SOURCE

SENTENCE_LIMIT = 4_000
# How much text a decision may have to look ahead.
_LOOKAHEAD = 300

_BOUNDARY = re.compile(
    r"""
    (?:
        (?P<stop>[.!?…]+) ["'”’»)*_`]*          # a terminator and what closes with it
      | (?P<wide>[。！？]) [」』”’）]*
      | (?P<line>\n)
    )
    (?P<markers>(?:[ \t]?"""
    + MARKER_SOURCE
    + r"""){0,8})   # "Stage is a state. [r1]" is one sentence
    (?P<space>\s*)
    """,
    re.VERBOSE,
)
_UNFINISHED_MARKER = re.compile(r"[ \t]?\[[ \t]?(?:r[\dr,;\s]{0,140})?$")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|ca|cf|no|nr|st|mr|mrs|ms|dr|prof|inc|ltd|co|corp|bzw|z\.b|usw|al|fig|vol|pp|est|incl|"
    r"excl|resp|min|max|dept|tel|jan|feb|aug|sept|oct|nov|dec|a\.m|p\.m|d\.h|u\.a|evtl|ggf|inkl|zzgl)|\b[A-Z]|\bp)\.$",
    re.IGNORECASE,
)
_LIST_NUMBER = re.compile(r"(?:^|\n)[ \t>*_-]*\d{1,3}\.$")


def ends_in_abbreviation(text: str) -> bool:
    """Whether the full stop at the end of ``text`` belongs to a shortened word or an initial."""
    return bool(_ABBREVIATION.search(text))


class Sentences:
    """Feed it text; it gives back whole sentences with the space behind them, losing nothing."""

    def __init__(self) -> None:
        self._buffer = ""
        self._decided = 0

    def feed(self, text: str) -> list[str]:
        self._buffer += text
        return self._take(is_final=False)

    def finish(self) -> list[str]:
        found = self._take(is_final=True)
        rest, self._buffer = self._buffer, ""
        return [*found, rest] if rest else found

    def _take(self, *, is_final: bool) -> list[str]:
        found: list[str] = []
        while (end := self._next_end(is_final)) is not None:
            found.append(self._buffer[:end])
            self._buffer = self._buffer[end:]
            self._decided = 0
        return found

    def _next_end(self, is_final: bool) -> int | None:
        for match in _BOUNDARY.finditer(self._buffer, self._decided):
            verdict = self._judge(match, is_final)
            if verdict is None or match.end() > SENTENCE_LIMIT:
                return self._forced_end()
            if verdict:
                return match.end()
            self._decided = match.end()
        self._decided = len(self._buffer)
        return self._forced_end()

    def _judge(self, match: re.Match[str], is_final: bool) -> bool | None:
        """Whether a sentence ends here; None while the text that decides it has not arrived."""
        rest = self._buffer[match.end() :]
        if not is_final and (not rest or _UNFINISHED_MARKER.match(rest)):
            return None
        if match["line"] or match["wide"]:
            return True
        if not match["space"] and rest:
            return False
        return not self._is_inside(match)

    def _is_inside(self, match: re.Match[str]) -> bool:
        """A full stop that ends an abbreviation, a list number or an initial, not a sentence."""
        if match["stop"] != "." or match["markers"] or "\n" in match["space"]:
            return False
        end = match.end("stop")
        if ends_in_abbreviation(self._buffer[max(0, end - 12) : end]):
            return True
        return bool(_LIST_NUMBER.search(self._buffer, 0, end))

    def _forced_end(self) -> int | None:
        """A sentence without end is cut, at a space where there is one."""
        if len(self._buffer) <= SENTENCE_LIMIT + _LOOKAHEAD:
            return None
        space = self._buffer.rfind(" ", 1, SENTENCE_LIMIT)
        return space + 1 if space > 0 else SENTENCE_LIMIT
