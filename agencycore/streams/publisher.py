"""The only way to publish: numbers under the stream's row lock, wake-up after the commit."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.utils import timezone

from agencycore.streams.doorbell import get_doorbell
from agencycore.streams.events import NewEvent, StreamEvent
from agencycore.streams.groups import group_name, user_subject

__all__ = ["NewEvent", "announce_access_change", "publish", "publish_live"]


def publish(*, stream: str, organization_id: uuid.UUID, events: Sequence[NewEvent]) -> None:
    """Write ``events`` in the caller's transaction; sockets are woken after its commit.

    The stream's row stays locked until then, so numbers become visible in their order.
    """
    if not events:
        return
    shown = [event.as_json() for event in _store(stream, organization_id, events)]
    message = {"type": "stream.events", "events": shown}
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


# The first use makes the stream. Numbers are taken and used in one statement: progress is published often.
STORE_SQL = """
WITH taken AS (
    INSERT INTO streams_stream (name, organization_id, last_number) VALUES (%(stream)s, %(organization)s, %(count)s)
    ON CONFLICT (name) DO UPDATE SET last_number = streams_stream.last_number + EXCLUDED.last_number
    RETURNING id, last_number)
INSERT INTO streams_event (stream_id, organization_id, number, type, payload, created_at)
SELECT taken.id, %(organization)s, taken.last_number - %(count)s + fresh.place, fresh.type, fresh.payload, %(now)s
FROM taken, unnest(%(types)s::text[], %(payloads)s::jsonb[]) WITH ORDINALITY AS fresh (type, payload, place)
RETURNING number
"""


def _store(stream: str, organization_id: uuid.UUID, events: Sequence[NewEvent]) -> list[StreamEvent]:
    """``events`` as they are stored, numbered in their order."""
    values: dict[str, Any] = {
        "stream": stream,
        "organization": organization_id,
        "count": len(events),
        "types": [event.type for event in events],
        "payloads": [json.dumps(dict(event.payload), cls=DjangoJSONEncoder) for event in events],
        "now": timezone.now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(STORE_SQL, values)
        numbers = sorted(number for (number,) in cursor.fetchall())
    return [StreamEvent(number, event.type, event.payload) for number, event in zip(numbers, events, strict=True)]
