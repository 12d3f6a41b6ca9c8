"""What search finds before anything is judged: the candidates of both arms, and the evidence about them."""

import math
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from knowledge.languages import LANGUAGES
from knowledge.models import chunk_url
from knowledge.relevance import Evidence
from knowledge.search_sql import ALL_SOURCES, CHOSEN_AND_PLATFORM, CHOSEN_SOURCES
from knowledge.terms import AskedWord, int_array_literal, term_id

ALL_LANGUAGES = int_array_literal(term_id("", language) for language in LANGUAGES)
SPARSE_TERM = re.compile(r"(\d+):")


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that may answer the question. ``score`` is 0 to 1, comparable inside one result.

    ``similarity`` is the cosine of question and passage, 0.0 where there is no vector. ``coverage`` is
    the share of the question's IDF mass whose words stand in the passage.
    """

    chunk_id: uuid.UUID
    source_id: uuid.UUID
    label: str
    position: str
    text: str
    score: float
    url: str
    is_platform: bool
    content_hash: str
    tokens: int
    similarity: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Question:
    """``vector`` is SQL text, None where it could not be had."""

    words: Sequence[AskedWord]
    vector: str | None
    embedder: str
    dense_weight: float


@dataclass(frozen=True, slots=True)
class Found:
    """Up to the asked-for number of hits of each arm, best first.

    ``unknown`` words stand in no passage; ``languages`` are those that passages are in.
    """

    hits: list[Hit]
    evidence: Evidence
    lacks_vectors: bool
    unknown: tuple[str, ...]
    languages: frozenset[str]


class _Row(NamedTuple):
    best_cosine: float | None
    lacks_vectors: bool
    chunks: int
    idf: Mapping[str, float] | None
    language_chunks: Mapping[str, float] | None
    chunk_id: uuid.UUID | None
    is_platform: bool
    cosine: float | None
    score: float
    lexical: str
    source_id: uuid.UUID
    ordinal: int
    position: str
    text: str
    tokens: int
    content_hash: str
    title: str


def find_candidates(
    question: Question,
    *,
    organization_id: uuid.UUID,
    limit: int,
    source_ids: Sequence[uuid.UUID] | None = None,
    with_platform: bool = False,
) -> Found:
    """One statement; see ``knowledge.search_sql``."""
    rows = _run(question, organization_id, limit, source_ids, _statement(source_ids, with_platform))
    summary = rows[0]
    masses = _masses(question.words, summary)
    # A chunk indexed for two embedders at once comes twice: its better score stands first.
    hits = list({row.chunk_id: _hit(row, masses) for row in reversed(rows) if row.chunk_id is not None}.values())
    hits.sort(key=lambda hit: (-hit.score, hit.chunk_id))
    unknown = tuple(mass.word for mass in masses if not mass.is_known)
    return Found(hits, _evidence(summary, hits, masses), summary.lacks_vectors, unknown, _languages(summary))


def _statement(source_ids: Sequence[uuid.UUID] | None, with_platform: bool) -> str:
    if source_ids is None:
        return ALL_SOURCES
    return CHOSEN_AND_PLATFORM if with_platform else CHOSEN_SOURCES


def _run(
    question: Question, organization_id: uuid.UUID, limit: int, source_ids: Sequence[uuid.UUID] | None, statement: str
) -> list[_Row]:
    languages = {term: language for word in question.words for language, term in word.terms.items()}
    parameters: dict[str, str | int | float | uuid.UUID | list[uuid.UUID] | None] = {
        "organization": organization_id,
        "terms": int_array_literal(languages),
        "languages": int_array_literal(term_id("", language) for language in languages.values()),
        "all_languages": ALL_LANGUAGES,
        "vector": question.vector,
        "embedder": question.embedder,
        "dense_weight": question.dense_weight if question.vector else 0.0,
        "limit": limit,
        "sources": list(source_ids or []),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [_Row(*row) for row in cursor.fetchall()]


def _languages(summary: _Row) -> frozenset[str]:
    held = summary.language_chunks or {}
    return frozenset(language for language in LANGUAGES if str(term_id("", language)) in held)


@dataclass(frozen=True, slots=True)
class _Mass:
    """One word of the question: its weight, and the terms that stand for it."""

    word: str
    idf: float
    terms: frozenset[int]
    is_known: bool


def _masses(words: Sequence[AskedWord], summary: _Row) -> list[_Mass]:
    """The weight of each word that means something in the languages in scope."""
    found = {int(term): idf for term, idf in (summary.idf or {}).items()}
    chunks = {int(term): count for term, count in (summary.language_chunks or {}).items()}
    unknown_idf = math.log(1 + (sum(chunks.values()) + 0.5) / 0.5)
    masses = []
    for word in words:
        idfs = [found[term] for term in word.terms.values() if term in found]
        if idfs or not any(term_id("", language) in chunks for language in word.stop_word_in):
            masses.append(_Mass(word.text, max(idfs, default=unknown_idf), frozenset(word.terms.values()), bool(idfs)))
    return masses


def _hit(row: _Row, masses: Sequence[_Mass]) -> Hit:
    assert row.chunk_id is not None
    return Hit(
        chunk_id=row.chunk_id,
        source_id=row.source_id,
        label=row.title,
        position=row.position,
        text=row.text,
        score=row.score,
        url=chunk_url(row.source_id, row.ordinal),
        is_platform=row.is_platform,
        content_hash=row.content_hash,
        tokens=row.tokens,
        similarity=row.cosine or 0.0,
        coverage=_coverage(row.lexical, masses),
    )


def _coverage(lexical: str, masses: Sequence[_Mass]) -> float:
    terms = {int(term) for term in SPARSE_TERM.findall(lexical)}
    return _share(masses, [mass for mass in masses if mass.terms & terms])


def _evidence(summary: _Row, hits: Sequence[Hit], masses: Sequence[_Mass]) -> Evidence:
    return Evidence(
        best_cosine=summary.best_cosine or 0.0,
        joint=max((hit.coverage * hit.similarity for hit in hits), default=0.0),
        coverage=max((hit.coverage for hit in hits), default=0.0),
        unknown=_share(masses, [mass for mass in masses if not mass.is_known]),
        chunks=summary.chunks,
    )


def _share(masses: Sequence[_Mass], part: Sequence[_Mass]) -> float:
    whole = sum(mass.idf for mass in masses)
    return sum(mass.idf for mass in part) / whole if whole else 0.0
