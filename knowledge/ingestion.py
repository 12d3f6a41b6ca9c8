"""One source through its stages, by whoever holds its lease.

Every stage is a short transaction that first checks the lease, then work outside any transaction. Chunks,
index rows and term statistics are written in the transaction that makes the source ready: before it there
is nothing to be found, after it everything.
"""

import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.utils import timezone

from agencycore.ai.ports import Embedder, get_embedder
from agencycore.ai.types import ModelError
from agencycore.dispatch.heartbeat import holding
from agencycore.dispatch.queue import Claim, LostLease, finish, hold, release
from agencycore.tenancy import tenant
from knowledge.events import publish_change, publish_progress
from knowledge.extraction.port import ExtractionFailed
from knowledge.extraction.sandbox import Extraction, extract_in_child
from knowledge.indexing import indexed_as, swap_generation
from knowledge.models import KnowledgeSource
from knowledge.preparation import Prepared, embed_passages, prepare, title_of_file

logger = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.5
RETRY_SECONDS = 5.0
WORKABLE = (KnowledgeSource.State.UPLOADED, KnowledgeSource.State.PROCESSING, KnowledgeSource.State.READY)

State = KnowledgeSource.State
Stage = KnowledgeSource.Stage


def ingest(claim: Claim) -> None:
    """Carry the claimed source to ready or failed, or give it back after a fault that may pass."""
    with holding(claim):
        try:
            _carry_out(claim)
        except LostLease:
            logger.info("Ingestion of %s ended: deleted, or taken over.", claim.object_id)
        except ExtractionFailed as failure:
            _fail(claim, failure.code, failure.reason)
        except ModelError as error:
            _meet_fault(claim, "embedder", "The search model could not be reached. Try again later.", error.retryable)
        except Exception:  # a source is marked failed whatever went wrong
            logger.exception("Ingestion of %s met a fault.", claim.object_id)
            _meet_fault(claim, "internal", "Something went wrong on our side. Try again later.", retryable=True)


def _carry_out(claim: Claim) -> None:
    source = _enter(claim, Stage.EXTRACTING)
    extraction = _extract(claim, source)
    _enter(claim, Stage.CHUNKING)
    prepared = _prepare(source, extraction)
    embedder = get_embedder()
    vectors = _embed(claim, prepared, embedder)
    _make_ready(claim, extraction.kind, prepared, vectors, embedder)


@contextmanager
def _held_source(claim: Claim) -> Iterator[KnowledgeSource]:
    """The source, locked, in a transaction that the lease's loss prevents. One being deleted is lost.

    Whoever locks both locks the source before the lease.
    """
    with tenant(claim.organization_id):
        source = KnowledgeSource.objects.select_for_update().filter(id=claim.object_id, state__in=WORKABLE).first()
        if source is None:
            raise LostLease(f"source {claim.object_id}")
        hold(claim)
        yield source


def _enter(claim: Claim, stage: Stage, total_steps: int = 0) -> KnowledgeSource:
    with _held_source(claim) as source:
        # One that has passages stays ready while its next generation is made.
        if source.state == State.UPLOADED:
            source.state, source.state_changed_at = State.PROCESSING, timezone.now()
        source.stage, source.done_steps, source.total_steps = stage, 0, total_steps
        source.attempts = claim.attempt
        source.save()
        publish_change(source)
    return source


def _extract(claim: Claim, source: KnowledgeSource) -> Extraction:
    with _local_file(source) as path:
        return extract_in_child(
            path,
            filename=source.filename,
            extractors=settings.EXTRACTORS,
            while_waiting=lambda: _check_lease(claim),
        )


@contextmanager
def _local_file(source: KnowledgeSource) -> Iterator[Path]:
    """The original as a file on this machine, wherever the storage keeps it."""
    try:
        with tempfile.NamedTemporaryFile(prefix="original-") as copy, source.file.open("rb") as original:
            shutil.copyfileobj(original, copy)
            copy.flush()
            yield Path(copy.name)
    except FileNotFoundError:
        raise ExtractionFailed("file_missing", "The uploaded file is gone. Upload it again.") from None


def _check_lease(claim: Claim) -> None:
    with _held_source(claim):
        pass


def _prepare(source: KnowledgeSource, extraction: Extraction) -> Prepared:
    fallback = title_of_file(source.filename)
    given = source.title if source.title != fallback else ""
    return prepare(extraction.document, fallback_title=fallback, given_title=given)


def _embed(claim: Claim, prepared: Prepared, embedder: Embedder) -> npt.NDArray[np.float32]:
    _enter(claim, Stage.EMBEDDING, total_steps=len(prepared.passages))
    shown_at = time.monotonic()

    def after_batch(done: int) -> None:
        nonlocal shown_at
        if time.monotonic() - shown_at >= PROGRESS_SECONDS:
            shown_at = time.monotonic()
            _show_progress(claim, done)

    return embed_passages(prepared.passages, embedder, after_batch)


def _show_progress(claim: Claim, done: int) -> None:
    with _held_source(claim) as source:
        source.done_steps = done
        source.save(update_fields=["done_steps", "updated_at"])
    publish_progress(source)


def _make_ready(
    claim: Claim, kind: str, prepared: Prepared, vectors: npt.NDArray[np.float32], embedder: Embedder
) -> None:
    with _held_source(claim) as source:
        swap_generation(
            source=source,
            passages=prepared.passages,
            vectors=vectors,
            embedder_name=embedder.name,
            language=prepared.language,
        )
        source.title, source.language, source.kind = prepared.title, prepared.language, kind
        source.chunk_count = len(prepared.passages)
        source.indexed_as = indexed_as(embedder.name)
        _end(claim, source, State.READY)


def _end(claim: Claim, source: KnowledgeSource, state: State) -> None:
    if source.state != state:
        source.state, source.state_changed_at = state, timezone.now()
    source.stage, source.done_steps, source.total_steps = "", 0, 0
    source.save()
    publish_change(source)
    if not finish(claim):
        raise LostLease(f"source {claim.object_id}")


def _fail(claim: Claim, code: str, reason: str) -> None:
    try:
        with _held_source(claim) as source:
            mark_failed(source, code, reason)
            finish(claim)
    except LostLease:
        logger.info("Ingestion of %s failed (%s) after it was lost.", claim.object_id, code)


def mark_failed(source: KnowledgeSource, code: str, reason: str) -> None:
    """Failed, unless it has passages of an earlier generation: those stay as they are."""
    if source.state != State.READY:
        source.state, source.state_changed_at = State.FAILED, timezone.now()
        source.failure_code, source.failure_reason = code, reason
    source.stage, source.done_steps, source.total_steps = "", 0, 0
    source.save()
    publish_change(source)


def _meet_fault(claim: Claim, code: str, reason: str, retryable: bool) -> None:
    if retryable and claim.attempt < settings.MAX_ATTEMPTS:
        release(claim, retry_in_seconds=RETRY_SECONDS * claim.attempt)
    else:
        _fail(claim, code, reason)
