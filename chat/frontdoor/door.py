"""The Front Door: asks a model for one decision, and always ends with one that is valid.

Call → at most one retry → check → at most one repair → the built-in responder on the same brief →
a plain sentence that admits defeat. A fault of a model is never an exception here.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeAlias

from django.conf import settings

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.types import ContextBrief, DecisionRequest, ModelError, ModelReply, Prompt, Repair
from chat.frontdoor import speech
from chat.frontdoor.decision import Answer, Clarify, Decision, Delegate, Option
from chat.frontdoor.facts import candidates, pending_clarify, unavailable_evidence, with_unchecked
from chat.frontdoor.prompt import render_prompt
from chat.frontdoor.stream import ReplyStream
from chat.frontdoor.telling_apart import told_apart
from chat.frontdoor.validation import Invalid, Valid, Validation, validate

logger = logging.getLogger(__name__)

# Below this a call is not worth its price, and the fallback still fits.
SHORTEST_CALL_SECONDS = 2.0
# Kept for the fallback and the commit.
RESERVED_SECONDS = 3.0
RETRY_SECONDS = 1.0
LIMIT_CODE = "limit"

FallbackReason: TypeAlias = Literal["", "vendor", "invalid", "limit"]


class ModelCaller(Protocol):
    """Makes one vendor call for one turn and keeps the ledger.

    Raises ModelError; with code "limit" where the day's limit is reached and nothing was called.
    """

    def decide(self, request: DecisionRequest, *, is_repair: bool) -> ModelReply: ...


class FallbackResponder(Protocol):
    """Decides without a language model, from the brief alone, and never starts work."""

    name: str
    model: str

    def fallback(self, brief: ContextBrief) -> ModelReply: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """A valid decision and how it came about.

    ``refusals`` are the reasons why replies were refused and calls failed; ``notes`` say what was
    taken out of the reply that stands.
    """

    decision: Decision
    provider: str
    model: str
    fallback: FallbackReason
    rejected_refs: tuple[str, ...]
    refusals: tuple[str, ...]
    notes: tuple[str, ...]
    prompt: Prompt


@dataclass(slots=True)
class _Attempt:
    """What one turn has been through so far."""

    brief: ContextBrief
    prompt: Prompt
    caller: ModelCaller
    remaining_seconds: Callable[[], float]
    on_text: Callable[[str], None] | None
    wait: Callable[[float], None]
    may_retry: bool = True
    rejected_refs: dict[str, None] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    reason: FallbackReason = "vendor"


@dataclass(frozen=True, slots=True)
class _Judged:
    """A reply with its check; ``reply`` is None where the call broke off after something was shown."""

    validation: Validation
    reply: ModelReply | None


def decide(
    *,
    brief: ContextBrief,
    caller: ModelCaller,
    remaining_seconds: Callable[[], float],
    on_text: Callable[[str], None] | None = None,
    wait: Callable[[float], None] = time.sleep,
    fallback: FallbackResponder | None = None,
) -> Verdict:
    """One valid decision about ``brief``, whatever the model does.

    ``on_text`` gets pieces of an answer's text that may be shown; joined they are its final text.
    Where nothing was shown before, the text arrives with the verdict alone.
    """
    attempt = _Attempt(brief, render_prompt(brief), caller, remaining_seconds, on_text, wait)
    judged = _ask(attempt, repair=None)
    if judged is not None and isinstance(judged.validation, Invalid):
        judged = _ask(attempt, repair=_repair(judged))
    if judged is not None and isinstance(judged.validation, Valid):
        return _verdict(attempt, judged.validation, judged.reply)
    return _fall_back(attempt, fallback or BuiltinResponder())


def _repair(judged: _Judged) -> Repair:
    assert isinstance(judged.validation, Invalid)
    return Repair(judged.reply.text if judged.reply else "", judged.validation.reasons)


def _ask(attempt: _Attempt, *, repair: Repair | None) -> _Judged | None:
    """One checked reply; None where no call gave one. A call that failed is made again once, if time allows."""
    while True:
        stream = ReplyStream(attempt.brief, attempt.on_text) if attempt.on_text else None
        try:
            return _note(attempt, _call(attempt, repair, stream))
        except ModelError as error:
            attempt.refusals.append(f"{error.code}: {error}"[:300])
            if stream is not None and stream.has_released:
                return _note(attempt, _Judged(stream.give_up(), None))
            if not _may_call_again(attempt, error):
                attempt.reason = "limit" if error.code == LIMIT_CODE else _reason(repair)
                return None
            attempt.may_retry = False
            attempt.wait(_pause(error))


def _call(attempt: _Attempt, repair: Repair | None, stream: ReplyStream | None) -> _Judged:
    seconds = min(float(settings.MODEL_TIMEOUT_SECONDS), attempt.remaining_seconds() - RESERVED_SECONDS)
    if seconds < SHORTEST_CALL_SECONDS:
        raise ModelError("timeout", "No time was left for a call.", retryable=False, reached_vendor=False)
    request = DecisionRequest(
        brief=attempt.brief,
        prompt=attempt.prompt,
        timeout_seconds=seconds,
        repair=repair,
        on_text=stream.feed if stream else None,
    )
    reply = attempt.caller.decide(request, is_repair=repair is not None)
    return _Judged(stream.finish(reply) if stream else validate(reply, attempt.brief), reply)


def _note(attempt: _Attempt, judged: _Judged) -> _Judged:
    attempt.rejected_refs |= dict.fromkeys(judged.validation.rejected_refs)
    if isinstance(judged.validation, Invalid):
        attempt.refusals += judged.validation.reasons
        attempt.reason = "invalid"
    return judged


def _reason(repair: Repair | None) -> FallbackReason:
    """A repair that could not be made leaves an invalid reply, not a silent vendor."""
    return "invalid" if repair else "vendor"


def _may_call_again(attempt: _Attempt, error: ModelError) -> bool:
    needed = _pause(error) + SHORTEST_CALL_SECONDS + RESERVED_SECONDS
    return attempt.may_retry and error.retryable and needed <= attempt.remaining_seconds()


def _pause(error: ModelError) -> float:
    return RETRY_SECONDS if error.retry_after_seconds is None else max(0.0, error.retry_after_seconds)


def _verdict(attempt: _Attempt, valid: Valid, reply: ModelReply | None) -> Verdict:
    return Verdict(
        decision=valid.decision,
        provider=reply.provider if reply else "",
        model=reply.model if reply else "",
        fallback="",
        rejected_refs=tuple(attempt.rejected_refs),
        refusals=tuple(attempt.refusals),
        notes=valid.notes,
        prompt=attempt.prompt,
    )


def _fall_back(attempt: _Attempt, responder: FallbackResponder) -> Verdict:
    valid = _fallback_decision(attempt, responder)
    verdict = _verdict(attempt, valid, None)
    return replace(verdict, provider=responder.name, model=responder.model, fallback=attempt.reason)


def _fallback_decision(attempt: _Attempt, responder: FallbackResponder) -> Valid:
    """What the built-in responder decides from the same brief, or the last honest words."""
    try:
        validation = validate(responder.fallback(attempt.brief), attempt.brief, is_last=True)
    except Exception:
        # The last line: whatever is wrong in the fallback, the person gets a reply.
        logger.exception("The fallback responder failed.")
        return Valid(last_words(attempt.brief, attempt.reason))
    if isinstance(validation, Valid) and not isinstance(validation.decision, Delegate):
        return replace(validation, decision=_with_reason(validation.decision, attempt.reason))
    logger.error("The fallback responder's reply was refused: %s", getattr(validation, "reasons", "it delegates"))
    return Valid(last_words(attempt.brief, attempt.reason))


def _with_reason(decision: Decision, reason: FallbackReason) -> Decision:
    """A spent limit is said; a failing vendor is the operator's matter and stands in the audit."""
    if reason == LIMIT_CODE and isinstance(decision, Answer):
        return replace(decision, text=f"{decision.text}\n\n{speech.LIMIT_REACHED}")
    return decision


def last_words(brief: ContextBrief, reason: FallbackReason) -> Decision:
    """What is left where nothing else is: a question code can ask itself, or words that claim nothing."""
    match brief.reference.status:
        case "ambiguous" if pending_clarify(brief) is None:
            options = tuple(Option(ref.label or ref.kind, ref) for ref in candidates(brief))
            return Clarify(speech.WHICH_ONE, told_apart(options, brief))
        case "absent":
            return Answer(speech.NOT_AVAILABLE, unresolved=(speech.record_not_available(brief.reference.phrase),))
        case _:
            return _admit_defeat(brief, reason)


def _admit_defeat(brief: ContextBrief, reason: FallbackReason) -> Answer:
    sentences = [speech.LIMIT_REACHED] if reason == LIMIT_CODE else []
    sentences.append(speech.MODEL_FAILED)
    missing = unavailable_evidence(brief)
    if missing:
        sentences.append(speech.could_not_check(missing))
    gap = speech.not_answered(brief.message)
    return Answer(" ".join(sentences), unresolved=with_unchecked((gap,), missing))
