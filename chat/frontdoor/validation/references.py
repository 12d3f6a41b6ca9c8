"""What the words of the message point at decides which outcomes are open."""

from agencycore.ai.types import ContextBrief
from agencycore.ai.wire import WireAnswer, WireClarify, WireControlRun, WireDelegate, WireOutcome
from chat.context.run_reference import find_verb
from chat.frontdoor.citations import citable_items
from chat.frontdoor.facts import SPEECH_ACTS, candidates, named_gaps, pending_clarify


def reference_faults(outcome: WireOutcome, brief: ContextBrief) -> list[str]:
    """Why ``outcome`` contradicts the brief's message class or reference; empty if it does not."""
    if brief.message_class in SPEECH_ACTS:
        is_answer = isinstance(outcome, WireAnswer)
        return [] if is_answer else [f"The message is {brief.message_class}: answer it in a sentence or two."]
    if isinstance(outcome, WireClarify) and pending_clarify(brief):
        return ["The person was already asked about this. Answer for the likeliest meaning and name that assumption."]
    match brief.reference.status:
        case "ambiguous":
            return _ambiguous_faults(outcome, brief)
        case "missing":
            return _missing_faults(outcome, brief)
        case "absent":
            return _absent_faults(outcome)
        case "resolved" | "not_needed":
            return []


def _ambiguous_faults(outcome: WireOutcome, brief: ContextBrief) -> list[str]:
    names = ", ".join(ref.label or f"{ref.kind}:{ref.id}" for ref in candidates(brief))
    pending = pending_clarify(brief)
    match outcome:
        case WireClarify():
            return []
        case WireDelegate() if pending:
            return []
        case WireAnswer() if pending and _names_a_candidate(outcome, brief):
            return []
        case WireAnswer() if pending:
            return [f"Answer for the likeliest of: {names}. Name and cite it."]
        case _:
            return [f"“{brief.reference.phrase}” fits more than one: {names}. Clarify, with these as options."]


def _names_a_candidate(outcome: WireAnswer, brief: ContextBrief) -> bool:
    refs = {ref.key: ref.label for ref in candidates(brief)}
    items = citable_items(brief)
    cites_one = any(key in items and items[key].ref.key in refs for key in outcome.citations)
    return cites_one or any(label and label.lower() in outcome.text.lower() for label in refs.values())


def _missing_faults(outcome: WireOutcome, brief: ContextBrief) -> list[str]:
    match outcome:
        case WireClarify():
            return []
        case WireAnswer(unresolved=unresolved) if named_gaps(unresolved):
            return []
        case WireDelegate() if pending_clarify(brief):
            return []
        case WireAnswer() if find_verb(brief.message) == "stop" and _cites_a_run(outcome, brief):
            return []  # nothing is left to stop: the answer tells how it ended
        case _:
            return [f"Nothing is known that “{brief.reference.phrase}” could mean. Ask which record or run is meant."]


def _cites_a_run(outcome: WireAnswer, brief: ContextBrief) -> bool:
    items = citable_items(brief)
    return any(key in items and items[key].kind == "run" for key in outcome.citations)


def _absent_faults(outcome: WireOutcome) -> list[str]:
    match outcome:
        case WireAnswer(unresolved=unresolved) if named_gaps(unresolved):
            return []
        case WireAnswer():
            return ["The record the message points at is not available. Say so and name it in `unresolved`."]
        case WireControlRun() | WireClarify() | WireDelegate():
            return ["The record the message points at is not available. Answer that, with `unresolved`."]
