"""A question worded again, where nothing was found for it as typed: slips of the pen undone, stray words left out.

Words are known by their terms alone, so that no list of an organization's words has to be kept: each word
one slip away is looked up as if it had been asked for.
"""

import math
import re
import string
import uuid
from collections.abc import Collection, Iterator, Mapping

from django.db import connection

from agencycore.chat_words import CHAT_WORDS
from knowledge.languages import stop_words
from knowledge.terms import AskedWord, ask_words, int_array_literal

# Shorter words have too many neighbours, longer ones too many ways to go wrong.
SHORTEST, LONGEST = 4, 24
MAX_RESPELLED = 4
# Each form of a word is stemmed in each language, at some 25 µs; a message of nothing but long words has many.
MAX_FORMS = 3_000
ENGLISH = "english"
_CLAUSE = re.compile(r"(?<=[?!.;:,])\s+|\s+[-–—]\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_KNOWN_SQL = """
SELECT term, sum(df) FROM term_stats
WHERE (organization_id = %(organization)s OR organization_id IS NULL) AND term = ANY(%(terms)s::int[]) GROUP BY term
"""


def reworded(
    query: str, *, unknown: Collection[str], languages: Collection[str], organization_id: uuid.UUID
) -> str | None:
    """What may have been meant by ``query``, in which the ``unknown`` words stand in no passage; None where nothing.

    ``languages`` are those that passages are in. At most one statement, inside the caller's tenant transaction.
    """
    near = _near(unknown, languages)
    meant = _look_up(near, organization_id) if near else {}
    stray = {word for word in unknown if word not in meant}
    clauses = [clause for clause in _CLAUSE.split(query) if clause.strip()]
    kept = [_without(clause, meant, stray) for clause in clauses if len(clauses) == 1 or _is_of_use(clause, stray)]
    text = " ".join(" ".join(kept).split())
    return text if text and text != " ".join(query.split()) else None


def one_slip_away(word: str) -> Iterator[str]:
    """What ``word`` may have been: a letter too few or too many, a wrong one, two that changed places.

    The first letter is taken to be right: it nearly always is.
    """
    letters = string.ascii_lowercase
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in letters if letter != after[0])
        yield from (before + letter + after for letter in letters)


def _may_be_a_slip(word: str) -> bool:
    return SHORTEST <= len(word) <= LONGEST and word.isalpha() and word.isascii() and word not in CHAT_WORDS


def _near(unknown: Collection[str], languages: Collection[str]) -> dict[str, list[AskedWord]]:
    """For the first words that may be slips, what they may have been; no more of them than can be stemmed in time."""
    near: dict[str, list[AskedWord]] = {}
    forms = 0
    for word in [word for word in unknown if _may_be_a_slip(word)][:MAX_RESPELLED]:
        texts = sorted(set(one_slip_away(word)))
        forms += len(texts) * len(languages)
        if forms > MAX_FORMS:
            break
        near[word] = [asked for text in texts for asked in ask_words(text, languages)]
    return near


def _look_up(near: Mapping[str, list[AskedWord]], organization_id: uuid.UUID) -> Mapping[str, str]:
    """For each word the most frequent one that is known."""
    terms = {term for words in near.values() for asked in words for term in asked.terms.values()}
    with connection.cursor() as cursor:
        cursor.execute(_KNOWN_SQL, {"organization": organization_id, "terms": int_array_literal(terms)})
        passages: dict[int, float] = {term: float(count) for term, count in cursor.fetchall()}
    meant = {}
    for word, words in near.items():
        frequency, text = max((_frequency(asked, passages), asked.text) for asked in words)
        if frequency:
            meant[word] = text
    return meant


def _frequency(asked: AskedWord, passages: Mapping[int, float]) -> float:
    """In how many passages the word stands; more than in any for one that stands everywhere."""
    if asked.text in stop_words(ENGLISH):
        return math.inf
    return max((passages.get(term, 0.0) for term in asked.terms.values()), default=0.0)


def _is_of_use(clause: str, stray: Collection[str]) -> bool:
    """Whether at least half of the clause's words that mean something are known."""
    told = [asked.text for asked in ask_words(clause) if not asked.stop_word_in and asked.text not in CHAT_WORDS]
    return bool(told) and 2 * sum(word in stray for word in told) < len(told)


def _without(clause: str, meant: Mapping[str, str], stray: Collection[str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        word = match.group()
        plain = word.casefold()
        if plain in meant:
            return meant[plain]
        return "" if plain in CHAT_WORDS and plain in stray else word

    return _WORD.sub(replaced, clause)
