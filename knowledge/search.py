"""Hybrid search over an organization's own passages and the platform's: one statement, exact, bounded."""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from agencycore.ai.ports import Embedder, get_embedder
from agencycore.ai.types import ModelError
from knowledge.candidates import Found, Hit, Question, find_candidates
from knowledge.relevance import is_on_topic, is_on_topic_by_words
from knowledge.rewording import reworded
from knowledge.terms import ask_words, dense_literal

logger = logging.getLogger(__name__)

SearchState: TypeAlias = Literal["ok", "empty", "degraded"]
MAXIMUM_LIMIT = 50
# The relevance floor judges by this many candidates of each arm, also where fewer are wanted.
MINIMUM_CANDIDATES = 8
MAXIMUM_QUERY_CHARACTERS = 4_000
# Each arm keeps one place in ARM_SHARE for passages at least ARM_SCORE times as good as the best one.
ARM_SHARE = 4
ARM_SCORE = 0.5
# Where more of the question than this is in words that nothing holds, they may be slips of the pen.
MOSTLY_UNKNOWN = 0.4


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``empty``: nothing relevant is known. ``degraded``: found by words alone, vectors were not at hand."""

    hits: list[Hit]
    state: SearchState


def search(
    *,
    actor_organization_id: uuid.UUID,
    query: str,
    limit: int = 8,
    source_ids: Sequence[uuid.UUID] | None = None,
    with_platform: bool = False,
) -> SearchResult:
    """The passages that bear on ``query``, best first; none for a question off the topic.

    One SQL statement, inside the caller's tenant transaction; three at most where nothing is found for the
    question as typed, and it is searched as it may have been meant. ``source_ids`` narrows the search to
    these sources, whether the organization's or the platform's; ``with_platform`` keeps all of the
    platform's beside them.
    """
    limit = min(limit, MAXIMUM_LIMIT)
    find = partial(
        find_candidates,
        organization_id=actor_organization_id,
        limit=max(limit, MINIMUM_CANDIDATES),
        source_ids=source_ids,
        with_platform=with_platform,
    )
    embedder = get_embedder()
    question = ask(query, embedder)
    if not question.words:
        return SearchResult([], "empty")
    found = find(question)
    if found.evidence.unknown > MOSTLY_UNKNOWN or not _passes_floor(found, embedder):
        again = reworded(query, unknown=found.unknown, languages=found.languages, organization_id=actor_organization_id)
        found = _better(found, find(ask(again, embedder)) if again else found, embedder)
    if not _passes_floor(found, embedder):
        return SearchResult([], "empty")
    return SearchResult(share_out(found.hits, limit), "degraded" if found.lacks_vectors else "ok")


def _better(first: Found, again: Found, embedder: Embedder) -> Found:
    """What was found for the question as typed, unless it bears on the topic less."""
    if not _passes_floor(again, embedder) or first.evidence.joint >= again.evidence.joint:
        return first
    return again


def ask(query: str, embedder: Embedder) -> Question:
    text = query[:MAXIMUM_QUERY_CHARACTERS]
    words = ask_words(text)
    vector = _embed(text, embedder) if words else None
    return Question(words, vector, embedder.name, embedder.dense_weight)


def _embed(text: str, embedder: Embedder) -> str | None:
    try:
        return dense_literal(embedder.embed([text])[0].tolist())
    except ModelError as error:
        logger.warning("Search goes on without vectors: %s (%s)", error, error.code)
        return None


def _passes_floor(found: Found, embedder: Embedder) -> bool:
    if not found.hits:
        return False
    if found.lacks_vectors:
        return is_on_topic_by_words(found.evidence)
    return is_on_topic(found.evidence, embedder=embedder.name, floor=embedder.relevance_floor)


def share_out(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """The ``limit`` best hits, in which neither the platform nor the organization crowds out the other."""
    worthy = hits[0].score * ARM_SCORE if hits else 0.0
    chosen = list(hits[:limit])
    for is_platform in (True, False):
        kept = [hit for hit in hits if hit.is_platform == is_platform and hit.score >= worthy][: limit // ARM_SHARE]
        missing = [hit for hit in kept if hit not in chosen]
        others = [hit for hit in chosen if hit.is_platform != is_platform]
        dropped = others[len(others) - len(missing) :] if missing else []
        chosen = [hit for hit in chosen if hit not in dropped] + missing
    return sorted(chosen, key=lambda hit: (-hit.score, hit.chunk_id))
