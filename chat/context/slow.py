"""Telling of a source that takes long, while it is still being read."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, connections

from agencycore.ai.types import SourceName

logger = logging.getLogger(__name__)

SLOW_SECONDS = 2.0
# How soon a reading that began while nothing was read is noticed.
IDLE_SECONDS = 0.1

OnSlow = Callable[[SourceName], None]


class SlowWatch:
    """One thread for all readings of a turn: it tells ``on_slow`` of each that is going on after SLOW_SECONDS.

    Each is told at most once, and never once it is over. ``on_slow`` is called on that thread, which has a
    database connection of its own.
    """

    def __init__(self, on_slow: OnSlow | None) -> None:
        self._on_slow = on_slow
        self._since: dict[SourceName, float] = {}
        self._condition = threading.Condition()
        self._is_over = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """The readings of the block are watched."""
        if self._on_slow is None:
            yield
            return
        threading.Thread(target=self._watch, name="slow-sources", daemon=True).start()
        try:
            yield
        finally:
            with self._condition:
                self._is_over = True
                self._condition.notify()

    @contextmanager
    def reading(self, name: SourceName) -> Iterator[None]:
        with self._condition:
            self._since[name] = time.monotonic()
        try:
            yield
        finally:
            with self._condition:
                self._since.pop(name, None)

    def _watch(self) -> None:
        try:
            with self._condition:
                while not self._is_over:
                    if self._slow():
                        self._connect()
                    for name in self._slow():
                        del self._since[name]
                        self._give(name)
                    self._condition.wait(self._seconds_to_next())
        finally:
            connections.close_all()

    def _slow(self) -> list[SourceName]:
        now = time.monotonic()
        return [name for name, since in self._since.items() if now >= since + SLOW_SECONDS]

    def _connect(self) -> None:
        """A connection may have to be waited for: nobody's reading waits with us."""
        self._condition.release()
        try:
            connection.ensure_connection()
        except DatabaseError:
            logger.info("No connection to tell what is slow.")
        finally:
            self._condition.acquire()

    def _seconds_to_next(self) -> float:
        if not self._since:
            return min(IDLE_SECONDS, SLOW_SECONDS)
        return max(0.0, min(self._since.values()) + SLOW_SECONDS - time.monotonic())

    def _give(self, name: SourceName) -> None:
        assert self._on_slow is not None
        try:
            self._on_slow(name)
        except Exception:
            # Progress is a courtesy: the reading goes on without it.
            logger.exception("Telling that %s is slow failed.", name)
