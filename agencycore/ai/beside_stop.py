"""What a message asks beside a run to be stopped: a turn does one thing, and no other ask is dropped without a word."""

import re
from collections.abc import Iterable

from agencycore.ai.asked import asks_for_work, is_question, names_topic, pieces_of, told_about
from agencycore.ai.stop_phrases import VERB
from agencycore.ai.stop_requests import asks_to_stop

_STOP_JOINT = re.compile(
    r"\s*[,;]?\s+(?:and|then|but|also)\s+(?:(?:then|also|please)\s+)*(?=(?:please\s+)?" + VERB.pattern + ")",
    re.IGNORECASE,
)
# "Stop it and tell me" asks for the reply that comes anyway.
_NOTHING_MORE = re.compile(
    r"(?:please |then |just )*(?:let me know|tell me|say so|confirm(?: it| this| that)?)"
    r"(?: (?:when|if|that|once) (?:it|that|this)(?:['’]s| is| has)?(?: been)? (?:done|stopped|ended|over))?\W*",
    re.IGNORECASE,
)


# "How do I start and stop a run?" asks one thing.
_HOW_TO = re.compile(r"\bhow (?:to|(?:do|can|could|should|would|must) (?:i|we|you|one))\b|\bwhether\b", re.IGNORECASE)


def stop_joined_on(message: str, names: Iterable[str] = ()) -> tuple[tuple[str, ...], str]:
    """The asks of “What is a lead and stop the run”, and the stop that is joined on to them; ((), "") of any other.

    Joined on to a question a stop is not clear enough to be done: it may be what the question is about.
    """
    first, *rest = _STOP_JOINT.split(message)
    known = tuple(names)
    asks = asks_beside_stop(first, known)
    if len(rest) != 1 or not asks or _HOW_TO.search(first) or not asks_to_stop(rest[0], known):
        return (), ""
    return asks, rest[0]


def asks_apart_from_stop(message: str) -> tuple[str, ...]:
    """What ``message`` asks beside a stop, whichever comes first; () where it speaks of none."""
    joined, _ = stop_joined_on(message)
    return joined or (asks_beside_stop(message) if asks_to_stop(message) else ())


def asks_beside_stop(message: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """The questions and requests of ``message`` that are no request to stop; ``names`` are those of runs and work."""
    known = tuple(names)
    pieces = [piece for part in _STOP_JOINT.split(message) for piece in pieces_of(part)]
    return tuple(piece for piece in pieces if _is_ask(piece) and not asks_to_stop(piece, known))


def _is_ask(piece: str) -> bool:
    if _NOTHING_MORE.fullmatch(piece) or not names_topic(told_about(piece)):
        return False
    return asks_for_work(piece) or is_question(piece)
