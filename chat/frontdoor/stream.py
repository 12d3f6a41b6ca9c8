"""A decision that arrives in pieces: its answer is shown sentence by sentence, already checked.

The wire form puts outcome, citations, unresolved and offer before the text. Once they stand, they
are checked as in a complete reply; if they fail, nothing is shown and the complete reply is judged.
Otherwise the text is edited and released as it arrives. The first release decides: what follows in
the reply can neither change the outcome nor take a sentence back.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import ValidationError

from agencycore.ai.types import ContextBrief, ModelReply
from agencycore.ai.wire import WireAnswer, parse_decision
from chat.frontdoor.decision import Answer
from chat.frontdoor.validation.answer_text import AnswerText
from chat.frontdoor.validation.answers import answer_faults
from chat.frontdoor.validation.references import reference_faults
from chat.frontdoor.validation.reply import finished_answer, validate
from chat.frontdoor.validation.result import Valid, Validation

HEADER_LIMIT = 20_000
CUT_NOTE = "the reply broke off after its first sentences were shown"
TAIL_NOTE = "the reply went on after its text; what followed was ignored"
# The members of the wire form in their order; the text's value begins where this ends.
_TEXT_BEGINS = re.compile(r'"text"\s*:\s*"')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLAIN = re.compile(r'[^"\\]+')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNICODE_DIGITS = 4
_CLOSING = re.compile(r"\s*\}\s*\}\s*(?:```\s*)?")


@dataclass(slots=True)
class JsonText:
    """The characters of one JSON string that arrives in pieces, up to its closing quote."""

    is_closed: bool = False
    is_broken: bool = False
    rest: str = ""
    _pending: str = ""
    _high: str = ""

    def feed(self, raw: str) -> str:
        """The decoded characters that are certain; what follows the closing quote goes to ``rest``."""
        raw = self._pending + raw
        self._pending = ""
        decoded: list[str] = []
        position = 0
        while position < len(raw) and not self.is_broken:
            if raw[position] == '"':
                self.is_closed = True
                self.rest = raw[position + 1 :]
                break
            step = self._decode(raw, position, decoded)
            if not step:
                self._pending = raw[position:]
                break
            position += step
        return "".join(decoded)

    def _decode(self, raw: str, position: int, decoded: list[str]) -> int:
        """Decode one character or escape; returns its length, 0 where it has not all arrived."""
        if raw[position] != "\\":
            plain = _PLAIN.match(raw, position)
            assert plain is not None
            self._add(plain[0], decoded)
            return len(plain[0])
        if len(raw) < position + 2:
            return 0
        if raw[position + 1] != "u":
            character = _ESCAPES.get(raw[position + 1], "")
            self.is_broken = not character
            self._add(character, decoded)
            return 2
        return self._decode_unicode(raw, position, decoded)

    def _decode_unicode(self, raw: str, position: int, decoded: list[str]) -> int:
        digits = raw[position + 2 : position + 2 + _UNICODE_DIGITS]
        if len(digits) < _UNICODE_DIGITS:
            return 0
        if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self.is_broken = True
            return 0
        self._add(chr(int(digits, 16)), decoded)
        return 2 + _UNICODE_DIGITS

    def _add(self, characters: str, decoded: list[str]) -> None:
        """Halves of a surrogate pair are joined; a lone half is kept and cleaned out later."""
        for character in characters:
            if self._high and "\udc00" <= character <= "\udfff":
                pair = (self._high + character).encode("utf-16-le", "surrogatepass")
                decoded.append(pair.decode("utf-16-le"))
                self._high = ""
            elif "\ud800" <= character <= "\udbff":
                self._high = character
            else:
                self._high = ""
                decoded.append(character)


@dataclass(slots=True)
class ReplyStream:
    """Feed it the raw reply as it arrives; ``release`` is called with text that may be shown.

    ``finish`` gives the decision. All that was released, joined, is the decision's text.
    """

    brief: ContextBrief
    release: Callable[[str], None]
    _raw: str = ""
    _is_judged: bool = False
    _header: WireAnswer | None = None
    _answer: AnswerText | None = None
    _text: JsonText = field(default_factory=JsonText)
    _tail: str = ""

    @property
    def has_released(self) -> bool:
        return self._answer is not None and bool(self._answer.text)

    def feed(self, chunk: str) -> None:
        if self._answer is not None:
            self._feed_text(chunk)
        elif not self._is_judged:
            self._raw += chunk
            self._open()

    def finish(self, reply: ModelReply) -> Validation:
        """The decision of the complete ``reply``."""
        if not self.has_released:
            whole = validate(reply, self.brief)
            if isinstance(whole, Valid) and isinstance(whole.decision, Answer) and self._answer is not None:
                self._show(whole.decision.text)
            return whole
        return self._conclude(is_whole=self._text.is_closed)

    def give_up(self) -> Validation:
        """The decision after the call broke off: what was shown stands."""
        return self._conclude(is_whole=False)

    def _open(self) -> None:
        """Look whether all that comes before the text has arrived, and judge it."""
        begin = _find_text(self._raw)
        if begin is None:
            self._is_judged = len(self._raw) > HEADER_LIMIT
            return
        self._is_judged = True
        header = _read_header(self._raw[:begin])
        if header is None or reference_faults(header, self.brief) or answer_faults(header, self.brief):
            return
        self._header = header
        self._answer = AnswerText(self.brief, header.citations)
        rest, self._raw = self._raw[begin:], ""
        self._feed_text(rest)

    def _feed_text(self, chunk: str) -> None:
        if self._text.is_closed:
            self._tail = (self._tail + chunk)[:HEADER_LIMIT]
            return
        decoded = self._text.feed(chunk)
        self._tail = self._text.rest
        self._show(self._answer.feed(decoded) if self._answer else "")

    def _show(self, text: str) -> None:
        if text:
            self.release(text)

    def _conclude(self, *, is_whole: bool) -> Validation:
        assert self._answer is not None
        assert self._header is not None
        self._show(self._answer.finish(is_whole=is_whole))
        if not is_whole:
            self._answer.notes.append(CUT_NOTE)
        elif not _CLOSING.fullmatch(self._tail):
            self._answer.notes.append(TAIL_NOTE)
        return finished_answer(self._header, self._answer, self.brief)


def _find_text(raw: str) -> int | None:
    """Where the value of the decision's own "text" begins, if it has arrived."""
    position = depth = 0
    while position < len(raw):
        character = raw[position]
        if character == '"':
            string = _STRING.match(raw, position)
            if string is None:
                return None
            begins = _TEXT_BEGINS.match(raw, position) if depth == 2 else None
            if begins:
                return begins.end()
            position = string.end()
            continue
        depth += (character in "{[") - (character in "}]")
        position += 1
    return None


def _read_header(raw: str) -> WireAnswer | None:
    """The answer that ``raw`` begins, its text still empty; None for any other outcome or shape."""
    try:
        outcome = parse_decision(raw[raw.find("{") :] + '"}}')
    except ValidationError:
        return None
    return outcome if isinstance(outcome, WireAnswer) else None
