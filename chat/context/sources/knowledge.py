"""Passages of the platform's and the organization's ready documents."""

import uuid

from agencycore.ai.ports import get_embedder
from agencycore.ai.types import BriefItem, SourceName
from agencycore.refs import Projection
from chat.context.items import make_item
from chat.context.port import ITEM_LIMITS, ContextRequest, Degraded, Skipped
from chat.context.query import split_questions
from knowledge.candidates import Hit
from knowledge.search import SearchResult, search

CHUNK_KIND = "knowledge_chunk"
BY_WORDS_ALONE = "Documents were searched by their words alone."


class KnowledgeSource:
    """Evidence. Searches with the self-contained query; a rework re-reads what the last reply cited."""

    name: SourceName = "knowledge"

    @property
    def calls_out(self) -> bool:
        return get_embedder().calls_out

    def read(self, request: ContextRequest) -> list[BriefItem]:
        if request.message_class == "conversation":
            return _cited_again(request)
        if not request.query:
            raise Skipped
        questions = split_questions(request.query)
        limit = ITEM_LIMITS[self.name] // len(questions)
        found = [_search(request, question, limit) for question in questions]
        hits = {hit.chunk_id: hit for result in found for hit in result.hits}
        items = [_hit_item(hit) for hit in hits.values()]
        if any(result.state == "degraded" for result in found):
            raise Degraded(items, BY_WORDS_ALONE)
        return items


def _search(request: ContextRequest, question: str, limit: int) -> SearchResult:
    return search(
        actor_organization_id=request.actor.organization_id,
        query=question,
        limit=limit,
        source_ids=_chosen(request.history.documents),
        with_platform=True,
    )


def _chosen(documents: tuple[str, ...]) -> list[uuid.UUID] | None:
    """The documents a member chose for this conversation; None for all."""
    return [uuid.UUID(document) for document in documents] or None


def _hit_item(hit: Hit) -> BriefItem:
    return make_item(
        "knowledge",
        CHUNK_KIND,
        str(hit.chunk_id),
        label=hit.label,
        text=hit.text,
        evidence=True,
        position=hit.position,
        score=hit.score,
        url=hit.url,
        payload={
            "source_id": str(hit.source_id),
            "is_platform": hit.is_platform,
            "content_hash": hit.content_hash,
        },
    )


def _cited_again(request: ContextRequest) -> list[BriefItem]:
    newest = request.history.newest_shown
    cited = [ref for ref in newest.cited if ref.kind == CHUNK_KIND] if newest else []
    found = [request.records.find(ref) for ref in cited]
    return [_chunk_item(p, score=float(-index)) for index, p in enumerate(found) if p is not None]


def _chunk_item(chunk: Projection, *, score: float) -> BriefItem:
    facts = {field.name: field.value for field in chunk.fields}
    return make_item(
        "knowledge",
        CHUNK_KIND,
        chunk.ref.id,
        label=chunk.title,
        text=facts.get("text", ""),
        evidence=True,
        position=facts.get("position", ""),
        score=score,
        url=chunk.url,
        pinned=True,
    )
