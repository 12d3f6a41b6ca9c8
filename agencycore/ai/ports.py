"""The two model ports. Adapters are named in settings: ``RESPONDER`` and ``EMBEDDER``."""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.utils.module_loading import import_string

from agencycore.ai.types import DecisionRequest, ModelReply, ReportRequest, SummaryRequest

EMBEDDING_DIMENSIONS = 256


class Responder(Protocol):
    """Writes replies.

    Each call is one vendor call: no retries inside, the timeout is honoured, ModelError for a call
    that gave nothing, a reply (also truncated, refused or empty) with its usage for everything
    else. Thread-safe.
    """

    name: str
    model: str
    is_language_model: bool

    def decide(self, request: DecisionRequest) -> ModelReply: ...

    def summarise(self, request: SummaryRequest) -> ModelReply: ...

    def report(self, request: ReportRequest) -> ModelReply: ...


class Embedder(Protocol):
    """Turns texts into unit vectors of EMBEDDING_DIMENSIONS float32, one row per text.

    ``name`` is stored beside every vector; vectors of different names are never compared.
    ``dense_weight`` and ``relevance_floor`` are measured for this embedder (see docs/engineering).
    ``calls_out`` is True for one that waits for another machine: nobody waits for it inside a transaction of theirs.
    Raises ModelError. Thread-safe. An empty sequence gives an array of shape (0, 256).
    """

    name: str
    dense_weight: float
    relevance_floor: float
    calls_out: bool

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...


@cache
def get_responder() -> Responder:
    responder: Responder = import_string(settings.RESPONDER)()
    return responder


@cache
def get_embedder() -> Embedder:
    embedder: Embedder = import_string(settings.EMBEDDER)()
    return embedder
