"""Enqueue, claim, finish: the life of one piece of work in the dispatch table."""

import datetime
import os
import socket
import uuid
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from agencycore.dispatch.doorbell import get_work_doorbell
from agencycore.dispatch.models import Dispatch


class LostLease(Exception):
    """Another process took the work over, or it was cancelled: nothing of ours may be written."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on one object until the lease ends.

    ``attempt`` counts from 1; ``faults`` is how many of those before it ended in an error.
    """

    dispatch_id: int
    kind: str
    object_id: uuid.UUID
    organization_id: uuid.UUID
    sequence_key: uuid.UUID | None
    fence: uuid.UUID
    attempt: int
    faults: int = 0


def process_name() -> str:
    return f"{socket.gethostname()[:50]}:{os.getpid()}"


# One statement where get_or_create takes four: it is on the way of every message.
ENQUEUE_SQL = """
INSERT INTO dispatch_dispatch (kind, object_id, organization_id, sequence_key, due_at, queued_at, deadline_at,
    owner, attempts)
VALUES (%(kind)s, %(object_id)s, %(organization_id)s, %(sequence_key)s, %(now)s, %(now)s, %(deadline_at)s, '', 0)
ON CONFLICT (kind, object_id) DO NOTHING RETURNING id
"""


def enqueue(
    *,
    kind: str,
    object_id: uuid.UUID,
    organization_id: uuid.UUID,
    sequence_key: uuid.UUID | None = None,
    deadline_at: datetime.datetime | None = None,
) -> None:
    """Make work due and ring for it after the commit. A second call for one object does nothing."""
    values: dict[str, Any] = {
        "kind": kind,
        "object_id": object_id,
        "organization_id": organization_id,
        "sequence_key": sequence_key,
        "deadline_at": deadline_at,
        "now": timezone.now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(ENQUEUE_SQL, values)
        is_new = cursor.fetchone() is not None
    if is_new:
        ring(kind=kind, object_id=object_id, organization_id=organization_id)


def enqueue_claimed(
    *,
    kind: str,
    object_id: uuid.UUID,
    organization_id: uuid.UUID,
    sequence_key: uuid.UUID | None,
    deadline_at: datetime.datetime,
) -> Claim:
    """Make work due that is already leased to this process: no doorbell, no worker takes it first."""
    fence = uuid.uuid4()
    row = Dispatch.objects.create(
        kind=kind,
        object_id=object_id,
        organization_id=organization_id,
        sequence_key=sequence_key,
        due_at=timezone.now(),
        deadline_at=deadline_at,
        lease_until=timezone.now() + datetime.timedelta(seconds=settings.LEASE_SECONDS),
        fence=fence,
        owner=process_name(),
        attempts=1,
    )
    return Claim(row.id, kind, object_id, organization_id, sequence_key, fence, attempt=1)


def ring(*, kind: str, object_id: uuid.UUID, organization_id: uuid.UUID) -> None:
    """Wake a worker after the commit. A lost ring is the sweeper's; it never raises."""

    bell = partial(get_work_doorbell().ring, kind=kind, object_id=object_id, organization_id=organization_id)
    transaction.on_commit(bell, robust=True)


# Two workers may both be rung for one object, and two turns of one conversation at once: the
# row lock and the check for earlier work of the sequence let exactly one of them through.
# A lost worker is rarely the work's own fault: every turn in that worker is lost with it. So an attempt that was cut
# off counts only where no deadline bounds the work; one that kills its workers is done for at its deadline.
CLAIM_SQL = """
UPDATE dispatch_dispatch SET
    lease_until = clock_timestamp() + make_interval(secs => %(lease)s),
    deadline_at = CASE WHEN attempts = 0 AND %(deadline)s::float IS NOT NULL
        THEN clock_timestamp() + make_interval(secs => %(deadline)s) ELSE deadline_at END,
    fence = %(fence)s, owner = %(owner)s, attempts = attempts + 1
WHERE id = (
    SELECT d.id FROM dispatch_dispatch d
    WHERE d.kind = %(kind)s AND d.object_id = %(object_id)s AND d.due_at <= clock_timestamp()
      AND (d.lease_until IS NULL OR d.lease_until < clock_timestamp())
      AND (d.deadline_at IS NULL OR d.deadline_at > clock_timestamp())
      AND d.faults < %(max_attempts)s AND (d.deadline_at IS NOT NULL OR d.attempts < %(max_attempts)s)
      AND NOT EXISTS (
        SELECT 1 FROM dispatch_dispatch e WHERE e.sequence_key = d.sequence_key AND e.id < d.id)
    FOR UPDATE SKIP LOCKED)
RETURNING id, organization_id, sequence_key, attempts, faults
"""


def claim(*, kind: str, object_id: uuid.UUID, deadline_seconds: float | None = None) -> Claim | None:
    """Take the work for LEASE_SECONDS; None if it is done, held, not due, out of attempts or not its turn.

    ``deadline_seconds`` sets the work's deadline, counted from its first claim.
    """
    fence = uuid.uuid4()
    with connection.cursor() as cursor:
        cursor.execute(
            CLAIM_SQL,
            {
                "lease": settings.LEASE_SECONDS,
                "deadline": deadline_seconds,
                "fence": fence,
                "owner": process_name(),
                "kind": kind,
                "object_id": object_id,
                "max_attempts": settings.MAX_ATTEMPTS,
            },
        )
        row = cursor.fetchone()
    if row is None:
        return None
    dispatch_id, organization_id, sequence_key, attempt, faults = row
    return Claim(dispatch_id, kind, object_id, organization_id, sequence_key, fence, attempt, faults)


# As CLAIM_SQL by the database's clock; plain, for it goes with every step.
HOLD_SQL = """
UPDATE dispatch_dispatch SET lease_until = clock_timestamp() + make_interval(secs => %(lease)s)
WHERE id = %(id)s AND fence = %(fence)s
"""


def hold(held: Claim) -> None:
    """Renew the lease inside the caller's transaction; raises LostLease if it is no longer ours.

    The row stays locked until that transaction ends, so what it writes cannot be overtaken.
    """
    values: dict[str, Any] = {"id": held.dispatch_id, "fence": held.fence, "lease": settings.LEASE_SECONDS}
    with connection.cursor() as cursor:
        cursor.execute(HOLD_SQL, values)
        is_ours = cursor.rowcount == 1
    if not is_ours:
        raise LostLease(f"{held.kind} {held.object_id}")


FINISH_SQL = """
WITH ended AS (DELETE FROM dispatch_dispatch WHERE id = %(id)s AND fence = %(fence)s RETURNING id),
following AS (
    SELECT kind, object_id, organization_id FROM dispatch_dispatch
    WHERE sequence_key = %(sequence_key)s AND id > %(id)s ORDER BY id LIMIT 1)
SELECT (SELECT count(*) FROM ended), following.* FROM (SELECT) AS always LEFT JOIN following ON true
"""


def finish(held: Claim) -> bool:
    """End the work and ring for the next of its sequence; False if the lease was no longer ours."""
    values: dict[str, Any] = {"id": held.dispatch_id, "fence": held.fence, "sequence_key": held.sequence_key}
    with connection.cursor() as cursor:
        cursor.execute(FINISH_SQL, values)
        ended, kind, object_id, organization_id = cursor.fetchone()
    if object_id is not None:
        ring(kind=kind, object_id=object_id, organization_id=organization_id)
    return bool(ended)


def withdraw(*, kind: str, object_id: uuid.UUID) -> None:
    """End work from outside (cancelled, deleted): whoever holds it loses the lease."""
    row = Dispatch.objects.filter(kind=kind, object_id=object_id).first()
    if row is not None:
        row.delete()
        ring_next(row.sequence_key)


def release(held: Claim, *, retry_in_seconds: float) -> None:
    """Give the work back after a fault, which is counted, to be tried again by any worker."""
    due = timezone.now() + datetime.timedelta(seconds=retry_in_seconds)
    Dispatch.objects.filter(id=held.dispatch_id, fence=held.fence).update(
        lease_until=None, fence=None, due_at=due, faults=F("faults") + 1
    )


def ring_next(sequence_key: uuid.UUID | None) -> None:
    if sequence_key is None:
        return
    following = Dispatch.objects.filter(sequence_key=sequence_key).order_by("id").first()
    if following is not None:
        ring(kind=following.kind, object_id=following.object_id, organization_id=following.organization_id)
