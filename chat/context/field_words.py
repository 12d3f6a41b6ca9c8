"""Whether a message asks for facts of a record without naming it: "last contact?", "which deals are open?"."""

import re

from agencycore.ai.asked import of_named
from agencycore.refs import Projection
from chat.context.pointing import plain
from knowledge.languages import stem, stop_words

ENGLISH = "english"
WORDS_AT_MOST = 6
# What is asked of the product: "what is a deal stage?", "how do I change the owner?".
_GENERAL = re.compile(
    r"(?:and |but |so )?(?:(?:what|who|whats|why|where|when) (?:is|are|does|do|can|may|should|means?)\b|"
    r"how\b|define\b|explain\b|is there\b|can\b|could\b|may\b|do\b|does\b|are there\b|which kinds?\b|.*\bmeans?\b)"
)
_WORD = re.compile(r"[^\W_]+")


def asks_for_fields(message: str, record: Projection) -> bool:
    """Whether every word that says something is in the record's own field names or the words people use for them."""
    text = plain(message)
    words = _WORD.findall(text)
    if len(words) > WORDS_AT_MOST or _GENERAL.match(text):
        return False
    told = _stems(" ".join(words))
    return bool(told) and told <= _stems(" ".join(_named(record)))


def asks_of_field(message: str, record: Projection) -> bool:
    """Whether the message asks something of what a field of the record names: "what is the owner's phone number?"."""
    asked = of_named(message)
    return asked is not None and _stems(asked[0]) in [_stems(field.name) for field in record.fields]


def _named(record: Projection) -> list[str]:
    return [word for field in record.fields for word in (field.name, *field.question_words)]


def _stems(text: str) -> set[str]:
    return {stem(word, ENGLISH) for word in _WORD.findall(text.lower()) if word not in stop_words(ENGLISH)}
