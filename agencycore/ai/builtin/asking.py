"""One focused question back, where the message could mean several things or points at nothing."""

import re
from collections.abc import Sequence

from agencycore.ai.builtin import speech
from agencycore.ai.builtin.replies import answer, clarify
from agencycore.ai.types import ContextBrief, Reference
from agencycore.ai.wire import WireOutcome
from agencycore.refs import ResourceRef

MAX_OPTIONS = 8
_POINTER = re.compile(
    r"^(?:this|that|these|those|both|all|the|my|our|its|their|his|her|same|current|said)\s+", re.IGNORECASE
)
_OF_SEVERAL = re.compile(r"\b(?:both|them|these|those|two|their)\b")
_NOUN = re.compile(r"^[a-z][a-z ]{1,30}$")
_PRONOUNS = "it its this that they them their theirs these those he she him her his hers both one ones which"
_NO_NOUNS = frozenset(_PRONOUNS.split())


def ask_about_reference(brief: ContextBrief, *, may_ask: bool) -> WireOutcome | None:
    """What the reference's status demands: a question back, or word that the record is not there."""
    reference = brief.reference
    if reference.status == "absent":
        return speech.record_absent(reference.phrase)
    if reference.status not in ("ambiguous", "missing") or not may_ask:
        return None
    return clarify(_question(reference), reference.refs[:MAX_OPTIONS])


def ask_which(refs: Sequence[ResourceRef], noun: str) -> WireOutcome:
    return clarify(f"Which {noun} do you mean?", refs[:MAX_OPTIONS])


def ask_to_pick(phrase: str) -> WireOutcome:
    """The record is named and not at hand; the composer's @ finds it."""
    named = f"“{phrase}” is not among the records in this conversation. " if phrase else ""
    return clarify(f"{named}Which record do you mean? Open it, or pick it with @ in the message box.")


def still_unclear(brief: ContextBrief) -> WireOutcome:
    """No question follows a question: what is missing is said instead."""
    phrase = brief.reference.phrase
    named = f" by “{phrase}”" if phrase else ""
    return answer(
        f"I still cannot tell which record you mean{named}. Open it, or pick it with @ in the message box.",
        unresolved=["Which record the message is about"],
    )


def _question(reference: Reference) -> str:
    noun = noun_of(reference)
    if len(reference.refs) == 1 and _OF_SEVERAL.search(reference.phrase):
        told, kind = reference.refs[0].label, reference.refs[0].kind.replace("_", " ")
        return (
            f"“{reference.phrase}” means more than one {kind}, and only {told} was spoken of here. "
            f"Which other {kind} do you mean? Open it, or pick it with @ in the message box."
        )
    if reference.refs:
        return f"Which {noun} do you mean?"
    return f"Which {noun} do you mean? Open it, or pick it with @ in the message box."


def noun_of(reference: Reference) -> str:
    """ "company" for “this company”; the candidates' kind where the phrase names none."""
    noun = _POINTER.sub("", reference.phrase.strip().lower())
    if _NOUN.match(noun) and noun.split()[-1] not in _NO_NOUNS and len(noun.split()) <= 3:
        return noun
    kinds = {ref.kind.replace("_", " ") for ref in reference.refs}
    return kinds.pop() if len(kinds) == 1 else "record"
