"""The only way to publish: numbers under the stream's row lock, wake-up after the commit."""

import uuid
from collections.abc import Mapping, Sequence

from django.db import connection, transaction

from agencycore.streams.doorbell import get_doorbell
from agencycore.streams.events import NewEvent, StreamEvent, stream_event
from agencycore.streams.groups import group_name, user_subject
from agencycore.streams.models import Event

__all__ = ["NewEvent", "announce_access_change", "publish", "publish_live"]


def publish(*, stream: str, organization_id: uuid.UUID, events: Sequence[NewEvent]) -> None:
    """Write ``events`` in the caller's transaction; sockets are woken after its commit.

    The stream's row stays locked until then, so numbers become visible in their order.
    """
    if not events:
        return
    stream_id, last = _take_numbers(stream, organization_id, len(events))
    rows = [
        Event(
            stream_id=stream_id,
            organization_id=organization_id,
            number=number,
            type=event.type,
            payload=dict(event.payload),
        )
        for number, event in enumerate(events, start=last - len(events) + 1)
    ]
    Event.objects.bulk_create(rows)
    message = {"type": "stream.events", "events": [stream_event(row).as_json() for row in rows]}
    _ring_after_commit(group_name(organization_id, stream), message)


def publish_live(*, stream: str, organization_id: uuid.UUID, event: NewEvent) -> None:
    """Show ``event`` to whoever looks right now. It is not stored: the final state must be."""
    shown = StreamEvent(None, event.type, event.payload)
    get_doorbell().ring(group_name(organization_id, stream), {"type": "stream.events", "events": [shown.as_json()]})


def announce_access_change(*, organization_id: uuid.UUID, user_id: int) -> None:
    """Close the sockets a person holds in an organization, after the commit of what changed."""
    _ring_after_commit(group_name(organization_id, user_subject(user_id)), {"type": "access.changed"})


def _ring_after_commit(group: str, message: Mapping[str, object]) -> None:
    def ring() -> None:
        get_doorbell().ring(group, message)

    transaction.on_commit(ring, robust=True)


def _take_numbers(stream: str, organization_id: uuid.UUID, count: int) -> tuple[int, int]:
    """The stream's id and the last of ``count`` fresh numbers; the first use makes the stream."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO streams_stream (name, organization_id, last_number) VALUES (%s, %s, %s) "
            "ON CONFLICT (name) DO UPDATE SET last_number = streams_stream.last_number + EXCLUDED.last_number "
            "RETURNING id, last_number",
            [stream, organization_id, count],
        )
        stream_id, last = cursor.fetchone()
    return stream_id, last
