"""Forms of a reply that quoting cannot give: another language, tone, length or layout. It is said, nothing repeated."""

import re

from agencycore.ai.builtin.replies import answer
from agencycore.ai.wire import WireAnswer
from agencycore.chat_words import OTHER_LANGUAGES

# How what is said of such a form begins.
OWN_WORDS = "I tell what your sources say in their own words"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "translate",
        re.compile(rf"\btranslat\w*\b(?!.*\benglish\b)|\b(?:in|into|to) (?:{OTHER_LANGUAGES})\b|\bother language\b"),
    ),
    (
        "change the tone of what I said",
        re.compile(r"\bmore (?:formal|casual|friendly|polite|professional|persuasive|cheerful)(?:ly)?\b"),
    ),
    (
        "write at greater length than my sources",
        re.compile(r"\b(?:longer|more (?:detailed|elaborate)|lengthen|expand)\b"),
    ),
    ("draw a table", re.compile(r"\btable\b")),
)
# Asked for in words of its own, so that it is no request about something else.
_OF_A_REPLY = re.compile(
    r"^(?:(?:ok|okay|please|and|now|then|(?:can|could|would|will) you)[\s,]+)*(?:please )?"
    r"(?:translate|say|put|write|repeat|rewrite|rephrase|explain|give me|show me|answer|make|tell me)(?: me)? "
    r"(?:it|that|this|(?:your|the) (?:last )?(?:answer|reply|response|message))(?: again)?"
    r"(?: (?:please|in|into|to|as|more|longer)\b.{0,40})?$"
)


def unable_to(message: str) -> WireAnswer | None:
    """What is said where the message wants the last reply in a form that it cannot be given; None for any other."""
    lowered = " ".join(message.lower().split())
    wanted = next((form for form, pattern in _FORMS if pattern.search(lowered)), None)
    if wanted is None:
        return None
    return answer(
        f"{OWN_WORDS}, so I cannot {wanted}. I can repeat my last reply, shorten it, put it in points, or say what it "
        "is based on.",
        unresolved=[f"I cannot {wanted}"],
    )


def asks_of_reply(message: str) -> bool:
    """Whether the message wants a reply in another form, also where there is none yet."""
    return _OF_A_REPLY.match(" ".join(message.lower().split()).strip(" .!?")) is not None
