"""Passages of the platform's and the organization's ready documents."""

import math
import uuid
from collections.abc import Sequence

from agencycore.ai.asked import topic_of
from agencycore.ai.ports import get_embedder
from agencycore.ai.types import BriefItem, SourceName
from agencycore.refs import Projection
from chat.context.items import make_item
from chat.context.port import ITEM_LIMITS, ContextRequest, Degraded, Skipped
from chat.context.query import searches_of
from chat.context.records import cited_last
from knowledge.candidates import Hit
from knowledge.chunking import PATH_SEPARATOR
from knowledge.languages import stem
from knowledge.search import SearchResult, search

ENGLISH = "english"
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
        searches = searches_of(request.query, request.message)
        limit = ITEM_LIMITS[self.name]
        found = [_search(request, searched, limit) for searched in searches]
        hits = _shared_out([result.hits for result in found], searches, limit)
        items = [_hit_item(hit) for hit in hits]
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


def _shared_out(found: Sequence[Sequence[Hit]], searches: Sequence[str], limit: int) -> list[Hit]:
    """The same number of hits of every search, then the next of each up to ``limit``; every passage once."""
    if len(searches) == 1:
        return list(found[0])
    ranked = [_topic_first(hits, asked) for hits, asked in zip(found, searches, strict=True)]
    size = limit // len(searches)
    in_turn = [*(hit for hits in ranked for hit in hits[:size]), *(hit for hits in ranked for hit in hits[size:])]
    return list({hit.chunk_id: hit for hit in in_turn}.values())[:limit]


def _topic_first(hits: Sequence[Hit], asked: str) -> list[Hit]:
    """Before all others what stands under a heading that is the very topic, the topic of a whole page first."""
    topic = _stems(topic_of(asked))
    paths = {hit.chunk_id: hit.position.split(PATH_SEPARATOR) for hit in hits}
    return sorted(hits, key=lambda hit: _depth(paths[hit.chunk_id], topic))


def _depth(path: Sequence[str], topic: Sequence[str]) -> float:
    return len(path) if _stems(path[-1]) == topic else math.inf


def _stems(text: str) -> list[str]:
    return [stem(word, ENGLISH) for word in text.lower().split()]


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
    cited = [ref for ref in cited_last(request.history) if ref.kind == CHUNK_KIND]
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
