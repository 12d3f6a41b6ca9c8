"""A question read again where nothing answered it as typed: without its stray clauses, its slips of the pen undone."""

import re
from collections.abc import Collection, Iterator

from agencycore.ai.builtin.language import WORD, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.stop_words import STOP_WORDS
from agencycore.ai.types import ContextBrief

# Shorter words have too many neighbours.
SHORTEST_WORD = 4
_CLAUSE = re.compile(r"(?<=[?!.;])\s+")
_QUESTION = re.compile(
    r"^(?:what|who|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|may|should)\b", re.I
)


def rereadings(question: Question, brief: ContextBrief) -> Iterator[Question]:
    clauses = [clause for clause in _CLAUSE.split(question.text) if clause.strip()]
    for clause in clauses if len(clauses) > 1 else ():
        part = Question(clause, question.about)
        if _QUESTION.match(clause.strip()) and part.terms:
            yield part
    corrected = _corrected(question.text, brief)
    if corrected != question.text:
        yield Question(corrected, question.about)
    if question.asks_overview and question.topic:
        yield Question(f"What is {question.topic}?", question.about)


def with_topic_corrected(question: Question, brief: ContextBrief) -> Question:
    """“What is the opportunity score?” for one with a slip in it: its topic is a title of the pages.

    As typed it would find a sentence about the rest of it. A name is left as it is.
    """
    if not question.asks_definition or question.names:
        return question
    titled = {word for item in brief.of("knowledge") for word in words(f"{item.label} {item.position}")}
    titles = {word for word in titled if len(word) > SHORTEST_WORD}  # “What is a dean?” is not about deals
    return Question(_corrected(question.text, brief, titles), question.about)


def _corrected(text: str, brief: ContextBrief, meant_words: Collection[str] | None = None) -> str:
    """Each word that stands nowhere in the evidence as the only evidence word that is one slip away.

    "Owner's" is no slip of "owners".
    """
    known = {word for item in brief.evidence for word in words(f"{item.label} {item.position} {item.text}")}
    near = sorted(word for word in meant_words or known if len(word) >= SHORTEST_WORD)

    def replaced(match: re.Match[str]) -> str:
        word = match.group().lower()
        if word in known or word in STOP_WORDS or not word.isalpha():
            return match.group()
        if (small := _swapped(word)) or len(word) < SHORTEST_WORD:
            return small or match.group()
        meant = [other for other in near if _is_one_slip(word, other)]
        return meant[0] if meant else match.group()

    return WORD.sub(replaced, text)


def _swapped(word: str) -> str:
    """ "the" of “teh”: the small word whose letters changed places, or ""."""
    return next((small for small in sorted(STOP_WORDS) if len(small) > 2 and _is_transposed(word, small)), "")


def _is_transposed(word: str, other: str) -> bool:
    return sorted(word) == sorted(other) and word != other and _is_one_slip(word, other)


def _is_one_slip(word: str, other: str) -> bool:
    """Whether one letter is missing, added, wrong, or two neighbours changed places."""
    if word[0] != other[0] or abs(len(word) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    left, right = word[start:], other[start:]
    is_swapped = left[:2] == right[1::-1] and left[2:] == right[2:]
    return is_swapped or left[1:] == right or left == right[1:] or left[1:] == right[1:]
