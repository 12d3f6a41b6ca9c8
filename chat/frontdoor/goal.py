"""What a run is started for: the person's own words and the records they point at, put in by code."""

import re

from agencycore.ai.builtin.going_on import earlier_request, goes_on, repeated_run
from agencycore.ai.builtin.runs import goal_of as run_goal
from agencycore.ai.types import BriefItem, ContextBrief
from chat.context.history import refs_of as sent_refs
from chat.frontdoor.characters import clean_characters
from chat.frontdoor.facts import open_offer, original_request, pending_clarify

GOAL = "goal"
REFS = "refs"
# Longer messages say what they want themselves.
SHORT_REPLY_CHARACTERS = 60
_CONSENT = re.compile(
    r"\W*(?:(?:yes|yep|yeah|sure|ok(?:ay)?|please|do it|do that|go ahead|go for it|sounds good|ja|oui|s[ií]|sim|gerne|"
    r"please do|yes please)\b[\s,.!]*)+(?:do (?:it|that)|go ahead|please|thanks|thank you|\W)*$",
    re.IGNORECASE,
)


def goal_of(brief: ContextBrief, capability: str) -> str:
    """``capability`` is its name, by which a run of it that is to be started again is known."""
    return clean_characters(_goal(brief, capability))


def _goal(brief: ContextBrief, capability: str) -> str:
    """The message verbatim; after the request that it completes or changes, where it says too little alone.

    An offer that is taken up, or a run that is to be started again, has its goal already.
    """
    pending = pending_clarify(brief)
    if pending and (original := original_request(pending)):
        return f"{original}\n\n{brief.message}"
    offer = open_offer(brief)
    if offer and _CONSENT.match(brief.message):
        return offer
    if (repeated := repeated_run(brief, capability)) is not None:
        return run_goal(repeated) or brief.message
    if len(brief.message) <= SHORT_REPLY_CHARACTERS and goes_on(brief) and (request := earlier_request(brief)):
        return f"{request}\n\n{brief.message}"
    return brief.message


def refs_of(brief: ContextBrief, capability: str) -> list[dict[str, str]]:
    """The records the message resolved to; of several after a question, the likeliest. A repeated run keeps its own.

    "For it" right after a handoff means the records that the run was started for; "this run" means the run.
    """
    if (repeated := repeated_run(brief, capability)) is not None:
        return _refs_of_run(repeated)
    match brief.reference.status:
        case "resolved":
            refs = brief.reference.refs
        case "ambiguous":
            refs = brief.reference.refs[:1]
        case _:
            refs = ()
    if not {"run", "runs"}.isdisjoint(brief.reference.phrase.lower().split()):
        return [ref.as_json() for ref in refs]
    runs = {item.id: item for item in brief.items if item.kind == "run"}
    found = [[ref.as_json()] if ref.kind != "run" else _refs_of_run(runs.get(ref.id)) for ref in refs]
    return [ref for of_one in found for ref in of_one]


def _refs_of_run(run: BriefItem | None) -> list[dict[str, str]]:
    stored = run.payload.get("refs") if run is not None else None
    return [ref.as_json() for ref in sent_refs(stored if isinstance(stored, list) else ())]
