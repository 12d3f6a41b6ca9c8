"""What the knowledge page hears: one event per change of a source, with everything it shows."""

import uuid

from agencycore.streams.publisher import NewEvent, publish, publish_live
from knowledge.models import KnowledgeSource

SOURCE_CHANGED = "source.changed"
SOURCE_PROGRESS = "source.progress"
SOURCE_DELETED = "source.deleted"


def stream_of(organization_id: uuid.UUID) -> str:
    return f"knowledge:{organization_id}"


def publish_change(source: KnowledgeSource) -> None:
    """In the caller's transaction; platform documents have no page that watches them."""
    if source.organization_id is not None:
        publish(
            stream=stream_of(source.organization_id),
            organization_id=source.organization_id,
            events=[NewEvent(SOURCE_CHANGED, source_payload(source))],
        )


def publish_deletion(source: KnowledgeSource) -> None:
    if source.organization_id is not None:
        publish(
            stream=stream_of(source.organization_id),
            organization_id=source.organization_id,
            events=[NewEvent(SOURCE_DELETED, {"id": str(source.id)})],
        )


def publish_progress(source: KnowledgeSource) -> None:
    """Not stored: the next change holds the truth."""
    if source.organization_id is not None:
        publish_live(
            stream=stream_of(source.organization_id),
            organization_id=source.organization_id,
            event=NewEvent(SOURCE_PROGRESS, source_payload(source)),
        )


def source_payload(source: KnowledgeSource) -> dict[str, object]:
    return {
        "id": str(source.id),
        "title": source.title,
        "state": source.state,
        "stage": source.stage or None,
        "done": source.done_steps,
        "total": source.total_steps,
        "reason": source.failure_reason or None,
        "chunks": source.chunk_count,
    }
