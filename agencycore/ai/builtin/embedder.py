"""Static word vectors from the wordllama wheel: the mean of a text's token vectors, made unit length.

The wheel's weights and tokenizer are read as files, without importing the package: that would load a
download client and set up logging, and its own pooling pads a batch to its longest text, so that 64
texts of 20,000 words need gigabytes.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from agencycore.ai.ports import EMBEDDING_DIMENSIONS
from agencycore.ai.types import ModelError

Vectors = npt.NDArray[np.float32]

WHEEL = "wordllama"
WEIGHTS = f"weights/l2_supercat_{EMBEDDING_DIMENSIONS}.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
# Bounds what is tokenized at once; longer texts are read in pieces of this size.
BATCH_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True)
class Model:
    weights: Vectors
    tokenizer: Tokenizer


class BuiltinEmbedder:
    """The Embedder that needs nothing but the wheel. A text without words gets one fixed direction."""

    name = "wordllama-l2-256"
    dense_weight = 0.3
    relevance_floor = 0.45
    calls_out = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), EMBEDDING_DIMENSIONS), dtype=np.float32)
        if not texts:
            return vectors
        model = load_model()
        for batch in _batches(texts):
            _add_token_vectors(model, batch, vectors)
        # Every row is a unit vector, also that of a text without words.
        vectors[~vectors.any(axis=1), 0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


_loading = threading.Lock()
_loaded: list[Model] = []


def load_model() -> Model:
    """The weights and tokenizer, read once per process, at first use."""
    with _loading:
        if not _loaded:
            _loaded.append(_read_model())
    return _loaded[0]


def _read_model() -> Model:
    spec = find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError("misconfigured", f"{WHEEL} is not installed.", retryable=False, reached_vendor=False)
    folder = Path(spec.submodule_search_locations[0])
    weights = load_file(folder / WEIGHTS)["embedding.weight"].astype(np.float32)
    return Model(np.ascontiguousarray(weights), Tokenizer.from_file(str(folder / TOKENIZER)))


def _batches(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Pieces of the texts with the row they belong to, at most BATCH_CHARACTERS at a time."""
    batch: list[tuple[int, str]] = []
    size = 0
    for row, text in enumerate(texts):
        for piece in _pieces(text):
            if batch and size + len(piece) > BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
            batch.append((row, piece))
            size += len(piece)
    if batch:
        yield batch


def _pieces(text: str) -> Iterator[str]:
    """``text`` in pieces that end at a space where one is near."""
    start = 0
    while len(text) - start > BATCH_CHARACTERS:
        end = text.rfind(" ", start + BATCH_CHARACTERS // 2, start + BATCH_CHARACTERS)
        end = end if end > start else start + BATCH_CHARACTERS
        yield text[start:end]
        start = end
    yield text[start:]


def _add_token_vectors(model: Model, batch: list[tuple[int, str]], vectors: Vectors) -> None:
    """Add the sum of each piece's token vectors to its row; the mean's divisor vanishes in the unit length."""
    encodings = model.tokenizer.encode_batch_fast([piece for _, piece in batch], add_special_tokens=False)
    for (row, _), encoding in zip(batch, encodings, strict=True):
        tokens, counts = np.unique(np.asarray(encoding.ids, dtype=np.int32), return_counts=True)
        vectors[row] += counts.astype(np.float32) @ model.weights[tokens]
