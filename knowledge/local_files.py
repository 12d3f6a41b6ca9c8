"""Files of this machine, ingested in this process: for operators and scripts."""

import datetime
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from django.core.files.base import File
from django.utils import timezone

from agencycore.dispatch.queue import Claim, enqueue_claimed
from agencycore.errors import ProductError
from agencycore.tenancy import tenant
from knowledge.actions import INGESTION, restart, store_upload
from knowledge.ingestion import ingest
from knowledge.models import KnowledgeSource

DEADLINE = datetime.timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class FileResult:
    """``state`` is the source's, or "failed" for a file that was not taken in at all."""

    path: str
    source: uuid.UUID | None
    state: str
    reason: str
    chunks: int
    milliseconds: int

    def as_json(self) -> dict[str, object]:
        return {
            "path": self.path,
            "source": str(self.source) if self.source else None,
            "state": self.state,
            "reason": self.reason or None,
            "chunks": self.chunks,
            "ms": self.milliseconds,
        }


def ingest_file(path: Path, organization_id: uuid.UUID) -> FileResult:
    """Store the file as a source of the organization and carry it to ready or failed."""
    started = time.monotonic()
    try:
        source_id, claim = _take_in(path, organization_id)
    except ProductError as error:
        return FileResult(str(path), None, "failed", str(error), 0, _since(started))
    if claim is not None:
        ingest(claim)
    with tenant(organization_id):
        source = KnowledgeSource.objects.get(id=source_id)
    return FileResult(str(path), source.id, source.state, source.failure_reason, source.chunk_count, _since(started))


def _take_in(path: Path, organization_id: uuid.UUID) -> tuple[uuid.UUID, Claim | None]:
    """The file's source, and the claim to work on it unless that is done or being done."""
    with tenant(organization_id), path.open("rb") as opened:
        source, created = store_upload(
            organization_id=organization_id, uploaded_by_id=None, file=File(opened), filename=path.name
        )
        if source.state == KnowledgeSource.State.FAILED:
            restart(source)
        elif not created:
            return source.id, None
        return source.id, enqueue_claimed(
            kind=INGESTION,
            object_id=source.id,
            organization_id=organization_id,
            sequence_key=None,
            deadline_at=timezone.now() + DEADLINE,
        )


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
