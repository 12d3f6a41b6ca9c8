"""How well texts fit a query, for the few that fit into a brief."""

import logging
from collections.abc import Sequence
from functools import lru_cache
from operator import mul

from agencycore.ai.ports import get_embedder
from agencycore.ai.types import ModelError
from knowledge.languages import stem, stop_words
from knowledge.terms import words

logger = logging.getLogger(__name__)

LANGUAGE = "english"
CACHED_TEXTS = 2_048


def fitness(query: str, texts: Sequence[str]) -> list[float]:
    """0 to 2 per text: the share of the query's words it holds, and its nearness in meaning.

    An embedder that calls out is not waited for here: then words alone decide.
    """
    asked = _stems(query)
    shared = [len(asked & _stems(text)) / len(asked) if asked else 0.0 for text in texts]
    near = _nearness(query, texts)
    return [words_shared + meaning for words_shared, meaning in zip(shared, near, strict=True)]


def _nearness(query: str, texts: Sequence[str]) -> list[float]:
    embedder = get_embedder()
    if embedder.calls_out:
        return [0.0 for _ in texts]
    try:
        asked = _vector(embedder.name, query)
        return [max(0.0, sum(map(mul, asked, _vector(embedder.name, text)))) for text in texts]
    except ModelError as error:
        logger.warning("Ranking goes on without vectors: %s", error)
        return [0.0 for _ in texts]


@lru_cache(maxsize=CACHED_TEXTS)
def _vector(embedder_name: str, text: str) -> tuple[float, ...]:
    """Kept per text: descriptions are the same from turn to turn."""
    return tuple(get_embedder().embed([text])[0].tolist())


def _stems(text: str) -> set[str]:
    return {stem(word, LANGUAGE) for word in words(text) if word not in stop_words(LANGUAGE)}
