"""What a run is started for: the person's own words and the records they point at, put in by code."""

import re

from agencycore.ai.types import ContextBrief
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


def goal_of(brief: ContextBrief) -> str:
    return clean_characters(_goal(brief))


def _goal(brief: ContextBrief) -> str:
    """The message verbatim; with the request it completes, where it answers a question or an offer of ours."""
    pending = pending_clarify(brief)
    if pending and (original := original_request(pending)):
        return f"{original}\n\n{brief.message}"
    offer = open_offer(brief)
    if offer and _CONSENT.match(brief.message):
        return offer
    if len(brief.message) <= SHORT_REPLY_CHARACTERS and brief.message in brief.query:
        return brief.query
    return brief.message


def refs_of(brief: ContextBrief) -> list[dict[str, str]]:
    """The records the message resolved to; of several after a question, the likeliest."""
    match brief.reference.status:
        case "resolved":
            refs = brief.reference.refs
        case "ambiguous":
            refs = brief.reference.refs[:1]
        case _:
            refs = ()
    return [ref.as_json() for ref in refs]
