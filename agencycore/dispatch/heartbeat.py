"""One thread per process that keeps the leases of the work this process is doing."""

import datetime
import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error, connection
from django.db.models.functions import Now

from agencycore.dispatch.models import Dispatch
from agencycore.dispatch.queue import Claim

logger = logging.getLogger(__name__)

_held: set[uuid.UUID] = set()
_lock = threading.Lock()
_thread: threading.Thread | None = None
_wake = threading.Event()


@contextmanager
def holding(claim: Claim) -> Iterator[None]:
    """Renew ``claim``'s lease in the background while the block runs."""
    with _lock:
        _held.add(claim.fence)
    _ensure_thread()
    try:
        yield
    finally:
        with _lock:
            _held.discard(claim.fence)


def renew_all() -> int:
    """Renew every lease this process holds, in one statement; returns how many are still ours."""
    with _lock:
        fences = list(_held)
    if not fences:
        return 0
    # The database's clock: leases are compared with it.
    until = Now() + _lease()
    return Dispatch.objects.filter(fence__in=fences).update(lease_until=until)


def _lease() -> datetime.timedelta:
    return datetime.timedelta(seconds=settings.LEASE_SECONDS)


def _ensure_thread() -> None:
    global _thread
    with _lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_beat, name="lease-heartbeat", daemon=True)
            _thread.start()


def _beat() -> None:
    while True:
        _wake.wait(settings.HEARTBEAT_SECONDS)
        with _lock:
            idle = not _held
        try:
            if not idle:
                renew_all()
        except Error:
            logger.warning("Could not renew leases; trying again.")
            connection.close()
        # In a pool it keeps the one it has while there are leases: whoever waits for one by then has to be renewed.
        if idle or not settings.DATABASE_POOL_SIZE:
            connection.close()
