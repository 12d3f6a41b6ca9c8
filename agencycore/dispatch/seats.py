"""How much work of one process goes on at once; what waits for a model is not counted.

A process has many threads, so that many can wait for a model, and one core's worth of Python: if all of them worked
at once, each would be so slow that it ran into its time limits.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.conf import settings

from agencycore.connections import give_back_connection


class Seats:
    """``count`` threads at once. Whoever comes back goes before those who begin: their work is nearly done."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._returning = 0
        self._changed = threading.Condition()
        self._own = threading.local()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a seat, and have it for the block."""
        self._take()
        self._own.seat = True
        try:
            yield
        finally:
            self._own.seat = False
            self._leave()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Let somebody else have this thread's seat during the block, if it has one."""
        if not getattr(self._own, "seat", False):
            yield
            return
        self._leave()
        try:
            yield
        finally:
            self._take_again()

    def _take(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 and not self._returning)
            self._free -= 1

    def _take_again(self) -> None:
        with self._changed:
            self._returning += 1
            self._changed.wait_for(lambda: self._free > 0)
            self._returning -= 1
            self._free -= 1
            self._changed.notify_all()

    def _leave(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()


@cache
def get_seats() -> Seats:
    return Seats(settings.TURNS_AT_WORK)


@contextmanager
def waiting_for_a_model() -> Iterator[None]:
    """The block uses neither a seat nor, outside of a transaction, a database connection of this thread."""
    give_back_connection()
    with get_seats().left():
        yield
