"""English as far as matching needs it: words, stems, sentences, dates."""

import datetime
import re
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

from agencycore.ai.stop_words import STOP_WORDS

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?", re.UNICODE)
# A full stop ends a sentence when a space and the start of another follow; not after an initial or an abbreviation.
SENTENCE_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“(\[]?[A-Z0-9À-Þ])|(?<=[。！？])(?=\S)")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|Mr|Mrs|Ms|Dr|Prof|St|No|Inc|Ltd|Co|Corp)|\b[A-Z])\.$")

_stemmer = snowballstemmer.stemmer("english")


def words(text: str) -> list[str]:
    return [word.replace("’", "'") for word in WORD.findall(text.lower())]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    return str(_stemmer.stemWord(word.removesuffix("'s")))


@lru_cache(maxsize=1)
def stop_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in STOP_WORDS)


def stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, each once."""
    return list(dict.fromkeys(stem(word) for word in words(text) if word not in STOP_WORDS))


def sentences(text: str) -> list[str]:
    """The sentences of one paragraph."""
    found: list[str] = []
    for part in SENTENCE_END.split(" ".join(text.split())):
        if found and ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return [sentence.strip() for sentence in found if sentence.strip()]


def human_date(date: datetime.date) -> str:
    """``3 March 2026``."""
    return f"{date.day} {date:%B %Y}"


def listed(parts: Iterable[str], joint: str = "and") -> str:
    """``a, b and c``."""
    *head, last = list(parts) or [""]
    return f"{', '.join(head)} {joint} {last}" if head else last


def shortened(text: str, length: int) -> str:
    """``text`` on one line, cut at a word where it is longer than ``length``."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    return line[: line.rfind(" ", 0, length) if " " in line[:length] else length].rstrip(",;:") + "…"
