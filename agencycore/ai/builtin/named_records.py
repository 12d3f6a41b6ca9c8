"""The record that a question names, read off the place where a name stands: “who owns halden?”, “halden's stage”.

Capitals tell a name wherever it stands; people who type in lower case tell it by what they ask about it.
"""

import re

from agencycore.ai.builtin.language import stem, words
from agencycore.ai.stop_words import STOP_WORDS

LONGEST_NAME = 4

_NAME = r"(?P<name>[^?!;:,]+?)"
_END = r"(?:\s+(?:now|today|currently|again|please|these days|at the moment|at present|yet|anyway))*\s*(?:[?!.,;:]|$)"
_FIELD = (
    r"(?:(?:current|main|next|last|latest) )?(?:owner|account (?:owner|manager)|lifecycle stage|stage|status|industry|"
    r"country|domain|website|icp match|(?:opportunity )?score|close date|contacts?|activity|deals?)"
)
_STATE = (
    r"(?:(?:an? |one of our |our )?(?:customer|client|lead|prospect|opportunity)|disqualified|won|lost|approved|"
    r"rejected|promoted)"
)
_FRAMES = tuple(
    re.compile(frame + _END)
    for frame in (
        rf"\bwho (?:is it that )?(?:owns|owned) {_NAME}",
        rf"\b(?:who|what|which|when|where)(?:'s| is| are| was| were) (?:the |our )?{_FIELD} (?:of|for|at|with) {_NAME}",
        rf"\b(?:who|what|which|when|where)(?:'s| is| are| was| were) {_NAME}(?:'s|s') {_FIELD}",
        rf"\b(?:what|which) {_FIELD} (?:is|does|has) {_NAME}(?: (?:in|at|have|now in))?",
        rf"\b(?:is|was) {_NAME} (?:still |already |now |really )?{_STATE}(?: of ours)?",
        rf"\bwhy (?:is|was) {_NAME} (?:still |already |now )?{_STATE}",
        r"\bwhen (?:did|have) (?:we|i|you|any(?:one|body)|some(?:one|body)) (?:last )?(?:talk|speak|talked|spoken|meet|"
        rf"met|contact|contacted|call|called)(?: last)?(?: (?:to|with))? {_NAME}",
        rf"\bwhen was {_NAME} last (?:contacted|called|met)",
        rf"\b(?:last|latest|newest) (?:contact|activity|meeting|call) (?:with|of|at|on|for) {_NAME}",
        rf"\b(?:does|did) {_NAME} (?:match|fit|meet) (?:our|the|my|an?) (?:icp|ideal customer profile)",
        rf"\b(?:has|was) {_NAME} (?:already |ever )?(?:been )?(?:promoted|approved|rejected|disqualified|contacted)",
        rf"\bhow many (?:employees|people|deals|contacts) does {_NAME} have",
        rf"\bwhat do we (?:already )?know about {_NAME}",
    )
)
# “Who owns this company? And halden?”
_ELLIPSIS = re.compile(rf"[?!.]\s+(?:(?:and|or|what about|how about)\s+)+{_NAME}(?:'s)?{_END}")

_NAME_ALONE = re.compile(rf"(?:(?:and|or|what about|how about)\s+)+{_NAME}(?:'s)?\s*[?!.]*", re.IGNORECASE)

_THE = re.compile(r"^(?:the|our|an?)\s+")
_ARTICLES = frozenset({"a", "an", "the"})
_KIND_WORDS = """
company account customer client organisation organization firm business startup person contact prospect lead deal
opportunity record
"""
_KINDS = frozenset(stem(word) for word in _KIND_WORDS.split())
# What is no record's name, though a name could stand where they do.
_GENERAL_WORDS = """
people page data information document file note message chat conversation agencycore import export agent workflow
capability run task job activity meeting call search stage owner member user admin administrator team signal score icp
list report answer product software organization today yesterday everything nobody somebody everybody anybody he she
and won lost open closed approved rejected promoted new newest old oldest last latest next previous first second third
big bigger biggest large larger largest small smaller smallest high higher highest low lowest best worst main whole
entire average typical imported deleted archived merged
"""
_GENERAL = frozenset(stem(word) for word in _GENERAL_WORDS.split()) | _KINDS
# "Alder and Finch", "Bank of Cork".
_INSIDE_NAMES = frozenset({"and", "of"})


def named_record(text: str) -> str:
    """The name as it was typed, without an article and the word for its kind; "" where no place for one is filled."""
    typed = " ".join(text.replace("’", "'").split())
    lowered = typed.lower()
    if len(lowered) != len(typed):
        return ""
    frames = [match for frame in _FRAMES for match in frame.finditer(lowered)]
    goes_on = _ELLIPSIS.search(lowered)
    # What goes on from a question about a record names another one.
    found = [*([goes_on] if goes_on and _asks_of_record(lowered[: goes_on.start() + 1]) else []), *frames]
    names = (_name(typed[match.start("name") : match.end("name")]) for match in found)
    return next((name for name in names if name), "")


def named_alone(message: str) -> str:
    """ "halden" of “and halden?”, “what about halden”: a name and nothing else, that leaves out what is asked of it."""
    typed = " ".join(message.replace("’", "'").split())
    alone = _NAME_ALONE.fullmatch(typed)
    return _name(alone["name"]) if alone else ""


def _asks_of_record(lowered: str) -> bool:
    found = (match["name"] for frame in _FRAMES for match in frame.finditer(lowered))
    return any(slot not in _ARTICLES for slot in found)  # “what is a prospect?” has the look of “is X a prospect?”


def _name(slot: str) -> str:
    """What fills the place, if it can be a name."""
    article = _THE.match(slot.lower())
    parts = slot[article.end() :].split() if article else slot.split()
    is_kind_named = len(parts) > 1 and stem(parts[-1].lower()) in _KINDS and not parts[-1].lower().endswith("s")
    parts = parts[:-1] if is_kind_named else parts
    if not 0 < len(parts) <= LONGEST_NAME or (article and not is_kind_named):
        return ""
    said = [word for part in parts for word in words(part)]
    telling = [word for word in said if word not in _INSIDE_NAMES]
    is_general = not telling or any(word in STOP_WORDS for word in telling) or stem(telling[-1]) in _GENERAL
    return "" if is_general or stem(telling[0]) in _GENERAL else " ".join(parts)
