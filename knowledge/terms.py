"""From text to terms: what a chunk's lexical vector holds, and what a question asks for.

A term is a number made of language and stem, so that words of two languages are never confused.
The vector of a chunk holds, per term, the part of Okapi BM25 that does not depend on the question:
tf·(k1+1) / (tf + k1·(1 − b + b·length/average)). The average length is frozen: a growing corpus
must not change stored rows.
"""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from knowledge.languages import LANGUAGES, stem, stop_words

# pgvector's sparsevec takes up to 1e9 dimensions; its indices count from 1.
TERM_DIMENSIONS = 536_870_912
K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 110
# A row of chunk_index has to fit an 8 kB page, as it is stored plain.
MAX_TERMS = 800
MAX_QUESTION_WORDS = 64

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CJK = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯豈-﫿]+")


@dataclass(frozen=True, slots=True)
class AskedWord:
    """One word of a question: the terms it may be in a document, by language, and where it is a stop word."""

    text: str
    terms: Mapping[str, int]
    stop_word_in: frozenset[str]


def term_id(term: str, language: str) -> int:
    """1 … TERM_DIMENSIONS − 1. The empty term of a language stands in every chunk of it."""
    return zlib.crc32(f"{language}:{term}".encode()) % (TERM_DIMENSIONS - 1) + 1


def words(text: str) -> Iterator[str]:
    """Case-folded words; runs of Chinese, Japanese or Korean script as overlapping pairs."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    for match in _TOKEN.finditer(folded):
        yield from _split_scripts(match.group().removesuffix("'s"))


def _split_scripts(token: str) -> Iterator[str]:
    start = 0
    for match in _CJK.finditer(token):
        if match.start() > start:
            yield token[start : match.start()]
        run = match.group()
        yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))
        start = match.end()
    if start < len(token):
        yield token[start:]


def weigh_terms(text: str, language: str) -> dict[int, float]:
    """A chunk's lexical vector, the language's empty term not included."""
    stops = stop_words(language)
    counts = Counter(term_id(stem(word, language), language) for word in words(text) if word not in stops)
    length = counts.total()
    scale = K1 * (1 - B + B * length / AVERAGE_LENGTH)
    return {term: tf * (K1 + 1) / (tf + scale) for term, tf in counts.most_common(MAX_TERMS)}


def ask_words(question: str, languages: Collection[str] = LANGUAGES) -> list[AskedWord]:
    """The distinct words of ``question`` in order, each asked for in every language where it means something."""
    return [_asked(word, languages) for word in list(dict.fromkeys(words(question)))[:MAX_QUESTION_WORDS]]


def _asked(word: str, languages: Collection[str]) -> AskedWord:
    stops = frozenset(language for language in languages if word in stop_words(language))
    terms = {language: term_id(stem(word, language), language) for language in languages if language not in stops}
    return AskedWord(word, terms, stops)


def sparse_literal(weights: Mapping[int, float]) -> str:
    """The text form of a sparsevec."""
    entries = ",".join(f"{term}:{weights[term]:.5g}" for term in sorted(weights))
    return f"{{{entries}}}/{TERM_DIMENSIONS}"


def dense_literal(vector: Sequence[float]) -> str:
    """The text form of a vector or halfvec."""
    return "[" + ",".join(f"{value:.5g}" for value in vector) + "]"


def int_array_literal(numbers: Iterable[int]) -> str:
    """The text form of an int[]; the driver takes ten times as long for a list."""
    return "{" + ",".join(map(str, numbers)) + "}"
