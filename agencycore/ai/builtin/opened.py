"""The record that the person has open: a question in its fields' words is about it, though no word points at it."""

import re

from agencycore.ai.builtin.events import answer_about_event
from agencycore.ai.builtin.language import content_stems, stem, stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import answer_from_records, carried, families_of
from agencycore.ai.builtin.replies import Found
from agencycore.ai.types import BriefItem, ContextBrief

# So much of what is asked has to be about fields of the record.
CARRIED = 0.75
# So few words are the name of what is asked for: "last contact?".
FRAGMENT_WORDS = 3

_OPENING = r"^(?:and |but |so |ok |okay |please |hi |hello |hey )*"
_GENERAL = re.compile(
    _OPENING + r"(?:what(?:'s| is| are| does| do)|whats|define|explain) (?:an?|the (?:meaning|definition))\b|"
    + _OPENING + r"(?:how|where|when|why|can|could|may|should|must|what) (?:(?:do|can|could|should|would|must|may|does)"
    r" )?(?:i|you|one|someone|somebody|anyone|anybody|members?|people|users?)\b|"
    r"\bhow to\b|\b(?:mean|means|meant|meaning|definition|defined|calculated|computed|difference|differ|work|works|"
    r"kinds? of|types? of|in general|usually|normally)\b"
)  # fmt: skip
_BARE = re.compile(
    _OPENING + r"(?:what(?:'s| is| are)|whats|define|explain) (?!the\b|this\b|that\b|its\b|their\b|our\b)"
)
_ASKS = re.compile(
    _OPENING
    + r"(?:what|whats|what's|who|who's|whose|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|"
    r"any|list|show|tell|give)\b"
)
# Kinds of field of which a record may have several; the plural of any other asks about the kind itself.
_SEVERAL = frozenset(stems("signals deals activities changes contacts evidence people news details notes employees"))
_POINTING = frozenset(stems("company account customer prospect deal opportunity person contact record lead"))
_EMPTY = frozenset(
    stems(
        "strongest highest best main biggest latest last recent current new open there left else now number date many"
    )
)


def open_records(brief: ContextBrief) -> list[BriefItem]:
    """The page's record or what was sent along, told in full."""
    return [item for item in brief.of("application") if item.payload.get("is_open") and item.fields]


def _only_told(brief: ContextBrief) -> list[BriefItem]:
    """The one record that the conversation is about: "last contact?" asks about it."""
    told = [item for item in brief.of("application") if item.fields and item.payload.get("form") != "line"]
    return told if len(told) == 1 else []


def answer_from_open_record(question: Question, brief: ContextBrief) -> Found | None:
    """What the open record says, where the question is in the words of its fields and no general one."""
    is_fragment = len(words(question.text)) <= FRAGMENT_WORDS
    items = open_records(brief) or (_only_told(brief) if is_fragment else [])
    asks = is_fragment or _ASKS.match(question.lowered)
    if brief.reference.status != "not_needed" or not items or not asks:
        return None
    item = next((item for item in items if _is_about(question, item)), None)
    if item is None:
        return None
    named = Question(question.text, (*question.about, item.label))
    return answer_about_event(named, item) or answer_from_records(named, [item])


def _is_about(question: Question, item: BriefItem) -> bool:
    if _is_general(question, item) or not _names_only(question, item):
        return False
    own = set(stems(item.kind.replace("_", " "))) | set(content_stems(item.label))
    terms = [term for term in question.terms if term not in own]
    telling = [term for term in terms if term not in _EMPTY] or terms
    return carried(telling, item) >= CARRIED


def _names_only(question: Question, item: BriefItem) -> bool:
    """Whether every name in the question stands in the record; a question about another company is not about it."""
    told = f"{item.label} {' '.join(f'{field.name} {field.value}' for field in item.fields)}".lower()
    return all(name.lower() in told for name in question.names)


def _is_general(question: Question, item: BriefItem) -> bool:
    """“What is a signal?”, “What is lifecycle stage?”, “Which stages are there?”, “How do I …?”."""
    if _GENERAL.search(question.lowered):
        return True
    families = families_of(item)
    names = {part for family in families for part in stems(family.name)}
    if opening := _BARE.match(question.lowered):
        first = words(question.lowered[opening.end() :])[:1]
        if first and stem(first[0]) in names:
            return True
    return any(
        word.endswith("s") and stem(word) != word and stem(word) in names and stem(word) not in _SEVERAL | _POINTING
        for word in words(question.lowered)
        if word not in {part.lower() for family in families for part in words(family.name)}
    )
