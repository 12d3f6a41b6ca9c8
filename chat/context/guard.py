"""Reading one source under a time limit, so that its failure is its own.

Each source is read inside a savepoint with a statement timeout: what fails or is late is rolled
back, logged and reported, and the brief goes on without it.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from django.db import connection, connections, transaction
from django.db.backends.utils import CursorWrapper

from agencycore.ai.types import SourceName, SourceState
from chat.context.port import Degraded, Skipped, Unavailable

logger = logging.getLogger(__name__)

SLOW_SECONDS = 2.0
LATE = "It took too long."
FAILED = "It could not be read."

ResultT = TypeVar("ResultT")
OnSlow = Callable[[SourceName], None]


class SourceLate(Exception):
    """A source's time was up between two of its statements."""


@dataclass(slots=True)
class Reading:
    """How one source has done so far."""

    state: SourceState = "ok"
    seconds: float = 0.0
    reason: str = ""

    @property
    def milliseconds(self) -> int:
        return round(self.seconds * 1000)

    def give_up(self, reason: str) -> None:
        self.state, self.reason = "unavailable", reason


@dataclass(slots=True)
class Guard:
    """Runs the reads of one turn. ``deadline`` is on the clock of ``time.monotonic``."""

    deadline: float
    source_seconds: float
    on_slow: OnSlow | None = None
    readings: dict[SourceName, Reading] = field(default_factory=dict)

    def reading(self, name: SourceName) -> Reading:
        return self.readings.setdefault(name, Reading())

    def read(
        self, name: SourceName, read: Callable[[], ResultT], otherwise: ResultT, *, to_deadline: bool = False
    ) -> ResultT:
        """What ``read`` returns; ``otherwise`` if the source fails, is late, or has failed before.

        ``to_deadline`` gives it all the time there is: for one that delays no other.
        """
        reading = self.reading(name)
        if reading.state == "unavailable":
            return otherwise
        seconds = self.deadline - time.monotonic()
        if not to_deadline:
            seconds = min(self.source_seconds, seconds)
        if seconds <= 0:
            logger.warning("Context source %s was not read: the time for all sources was up.", name)
            reading.give_up(LATE)
            return otherwise
        started = time.monotonic()
        try:
            with slow_notice(name, self.on_slow), transaction.atomic(), time_limit(seconds):
                return read()
        except (Degraded, Skipped, Unavailable):
            raise
        except Exception as error:
            # The contract of the port: whatever one source raises, the other sources are read.
            if connection.needs_rollback or connection.closed_in_transaction:
                raise  # the database is gone, not one source: the turn is tried again
            is_late = isinstance(error, SourceLate) or time.monotonic() - started >= seconds
            logger.exception("Context source %s is unavailable.", name)
            reading.give_up(LATE if is_late else FAILED)
            return otherwise
        finally:
            reading.seconds += time.monotonic() - started


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """No statement of the block runs longer than ``seconds``, and none starts after them."""
    ends = time.monotonic() + seconds
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(max(1, round(seconds * 1000)))])

    def refuse_late(
        execute: Callable[..., object], sql: str, params: object, many: bool, context: dict[str, CursorWrapper]
    ) -> object:
        if time.monotonic() > ends:
            raise SourceLate
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse_late):
        yield


@contextmanager
def read_only() -> Iterator[None]:
    """The surrounding transaction can write nothing, and forgets its time limit at the end of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout TO DEFAULT")


@contextmanager
def slow_notice(name: SourceName, on_slow: OnSlow | None) -> Iterator[None]:
    """Tell ``on_slow`` if the block is still going after SLOW_SECONDS, and never once it is over."""
    if on_slow is None:
        yield
        return
    notice = _Notice(name, on_slow)
    timer = threading.Timer(SLOW_SECONDS, notice.give)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        notice.withdraw()


class _Notice:
    """A notice that is given at most once, and not after it was withdrawn."""

    def __init__(self, name: SourceName, on_slow: OnSlow) -> None:
        self._name = name
        self._on_slow = on_slow
        self._lock = threading.Lock()
        self._is_withdrawn = False

    def give(self) -> None:
        """Runs on the timer's thread, which has a database connection of its own."""
        with self._lock:
            if self._is_withdrawn:
                return
            try:
                self._on_slow(self._name)
            except Exception:
                # Progress is a courtesy: the reading goes on without it.
                logger.exception("Telling that %s is slow failed.", self._name)
            finally:
                connections.close_all()

    def withdraw(self) -> None:
        with self._lock:
            self._is_withdrawn = True
