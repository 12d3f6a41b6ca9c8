"""Many turns at once over few seats and database connections: whoever waits for a model holds none of them."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import pytest
from django.db import OperationalError, connection, connections
from psycopg_pool import ConnectionPool

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.dispatch.models import Dispatch
from agencycore.dispatch.seats import get_seats
from chat import deltas, tasks, turns
from chat.models import Turn
from tests.agencycore.bundled import wait_until
from tests.chat.turning import expire_lease, replies_to, reread, send
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)

CONNECTIONS = 2
TURNS = 6
PATIENCE_SECONDS = 30
QUESTION = "What is kept in the vault?"
REPLY = render_decision(
    WireAnswer(outcome="answer", citations=[], unresolved=["The vault"], offer="", text="Not known here.")
)


@pytest.fixture(autouse=True)
def _seats(settings) -> Iterator[None]:
    settings.TURNS_AT_WORK = CONNECTIONS
    get_seats.cache_clear()
    yield
    get_seats.cache_clear()


@pytest.fixture
def pool() -> Iterator[ConnectionPool]:
    """As a worker of threads has it, and smaller."""
    connection.close()
    options = connection.settings_dict["OPTIONS"]
    options["pool"] = {"min_size": CONNECTIONS, "max_size": CONNECTIONS, "timeout": PATIENCE_SECONDS}
    connection.pool.open(wait=True)
    yield connection.pool
    connection.close()
    connection.close_pool()
    del options["pool"]


@contextmanager
def all_taken(pool: ConnectionPool) -> Iterator[None]:
    """No connection is left while the block runs."""
    connection.close()
    taken = [pool.getconn() for _ in range(CONNECTIONS)]
    try:
        yield
    finally:
        for one in taken:
            pool.putconn(one)


def in_a_worker(turn: Turn) -> None:
    try:
        tasks.process_turn(str(turn.organization_id), str(turn.id))
    finally:
        connections.close_all()


def lose_the_database(**_: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def at_once(threads: ThreadPoolExecutor, work: Callable[[Turn], None], turns: Sequence[Turn]) -> list["Future[None]"]:
    connection.close()
    return [threads.submit(work, turn) for turn in turns]


def test_turns_that_wait_for_a_model_hold_no_seat_and_no_connection(owner: Person, pool: ConnectionPool, monkeypatch):
    monkeypatch.setattr(deltas, "STOP_CHECK_SECONDS", 0.0)
    sent = [send(owner, QUESTION) for _ in range(TURNS)]
    all_wait = threading.Barrier(TURNS, timeout=PATIENCE_SECONDS)

    def meet(request) -> str:
        all_wait.wait()
        request.on_text(REPLY[:10])  # looks in the database whether the turn was stopped
        all_wait.wait()
        return REPLY

    with playing([meet] * TURNS), ThreadPoolExecutor(TURNS) as threads:
        done = at_once(threads, in_a_worker, sent)

    assert [future.exception() for future in done] == [None] * TURNS
    assert [reread(turn).state for turn in sent] == ["answered"] * TURNS


def test_a_turn_that_finds_no_connection_waits_for_one(owner: Person, pool: ConnectionPool):
    turn = send(owner, QUESTION)

    with playing([REPLY]), ThreadPoolExecutor(1) as threads:
        with all_taken(pool):
            [done] = at_once(threads, in_a_worker, [turn])
            wait_until(lambda: pool.get_stats()["requests_waiting"] == 1)
        done.result(PATIENCE_SECONDS)

    assert reread(turn).state == "answered"


def test_a_turn_that_waited_in_vain_is_not_lost_and_not_to_blame(owner: Person, pool: ConnectionPool):
    turn = send(owner, QUESTION)
    pool.timeout = 0.05
    with playing([]), all_taken(pool), pytest.raises(OperationalError):
        in_a_worker(turn)

    def take_all(request) -> str:
        taken.enter_context(all_taken(pool))
        return REPLY

    with ExitStack() as taken, playing([take_all]):
        in_a_worker(turn)
    assert reread(turn).state == "finding_capability"
    assert Dispatch.objects.values_list("attempts", "faults").get() == (1, 0)

    expire_lease(turn)
    with playing([REPLY]):
        in_a_worker(turn)
    assert reread(turn).state == "answered"
    assert len(replies_to(turn)) == 1


def test_a_turn_whose_connection_broke_is_given_back_on_another_one(owner: Person, pool: ConnectionPool, monkeypatch):
    turn = send(owner, QUESTION)
    with monkeypatch.context() as patch:
        patch.setattr(turns, "build_context", lose_the_database)
        in_a_worker(turn)
    given_back = Dispatch.objects.get()
    assert (given_back.attempts, given_back.faults, given_back.lease_until) == (1, 1, None)

    Dispatch.objects.update(due_at=given_back.queued_at)
    with playing([REPLY]):
        in_a_worker(turn)
    assert reread(turn).state == "answered"
