"""Reading one source under a time limit, so that its failure is its own.

Each source is read inside a savepoint with a statement timeout: what fails or is late is rolled
back, logged and reported, and the brief goes on without it. The savepoint is made with the first
statement of a source; many sources have none to make.
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import DatabaseError, connection

from agencycore.ai.types import SourceName, SourceState
from chat.context.port import Degraded, Skipped, Unavailable
from chat.context.slow import SlowWatch

logger = logging.getLogger(__name__)

LATE = "It took too long."
FAILED = "It could not be read."

ResultT = TypeVar("ResultT")


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
    watch: SlowWatch
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
            with self.watch.reading(name), time_limit(seconds):
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
    """No statement of the block runs longer than ``seconds``, and none starts after them.

    Inside a transaction, which goes on after an error in the block: that takes back what the block did.
    """
    limited = _Limited(seconds)
    try:
        with connection.execute_wrapper(limited.execute):
            yield
    except BaseException:
        limited.roll_back()
        raise


class _Limited:
    """The statements of one block."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._milliseconds = max(1, round(seconds * 1000))
        self._savepoint = ""

    def execute(
        self, execute: Callable[..., object], sql: str, params: object, many: bool, context: dict[str, Any]
    ) -> object:
        if time.monotonic() > self._ends:
            raise SourceLate
        if not self._savepoint:
            self._savepoint = f"limited_{uuid.uuid4().hex}"
            with connection.cursor() as cursor:
                cursor.execute(f"SAVEPOINT {self._savepoint}; SET LOCAL statement_timeout TO {self._milliseconds}")
        return execute(sql, params, many, context)

    def roll_back(self) -> None:
        """As an inner ``atomic`` block ends: where nothing can be taken back, the whole transaction fails."""
        if connection.closed_in_transaction:
            return
        connection.needs_rollback = False
        if not self._savepoint:
            return
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"ROLLBACK TO SAVEPOINT {self._savepoint}")
        except DatabaseError:
            connection.needs_rollback = True


@contextmanager
def own_time_limits() -> Iterator[None]:
    """The time limits of the block end with its transaction; where that stands inside another one, with the block."""
    is_nested = connection.in_atomic_block
    yield
    if is_nested:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout TO DEFAULT")
