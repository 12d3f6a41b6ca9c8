"""Vectors of the vendor's embedding models, cut by the vendor to our dimensions."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from django.conf import settings
from openai.types import CreateEmbeddingResponse

from agencycore.ai.openai.call import PROVIDER, VendorCall, valid_text
from agencycore.ai.openai.client import get_client, timeout_of
from agencycore.ai.openai.errors import as_model_errors, misconfigured, unreadable
from agencycore.ai.ports import EMBEDDING_DIMENSIONS
from agencycore.ai.types import PromptMessage

# The vendor takes 8,192 tokens a text and 300,000 a request; three bytes a token is the dense end of real text.
TEXT_BYTES = 24_000
REQUEST_BYTES = 600_000
REQUEST_TEXTS = 512


class OpenAIEmbedder:
    """``OPENAI_EMBEDDING_MODEL`` must be one that takes ``dimensions`` (text-embedding-3-*)."""

    # Set by judgement, not yet measured for these models: see docs/engineering/models.md.
    dense_weight = 0.6
    relevance_floor = 0.3
    calls_out = True

    def __init__(self) -> None:
        self._model = str(settings.OPENAI_EMBEDDING_MODEL)
        self.name = f"{PROVIDER}:{self._model}:{EMBEDDING_DIMENSIONS}"

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if not texts:
            return np.zeros((0, EMBEDDING_DIMENSIONS), dtype=np.float32)
        # One text is a question that somebody waits for.
        seconds = float(settings.SOURCE_TIMEOUT_SECONDS if len(texts) == 1 else settings.MODEL_TIMEOUT_SECONDS)
        return np.concatenate([self._embed_batch(batch, seconds) for batch in _batches(map(_bounded, texts))])

    def _embed_batch(self, batch: list[str], seconds: float) -> npt.NDArray[np.float32]:
        call = VendorCall(self._model, "", tuple(PromptMessage("user", text) for text in batch), seconds, 0)
        with as_model_errors(call):
            response = get_client().embeddings.create(
                model=self._model,
                input=batch,
                dimensions=EMBEDDING_DIMENSIONS,
                encoding_format="float",
                timeout=timeout_of(seconds),
            )
        rows = _rows(response)
        if rows is None or len(rows) != len(batch):
            raise unreadable(call.spent(()))
        return _unit_vectors(rows)


def _bounded(text: str) -> str:
    """``text`` as the vendor takes it: not empty, not too long."""
    return valid_text(text).encode()[:TEXT_BYTES].decode(errors="ignore") if text.strip() else "-"


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == REQUEST_TEXTS or size + length > REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    yield batch


def _rows(response: object) -> list[list[float]] | None:
    if not isinstance(response, CreateEmbeddingResponse) or not response.data:
        return None
    return [row.embedding for row in sorted(response.data, key=lambda row: row.index)]


def _unit_vectors(rows: list[list[float]]) -> npt.NDArray[np.float32]:
    if any(len(row) != EMBEDDING_DIMENSIONS for row in rows):
        raise misconfigured(
            f"OPENAI_EMBEDDING_MODEL gives {len(rows[0])} dimensions where {EMBEDDING_DIMENSIONS} were asked for.",
            reached_vendor=True,
        )
    vectors = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise misconfigured("OPENAI_EMBEDDING_MODEL gives vectors without a direction.", reached_vendor=True)
    vectors /= lengths
    return vectors
