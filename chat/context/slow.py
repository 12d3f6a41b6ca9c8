"""Telling of a source that takes long, while it is still being read."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connections

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
                    self._condition.wait(self._tell())
        finally:
            connections.close_all()

    def _tell(self) -> float:
        """Tell of what is slow by now; returns the seconds until something else may be."""
        now = time.monotonic()
        for name in [name for name, since in self._since.items() if now >= since + SLOW_SECONDS]:
            del self._since[name]
            self._give(name)
        if not self._since:
            return min(IDLE_SECONDS, SLOW_SECONDS)
        return min(self._since.values()) + SLOW_SECONDS - now

    def _give(self, name: SourceName) -> None:
        assert self._on_slow is not None
        try:
            self._on_slow(name)
        except Exception:
            # Progress is a courtesy: the reading goes on without it.
            logger.exception("Telling that %s is slow failed.", name)
