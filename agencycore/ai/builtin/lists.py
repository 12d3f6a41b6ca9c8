"""What the chat does not do with records: list them, count them, change them."""

import re

from agencycore.ai.builtin.language import stem, stems
from agencycore.ai.builtin.questions import Question

_NOUNS = {"company": "companies", "account": "companies", "customer": "companies", "client": "companies"} | {
    "person": "people", "people": "people", "contact": "people", "prospect": "prospects", "lead": "prospects",
    "deal": "deals", "opportunity": "opportunities",
}  # fmt: skip
_PAGES = {stem(noun): page for noun, page in _NOUNS.items()}
_WORDS = r"(?:[\w-]+ ){0,2}?"
_PLURAL = r"(companies|accounts|customers|clients|people|persons|contacts|prospects|leads|deals|opportunities)"
_ASKED = (
    re.compile(
        rf"^(?:how many|which|what) (?:of )?(?:the |my |our )?{_WORDS}{_PLURAL}\b.*"
        r"\b(?:we|i|my|our|are in|are there|is in|belong|match|close|have no|without)\b"
    ),
    re.compile(
        rf"^(?:please )?(?:list|show(?: me)?|count|give me)(?: all| every)?(?: the| my| our| of)* ?{_WORDS}{_PLURAL}\b"
    ),
    re.compile(rf"^what are (?:all )?(?:my|our) {_WORDS}{_PLURAL}\b"),
    re.compile(rf"^(?:do|are there|have) (?:we |i )?(?:have |got )?(?:any|many|some) {_WORDS}{_PLURAL}\b"),
    # How many were so, in a time.
    re.compile(
        rf"^(?:how many|which|what) {_PLURAL} (?:were|have been|got|came|did|was|closed|won|lost)\b.*"
        r"\b(?:today|yesterday|(?:this|last|past) \w+|ago|since|so far|in \d{4})\b"
    ),
    # Which are about to be so: "Which deals are closing this month?"
    re.compile(
        rf"^(?:how many|which|what) {_PLURAL} (?:are|will)(?: be)? (?:\w+ )?(?:\w+ing|due|expected|close|won|lost)\b.*"
        r"\b(?:today|tomorrow|soon|now|next|(?:this|next|coming) (?:week|month|quarter|year)|in \w+)\b"
    ),
    # Which of the companies, by what every record of the CRM holds.
    re.compile(
        rf"^(?:which|what) {_PLURAL} (?:are|is) (?:\w+ )?(?:customers?|clients?|leads?|prospects?|open|won|lost|"
        r"churned|disqualified|approved|rejected|mine|ours)\b"
    ),
)
# "How many deals can a company have?" asks about the product.
_GENERAL = re.compile(r"\b(?:can|may|could|should|at once|at most|maximum|mean|limit|stages?|columns?|fields?)\b")


def asked_list(question: Question) -> str:
    """The name of the page that lists what is asked for, or ""."""
    if _GENERAL.search(question.lowered):
        return ""
    match = next((found for pattern in _ASKED if (found := pattern.match(question.lowered))), None)
    return _PAGES.get(stem(match.group(1)), "") if match else ""


_CHANGE = re.compile(
    r"^(?:please |can you |could you )*(?:(?:delete|remove|rename|update|edit|mark|assign|reassign|merge|set|change)\b|"
    r"(?:create|add|make|move) (?:a |an |the |new |another |this )*"
    r"(?:company|person|contact|prospect|lead|deal|opportunity|record|note|task|activity|customer|account)\b)",
    re.IGNORECASE,
)
_OTHER_THINGS = re.compile(
    r"\b(?:agents?|workflows?|automations?|capabilit\w+|runs?|steps?|schedules?|prompts?|instructions?|chats?|"
    r"conversations?|answer|reply|search|passwords?|log-?ins?|tokens?|"
    r"(?:my|our) (?:own )?(?:account|user|profile|name|e-?mail|organi[sz]ation))\b",
    re.IGNORECASE,
)
_RECORD_STEMS = frozenset(
    stems("customer client account owner owns own stage deal prospect lead contact signal score industry country email")
)


def changes_record(message: str) -> bool:
    """Whether the message asks for a record to be made, changed or deleted."""
    return bool(_CHANGE.match(message.strip())) and not _OTHER_THINGS.search(message)


def speaks_of_record(question: Question) -> bool:
    """Whether the question has a word for what only a record says: whose it is, how it stands."""
    return bool(_RECORD_STEMS & set(stems(question.text)))
