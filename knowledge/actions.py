"""What members do with sources: upload, retry, delete; and what the sweeper does with lost ones."""

import logging
import uuid

from django.conf import settings
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.module_loading import import_string

from agencycore.dispatch.queue import enqueue, withdraw
from agencycore.errors import NotFound, Refused
from agencycore.tenancy import Actor, tenant
from knowledge.events import publish_change, publish_deletion
from knowledge.indexing import remove_source_rows
from knowledge.ingestion import mark_failed
from knowledge.models import ChunkIndex, DeletionReceipt, KnowledgeChunk, KnowledgeSource
from knowledge.preparation import TITLE_LENGTH, title_of_file
from knowledge.uploads import check_size, clean_filename, hash_file

logger = logging.getLogger(__name__)

INGESTION = "ingestion"
State = KnowledgeSource.State


@transaction.atomic
def create_upload(*, actor: Actor, file: "File[bytes]", filename: str, title: str = "") -> KnowledgeSource:
    """Store a file and queue its ingestion; the same file twice is the source that is there.

    Uploading a file that failed before tries it again. Raises EmptyFile or FileTooLarge.
    """
    source, created = store_upload(
        organization_id=actor.organization_id, uploaded_by_id=actor.user_id, file=file, filename=filename, title=title
    )
    if created:
        _queue(source)
    elif source.state == State.FAILED:
        restart(source)
        _queue(source)
    return source


def store_upload(
    *, organization_id: uuid.UUID, uploaded_by_id: int | None, file: "File[bytes]", filename: str, title: str = ""
) -> tuple[KnowledgeSource, bool]:
    """The source of this file, and whether it is new. Nothing is queued."""
    check_size(file.size)
    content_hash = hash_file(file)
    same = KnowledgeSource.objects.filter(organization_id=organization_id, content_hash=content_hash)
    same = same.exclude(state=State.DELETING)
    existing = same.first()
    if existing is not None:
        return existing, False
    name = clean_filename(filename)
    source = KnowledgeSource(
        organization_id=organization_id,
        uploaded_by_id=uploaded_by_id,
        filename=name,
        title=" ".join(title.split())[:TITLE_LENGTH] or title_of_file(name),
        content_hash=content_hash,
        size=file.size,
    )
    try:
        with transaction.atomic():
            source.save()
    except IntegrityError:  # the same file came in twice at once
        return same.get(), False
    source.file.save(name, file)
    publish_change(source)
    return source, True


def _queue(source: KnowledgeSource) -> None:
    assert source.organization_id is not None
    enqueue(kind=INGESTION, object_id=source.id, organization_id=source.organization_id)


@transaction.atomic
def retry_ingestion(*, actor: Actor, source_id: uuid.UUID) -> KnowledgeSource:
    """Try a failed source again. Raises NotFound, or Refused for one that did not fail."""
    source = get_own_source(actor, source_id)
    if source.state != State.FAILED:
        raise Refused("Only a document that failed can be tried again.")
    restart(source)
    _queue(source)
    return source


def restart(source: KnowledgeSource) -> None:
    source.state, source.state_changed_at = State.UPLOADED, timezone.now()
    source.failure_code = source.failure_reason = ""
    source.attempts = 0
    source.save()
    withdraw(kind=INGESTION, object_id=source.id)
    publish_change(source)


def get_own_source(actor: Actor, source_id: uuid.UUID) -> KnowledgeSource:
    """The organization's source, locked for a change; raises NotFound."""
    source = KnowledgeSource.objects.of(actor).select_for_update().filter(id=source_id).first()
    if source is None:
        raise NotFound("There is no such document.")
    return source


@transaction.atomic
def delete_source(*, actor: Actor, source_id: uuid.UUID) -> DeletionReceipt:
    """Remove a source's passages now and its file after the commit; work on it stops at its lease.

    Raises NotFound, or Refused for a member who did not upload it. A source whose file could not be
    removed stays "deleting", and can be deleted again.
    """
    source = get_own_source(actor, source_id)
    if not source.may_be_changed_by(actor):
        raise Refused("Only the person who uploaded a document, or an admin, can delete it.")
    withdraw(kind=INGESTION, object_id=source.id)
    receipt = _remove_passages(source, actor)
    source.state, source.state_changed_at = State.DELETING, timezone.now()
    source.failure_code = source.failure_reason = source.stage = ""
    source.chunk_count = 0
    source.save()
    publish_change(source)
    # A function and no partial: Django names a failing hook by its __qualname__.
    transaction.on_commit(lambda: remove_original(actor.organization_id, source_id), robust=True)
    return receipt


def _remove_passages(source: KnowledgeSource, actor: Actor) -> DeletionReceipt:
    chunk_ids = list(source.chunks.values_list("id", flat=True))
    removed = remove_source_rows(source)
    redactions = _tell_listeners(source, actor.organization_id, chunk_ids)
    remaining = KnowledgeChunk.objects.filter(source=source).count()
    remaining += ChunkIndex.objects.filter(chunk_id__in=chunk_ids).count()
    return DeletionReceipt.objects.create(
        organization_id=actor.organization_id,
        source_id=source.id,
        title=source.title,
        content_hash=source.content_hash,
        deleted_by_id=actor.user_id,
        chunks_removed=removed.chunks,
        index_rows_removed=removed.index_rows,
        rows_remaining=remaining,
        redactions=redactions,
        file_removed=False,
    )


def _tell_listeners(source: KnowledgeSource, organization_id: uuid.UUID, chunk_ids: list[uuid.UUID]) -> dict[str, int]:
    """What the rooms above removed of the source's text: their counts, by what they count."""
    redactions: dict[str, int] = {}
    for path in settings.KNOWLEDGE_LISTENERS:
        redactions |= import_string(path)(organization_id=organization_id, source_id=source.id, chunk_ids=chunk_ids)
    return redactions


def remove_original(organization_id: uuid.UUID, source_id: uuid.UUID) -> None:
    """The last step of a deletion: the stored file, then the source itself."""
    with tenant(organization_id):
        source = KnowledgeSource.objects.filter(id=source_id, state=State.DELETING).first()
    if source is None:
        return
    if source.file:
        source.file.delete(save=False)
    with tenant(organization_id):
        DeletionReceipt.objects.filter(source_id=source_id).update(file_removed=True)
        publish_deletion(source)
        KnowledgeSource.objects.filter(id=source_id, state=State.DELETING).delete()


def give_up(*, organization_id: uuid.UUID, object_id: uuid.UUID) -> None:
    """End a source whose processing was lost too often."""
    with tenant(organization_id):
        source = KnowledgeSource.objects.select_for_update().filter(id=object_id).first()
        if source is not None and (source.is_in_progress or source.stage):
            mark_failed(source, "stopped", "Processing stopped repeatedly. Try again.")
        withdraw(kind=INGESTION, object_id=object_id)
