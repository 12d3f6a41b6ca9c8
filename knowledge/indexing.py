"""The index as a whole: passages prepared for it, a generation swapped in, a source taken out.

Everything here runs inside the caller's transaction.
"""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from django.db import connection

from agencycore.identifiers import new_id
from knowledge.chunking import Passage
from knowledge.models import ChunkIndex, KnowledgeChunk, KnowledgeSource
from knowledge.terms import dense_literal, sparse_literal, term_id, weigh_terms

# Raised when chunks or terms are made differently: stored rows are then out of date.
INDEX_VERSION = 4
BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class Removed:
    chunks: int
    index_rows: int


def indexed_as(embedder_name: str) -> str:
    """What a source's rows were made with."""
    return f"{INDEX_VERSION}:{embedder_name}"


def searched_text(passage: Passage) -> str:
    """What a passage is found by: its headings, then its words."""
    return f"{passage.context}\n\n{passage.text}" if passage.context else passage.text


def swap_generation(
    *,
    source: KnowledgeSource,
    passages: Sequence[Passage],
    vectors: npt.NDArray[np.float32],
    embedder_name: str,
    language: str,
) -> None:
    """Put the source's new chunks in place of its old ones.

    A passage whose text did not change keeps its id, so that its citations still open.
    """
    lexical = [weigh_terms(searched_text(passage), language) for passage in passages]
    known = _ids_by_hash(source)
    df_change = _negated(_document_frequencies(source))
    remove_rows(source)
    source.generation += 1
    chunks = [_chunk(source, ordinal, passage, language, known) for ordinal, passage in enumerate(passages, start=1)]
    KnowledgeChunk.objects.bulk_create(chunks, batch_size=BATCH_ROWS)
    _insert_index_rows(source, chunks, vectors, lexical, embedder_name)
    df_change.update(Counter(term for weights in lexical for term in weights))
    df_change[term_id("", language)] += len(chunks)
    change_term_stats(source.organization_id, df_change)


def remove_source_rows(source: KnowledgeSource) -> Removed:
    """Take the source's chunks out of the index and the term statistics."""
    df_change = _negated(_document_frequencies(source))
    removed = remove_rows(source)
    change_term_stats(source.organization_id, df_change)
    return removed


DELETE_INDEX_ROWS = """
DELETE FROM chunk_index USING knowledge_knowledgechunk AS chunk
WHERE chunk.id = chunk_index.chunk_id AND chunk.source_id = %s
"""


def remove_rows(source: KnowledgeSource) -> Removed:
    with connection.cursor() as cursor:
        cursor.execute(DELETE_INDEX_ROWS, [source.id])
        index_rows = cursor.rowcount
        cursor.execute("DELETE FROM knowledge_knowledgechunk WHERE source_id = %s", [source.id])
        return Removed(chunks=cursor.rowcount, index_rows=index_rows)


def _ids_by_hash(source: KnowledgeSource) -> dict[str, list[uuid.UUID]]:
    known: dict[str, list[uuid.UUID]] = {}
    for chunk_id, content_hash in source.chunks.order_by("-ordinal").values_list("id", "content_hash"):
        known.setdefault(content_hash, []).append(chunk_id)
    return known


def _chunk(
    source: KnowledgeSource,
    ordinal: int,
    passage: Passage,
    language: str,
    known: dict[str, list[uuid.UUID]],
) -> KnowledgeChunk:
    content_hash = hashlib.sha256(passage.text.encode()).hexdigest()
    same = known.get(content_hash)
    return KnowledgeChunk(
        id=same.pop() if same else new_id(),
        source=source,
        organization_id=source.organization_id,
        generation=source.generation,
        ordinal=ordinal,
        position=passage.position,
        text=passage.text,
        tokens=passage.tokens,
        content_hash=content_hash,
        language=language,
    )


INSERT_INDEX_ROWS = """
INSERT INTO chunk_index (chunk_id, organization_id, embedder, embedding, lexical)
SELECT row.chunk, %s, %s, row.embedding::halfvec, row.lexical::sparsevec
FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS row(chunk, embedding, lexical)
"""


def _insert_index_rows(
    source: KnowledgeSource,
    chunks: Sequence[KnowledgeChunk],
    vectors: npt.NDArray[np.float32],
    lexical: Sequence[Mapping[int, float]],
    embedder_name: str,
) -> None:
    with connection.cursor() as cursor:
        for rows in _batches(len(chunks)):
            ids = [chunk.id for chunk in chunks[rows]]
            dense = [dense_literal(vector.tolist()) for vector in vectors[rows]]
            sparse = [sparse_literal(weights) for weights in lexical[rows]]
            cursor.execute(INSERT_INDEX_ROWS, [source.organization_id, embedder_name, ids, dense, sparse])


def _batches(length: int) -> Iterator[slice]:
    return (slice(start, start + BATCH_ROWS) for start in range(0, length, BATCH_ROWS))


def _document_frequencies(source: KnowledgeSource) -> Counter[int]:
    """How often the source's chunks count in the term statistics now."""
    frequencies: Counter[int] = Counter()
    rows = ChunkIndex.objects.filter(chunk__source=source).order_by("chunk_id", "embedder").distinct("chunk_id")
    for lexical, language in rows.values_list("lexical", "chunk__language").iterator(chunk_size=BATCH_ROWS):
        frequencies.update(index + 1 for index in lexical.indices())
        frequencies[term_id("", language)] += 1
    return frequencies


def _negated(frequencies: Counter[int]) -> Counter[int]:
    return Counter({term: -df for term, df in frequencies.items()})


CHANGE_TERM_STATS = """
INSERT INTO term_stats (organization_id, term, df)
SELECT %s, row.term, row.df FROM unnest(%s::int[], %s::int[]) AS row(term, df)
ON CONFLICT (organization_id, term) DO UPDATE SET df = term_stats.df + EXCLUDED.df
"""
DROP_UNUSED_TERMS = """
DELETE FROM term_stats WHERE organization_id IS NOT DISTINCT FROM %s AND term = ANY(%s) AND df <= 0
"""


def change_term_stats(organization_id: uuid.UUID | None, change: Mapping[int, int]) -> None:
    """Move the document frequencies by ``change``. Sorted, so that two workers cannot deadlock."""
    terms = sorted(term for term, df in change.items() if df)
    if not terms:
        return
    with connection.cursor() as cursor:
        cursor.execute(CHANGE_TERM_STATS, [organization_id, terms, [change[term] for term in terms]])
        falling = [term for term in terms if change[term] < 0]
        if falling:
            cursor.execute(DROP_UNUSED_TERMS, [organization_id, falling])
