"""Whether a cited passage still stands as it was cited."""

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from django.db.models import QuerySet

from agencycore.tenancy import Actor
from conversations.models import Citation
from knowledge.models import KnowledgeChunk, KnowledgeSource

CitationState: TypeAlias = Literal["as cited", "changed since", "withdrawn", "deleted"]
GONE: tuple[CitationState, ...] = ("withdrawn", "deleted")
CHUNK_KIND = "knowledge_chunk"
# Where ``knowledge.models.chunk_url`` puts the source.
SOURCE_IN_URL = re.compile(r"^/knowledge/([0-9a-f-]{36})/")


def states_for(actor: Actor, citations: Sequence[Citation]) -> dict[int, CitationState]:
    """For the person who reads them."""
    return states_of(
        citations,
        passages=KnowledgeChunk.objects.visible_to(actor),
        sources=KnowledgeSource.objects.visible_to(actor),
    )


def states_of(
    citations: Sequence[Citation], *, passages: QuerySet[KnowledgeChunk], sources: QuerySet[KnowledgeSource]
) -> dict[int, CitationState]:
    """By citation; two statements at most. ``passages`` and ``sources`` are those the reader may see.

    A passage whose document is there and which itself is not, or not with these words, has changed since.
    Without its document it was withdrawn. Other kinds of record are only ever deleted here.
    """
    standing = [citation for citation in citations if citation.kind == CHUNK_KIND and citation.deleted_at is None]
    hashes = _hashes(passages, standing)
    missing = [citation for citation in standing if not _stands(citation, hashes)]
    readable = _readable(sources, filter(None, map(source_of, missing)))
    states: dict[int, CitationState] = {citation.pk: _unmoved(citation) for citation in citations}
    for citation in missing:
        states[citation.pk] = "changed since" if source_of(citation) in readable else "withdrawn"
    return states


def source_of(citation: Citation) -> uuid.UUID | None:
    """The document of a cited passage, which its address names."""
    found = SOURCE_IN_URL.match(citation.url)
    try:
        return uuid.UUID(found[1]) if found else None
    except ValueError:
        return None


def _unmoved(citation: Citation) -> CitationState:
    return "deleted" if citation.deleted_at is not None else "as cited"


def _hashes(passages: QuerySet[KnowledgeChunk], citations: Sequence[Citation]) -> Mapping[str, str]:
    ids = {citation.resource_id for citation in citations}
    if not ids:
        return {}
    found = passages.filter(id__in=ids).values_list("id", "content_hash")
    return {str(chunk_id): content_hash for chunk_id, content_hash in found}


def _stands(citation: Citation, hashes: Mapping[str, str]) -> bool:
    """A passage that was cited again is stored without a hash: that it is there must do."""
    current = hashes.get(citation.resource_id)
    return current is not None and citation.content_hash in ("", current)


def _readable(sources: QuerySet[KnowledgeSource], ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    wanted = set(ids)
    if not wanted:
        return set()
    return set(sources.exclude(state=KnowledgeSource.State.DELETING).filter(id__in=wanted).values_list("id", flat=True))
