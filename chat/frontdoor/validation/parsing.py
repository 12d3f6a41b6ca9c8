"""A reply's text as one outcome of the wire form, or the reason why it is none."""

import json

from pydantic import ValidationError

from agencycore.ai.types import ModelReply
from agencycore.ai.wire import WireOutcome, parse_decision

REPLY_LIMIT = 200_000
REASON_ERRORS = 3


class Unreadable(Exception):
    """The reply is not one decision; the message is for the model."""


class _TwoValues(ValueError):
    """One key stands twice: a reader of the reply could pick either."""


def parse_reply(reply: ModelReply) -> WireOutcome:
    """The outcome in ``reply``; raises Unreadable."""
    if reply.finish in ("refused", "empty") or not reply.text.strip():
        raise Unreadable("The reply was empty. Where something cannot be answered, answer so, with `unresolved`.")
    if len(reply.text) > REPLY_LIMIT:
        raise Unreadable("The reply was far too long.")
    text = unfenced(reply.text)
    _refuse_doubles(text)
    try:
        return parse_decision(text)
    except ValidationError as error:
        raise Unreadable(_explain(error, reply)) from error


def unfenced(text: str) -> str:
    """``text`` without the code fence that some models put around JSON."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```"):
        text = text.removeprefix("```").removeprefix("json").removesuffix("```").strip()
    return text


def _refuse_doubles(text: str) -> None:
    try:
        json.loads(text, object_pairs_hook=_once)
    except _TwoValues as error:
        raise Unreadable("The reply held two outcomes. Send exactly one decision.") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("The reply was not one complete JSON object of the required form.") from error


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwoValues
    return found


def _explain(error: ValidationError, reply: ModelReply) -> str:
    if reply.finish == "truncated":
        return "The reply was cut off before its end. Be briefer."
    faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()[:REASON_ERRORS]]
    return f"The reply does not fit the schema ({'; '.join(faults)[:400]})."
