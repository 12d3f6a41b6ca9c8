"""Reading one source under a time limit, so that its failure is its own.

The sources of one transaction are read behind a savepoint with a statement timeout: after one that fails or is late
the transaction goes back to it, which takes nothing from the others since none of them writes; the failure is logged
and reported, and the brief goes on without it. The savepoint is made with the first statement of the first source.
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
class Limits:
    """What one transaction has been told: its savepoint, and how long a statement may run (0: not said yet)."""

    savepoint: str = ""
    milliseconds: int = 0


@dataclass(slots=True)
class Guard:
    """Runs the reads of one turn in one transaction. ``deadline`` is on the clock of ``time.monotonic``."""

    deadline: float
    source_seconds: float
    watch: SlowWatch
    readings: dict[SourceName, Reading] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    def for_own_transaction(self) -> "Guard":
        """The same turn's, for a source that is read in a transaction of its own."""
        return replace(self, limits=Limits())

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
            with self.watch.reading(name), time_limit(seconds, self.limits):
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
def time_limit(seconds: float, limits: Limits | None = None) -> Iterator[None]:
    """No statement of the block runs longer than ``seconds``, and none starts after them.

    Inside a transaction, which goes on after an error in the block: that takes back what the block did. Blocks that
    share ``limits`` share one savepoint; of those none may write.
    """
    limited = _Limited(seconds, limits or Limits())
    try:
        with connection.execute_wrapper(limited.execute):
            yield
    except BaseException:
        limited.roll_back()
        raise


class _Limited:
    """The statements of one block."""

    def __init__(self, seconds: float, limits: Limits) -> None:
        self._ends = time.monotonic() + seconds
        self._milliseconds = max(1, round(seconds * 1000))
        self._limits = limits
        self._has_begun = False

    def execute(
        self, execute: Callable[..., object], sql: str, params: object, many: bool, context: dict[str, Any]
    ) -> object:
        if time.monotonic() > self._ends:
            raise SourceLate
        self._has_begun = True
        if self._limits.milliseconds != self._milliseconds:
            self._tell_limit()
        return execute(sql, params, many, context)

    def _tell_limit(self) -> None:
        limits, begin = self._limits, ""
        if not limits.savepoint:
            limits.savepoint = f"limited_{uuid.uuid4().hex}"
            begin = f"SAVEPOINT {limits.savepoint}; "
        limits.milliseconds = self._milliseconds  # before it is told: that comes through `execute` as well
        with connection.cursor() as cursor:
            cursor.execute(f"{begin}SET LOCAL statement_timeout TO {self._milliseconds}")

    def roll_back(self) -> None:
        """As an inner ``atomic`` block ends: where nothing can be taken back, the whole transaction fails."""
        if connection.closed_in_transaction:
            return
        connection.needs_rollback = False
        if not (self._has_begun and self._limits.savepoint):
            return
        self._limits.milliseconds = 0  # set after the savepoint, so taken back with the rest
        try:
            with connection.cursor() as cursor:
                cursor.execute(f"ROLLBACK TO SAVEPOINT {self._limits.savepoint}")
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
