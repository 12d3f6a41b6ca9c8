"""The languages search knows: their stemmers, their stop words, and which one a text is in.

The stop-word lists are those of the Snowball project (BSD licence), as PostgreSQL ships them.
"""

import re
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

import snowballstemmer

SIMPLE = "simple"
STOP_WORD_FOLDER = Path(__file__).parent / "stopwords"
# ISO 639-1 to the Snowball name.
LANGUAGE_CODES: Mapping[str, str] = {
    "da": "danish",
    "nl": "dutch",
    "en": "english",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "es": "spanish",
    "sv": "swedish",
    "tr": "turkish",
}
STEMMED_LANGUAGES = tuple(sorted(set(LANGUAGE_CODES.values())))
LANGUAGES = (*STEMMED_LANGUAGES, SIMPLE)

# A text's opening decides; this many words are plenty to tell.
DETECTION_WORDS = 2_000
# Of running text in any of the languages, more than a third are stop words; tables have few.
MINIMUM_STOP_WORD_SHARE = 0.08

_WORD = re.compile(r"[^\W\d_]+")
_stemmers = threading.local()


@cache
def stop_words(language: str) -> frozenset[str]:
    if language == SIMPLE:
        return frozenset()
    return frozenset((STOP_WORD_FOLDER / f"{language}.txt").read_text(encoding="utf-8").split())


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a case-folded ``word``; the word itself where the language has no stemmer."""
    if language == SIMPLE:
        return word
    return str(_stemmer(language).stemWord(word))


def _stemmer(language: str) -> "snowballstemmer.stemmer":
    # A stemmer keeps the word it works on in itself: one per thread.
    stemmer = getattr(_stemmers, language, None)
    if stemmer is None:
        stemmer = snowballstemmer.stemmer(language)
        setattr(_stemmers, language, stemmer)
    return stemmer


def language_of_code(code: str) -> str | None:
    """The language of a tag like ``en-GB``; None for one search has no stemmer for."""
    return LANGUAGE_CODES.get(re.split(r"[-_]", code.strip().lower())[0])


def detect_language(text: str) -> str:
    """The language whose stop words are most frequent in ``text``; ``simple`` where none stands out."""
    words = [match.group().casefold() for match, _ in zip(_WORD.finditer(text), range(DETECTION_WORDS), strict=False)]
    if not words:
        return SIMPLE
    hits = {language: sum(word in stop_words(language) for word in words) for language in STEMMED_LANGUAGES}
    best = max(STEMMED_LANGUAGES, key=lambda language: hits[language])
    return best if hits[best] / len(words) >= MINIMUM_STOP_WORD_SHARE else SIMPLE
