"""What stays open, in the person's own words: the message's, or those of the question that it goes on from."""

import re

from agencycore.ai.builtin.history import said
from agencycore.ai.builtin.language import words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.types import ContextBrief
from agencycore.chat_words import CHAT_WORDS

_FIRST_WORD = re.compile(r"^\W*([^\W_]+(?:['’][^\W_]+)?)[\s,.!:;…–-]+(?=\S)")
_JOINTS = frozenset({"and", "but", "so", "then", "also", "thank"})


def as_said(question: Question, brief: ContextBrief) -> Question:
    """``question`` as the person put it; one that the search made whole is never told to them."""
    if question.text != brief.query or brief.query == brief.message:
        return question
    own = Question(without_courtesy(brief.message), question.about)
    if own.terms:
        return own
    return next((asked for asked in _gone_on_from(question, brief) if asked.terms), own)


def without_courtesy(text: str) -> str:
    """ "the second one" of “thanks! the second one”; ``text`` where nothing else is left."""
    rest = text
    while (first := _FIRST_WORD.match(rest)) and first.group(1).lower() in CHAT_WORDS | _JOINTS:
        rest = rest[first.end() :]
    return rest if words(rest) else text


def _gone_on_from(question: Question, brief: ContextBrief) -> list[Question]:
    """The messages before this one that the query holds, newest first."""
    query = " ".join(question.text.lower().split())
    held = [text for text in said(brief, "user") if " ".join(text.lower().split()) in query]
    return [Question(without_courtesy(text), question.about) for text in reversed(held)]
