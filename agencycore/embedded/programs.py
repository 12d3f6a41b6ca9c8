"""The processes of a running product: web, two worker pools, and the clock."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from agencycore.embedded.folders import make_data_folder

# Most of them wait for a model; six are at work at once (TURNS_AT_WORK).
TURN_THREADS = 32
# Three for each turn at work (its own, a source that calls out, a notice that one is slow), and two for the heartbeat
# and for looking whether an answer that is being written was stopped.
TURN_DATABASE_CONNECTIONS = 3 * 6 + 2
# A turn waits for one as long as it may take at all: failing it would help nobody.
TURN_CONNECTION_WAIT_SECONDS = 150
WORK_PROCESSES = 2
WEB_DATABASE_CONNECTIONS = 20
GRACE_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Program:
    """What runs under the product's Python. ``death_signal`` is sent if the supervisor is killed."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = GRACE_SECONDS


def front(host: str, port: int) -> list[Program]:
    """What a person's first question needs. Web comes first; the supervisor waits for it."""
    return [_web(host, port), _turns()]


def background() -> list[Program]:
    """What may come a moment later, when the address is printed already."""
    return [_work(), _beat()]


def _web(host: str, port: int) -> Program:
    return Program(
        name="web",
        arguments=(
            *("-m", "uvicorn", "agencycore.asgi:application"),
            *("--host", host, "--port", str(port), "--lifespan", "off"),
            *("--no-access-log", "--timeout-graceful-shutdown", "2"),
        ),
        environment={"DATABASE_POOL_SIZE": str(WEB_DATABASE_CONNECTIONS)},
        stop_seconds=5,
    )


def _turns() -> Program:
    return Program(
        name="turns",
        arguments=_worker("turns", "--pool", "threads", "--concurrency", str(TURN_THREADS)),
        environment={
            "DATABASE_POOL_SIZE": str(TURN_DATABASE_CONNECTIONS),
            "DATABASE_POOL_TIMEOUT": str(TURN_CONNECTION_WAIT_SECONDS),
        },
    )


def _work() -> Program:
    return Program(name="work", arguments=_worker("work", "--pool", "prefork", "--concurrency", str(WORK_PROCESSES)))


def _worker(queue: str, *pool: str) -> tuple[str, ...]:
    # Without gossip and mingle: pools do not need each other, and start two seconds sooner.
    quiet = ("--without-gossip", "--without-mingle", "--loglevel", "INFO")
    return ("-m", "celery", "-A", "agencycore", "worker", "-Q", queue, "-n", f"{queue}@%h", *pool, *quiet)


def _beat() -> Program:
    schedule = make_data_folder("beat") / "schedule"
    return Program(
        name="beat",
        arguments=("-m", "celery", "-A", "agencycore", "beat", "--pidfile=", "--schedule", str(schedule)),
    )
