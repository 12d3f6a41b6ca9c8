"""One reply, checked: the decision in it, or the reasons why there is none."""

from typing import assert_never

from agencycore.ai.ports import get_embedder
from agencycore.ai.types import ContextBrief, ModelReply
from agencycore.ai.wire import WireAnswer, WireClarify, WireControlRun, WireDelegate, WireOutcome
from chat.frontdoor import speech
from chat.frontdoor.characters import on_one_line
from chat.frontdoor.citations import keys_in, rejected_of, without_markers
from chat.frontdoor.decision import Answer
from chat.frontdoor.facts import FREE_OF_CITATIONS, named_gaps, unavailable_evidence, with_unchecked
from chat.frontdoor.markdown import harmless_markdown
from chat.frontdoor.validation.answer_text import AnswerText
from chat.frontdoor.validation.answers import answer_faults
from chat.frontdoor.validation.claims import claims_work
from chat.frontdoor.validation.clarifies import validate_clarify
from chat.frontdoor.validation.controls import validate_control
from chat.frontdoor.validation.delegations import validate_delegate
from chat.frontdoor.validation.parsing import Unreadable, parse_reply
from chat.frontdoor.validation.references import reference_faults
from chat.frontdoor.validation.result import Invalid, Valid, Validation

OFFER_LENGTH = 300


def validate(reply: ModelReply, brief: ContextBrief, *, is_last: bool = False) -> Validation:
    """The decision in ``reply``, made safe for this brief, or why it cannot stand.

    ``is_last`` is for a reply that no repair and no fallback follow; see ``answer_faults``.
    """
    try:
        outcome = parse_reply(reply)
    except Unreadable as fault:
        return Invalid((str(fault),))
    if faults := reference_faults(outcome, brief):
        return Invalid(tuple(faults))
    return _validate_outcome(outcome, brief, is_last=is_last)


def _validate_outcome(outcome: WireOutcome, brief: ContextBrief, *, is_last: bool) -> Validation:
    match outcome:
        case WireAnswer():
            return _validate_answer(outcome, brief, is_last=is_last)
        case WireClarify():
            return validate_clarify(outcome, brief)
        case WireDelegate():
            return validate_delegate(outcome, brief)
        case WireControlRun():
            return validate_control(outcome, brief)
        case _:
            assert_never(outcome)


def _validate_answer(answer: WireAnswer, brief: ContextBrief, *, is_last: bool) -> Validation:
    header = answer
    if answer_faults(header, brief, is_last=is_last):
        # The keys may stand in the text alone.
        header = answer.model_copy(update={"citations": [*answer.citations, *keys_in(answer.text)]})
    text = AnswerText(brief, header.citations)
    if faults := answer_faults(header, brief, is_last=is_last):
        return Invalid(tuple(faults), rejected_of(text.marking))
    text.feed(answer.text)
    text.finish()
    return finished_answer(header, text, brief)


def finished_answer(header: WireAnswer, text: AnswerText, brief: ContextBrief) -> Validation:
    """The answer that ``header`` and the edited ``text`` make."""
    rejected = rejected_of(text.marking)
    if not text.text:
        return Invalid((_why_nothing_stands(text),), rejected)
    citations = text.cited(get_embedder())
    gaps = named_gaps(header.unresolved)
    if text.is_cut:
        gaps = (*gaps, speech.CUT_SHORT)
    if (gaps or not citations) and brief.message_class not in FREE_OF_CITATIONS:
        gaps = with_unchecked(gaps, unavailable_evidence(brief))
    return Valid(Answer(text.text, citations, gaps, _clean_offer(header.offer)), rejected, tuple(text.notes))


def _why_nothing_stands(text: AnswerText) -> str:
    if not text.notes:
        return "The answer has no text that can be shown."
    return f"Nothing of the answer can be shown: {'; '.join(text.notes)[:600]}."


def _clean_offer(offer: str) -> str:
    line = on_one_line(harmless_markdown(without_markers(offer), lambda url: False), OFFER_LENGTH)
    return "" if claims_work(line) else line
