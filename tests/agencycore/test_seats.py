"""Few at work, many waiting."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agencycore.dispatch.seats import Seats
from tests.agencycore.bundled import wait_until

PATIENCE_SECONDS = 30


def waiting(seats: Seats) -> int:
    return len(seats._changed._waiters)  # type: ignore[attr-defined]


def test_no_more_than_there_are_seats_work_at_once():
    seats = Seats(2)
    at_work, most, lock = 0, 0, threading.Lock()
    first_two = threading.Barrier(2, timeout=PATIENCE_SECONDS)

    def work(number: int) -> None:
        nonlocal at_work, most
        with seats.taken():
            with lock:
                at_work += 1
                most = max(most, at_work)
            if number < 2:
                first_two.wait()  # two are let in together
            with lock:
                at_work -= 1

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(work, range(20)))

    assert (most, at_work) == (2, 0)


def test_all_can_wait_for_a_model_at_once_over_one_seat():
    seats = Seats(1)
    together = threading.Barrier(10, timeout=PATIENCE_SECONDS)

    def work(_: int) -> None:
        with seats.taken(), seats.left():
            together.wait()

    with ThreadPoolExecutor(10) as threads:
        list(threads.map(work, range(10)))


def test_whoever_comes_back_goes_before_those_who_begin():
    seats = Seats(1)
    order: list[str] = []
    answered = threading.Event()

    def come_back() -> None:
        with seats.taken():
            with seats.left():
                answered.wait(PATIENCE_SECONDS)
            order.append("back")

    def begin() -> None:
        with seats.taken():
            order.append("new")

    with ThreadPoolExecutor(3) as threads:
        done = [threads.submit(come_back)]
        wait_until(lambda: seats._free == 1)
        with seats.taken():
            done.append(threads.submit(begin))
            wait_until(lambda: waiting(seats) == 1)
            answered.set()
            wait_until(lambda: waiting(seats) == 2)
        for future in done:
            future.result(PATIENCE_SECONDS)

    assert order == ["back", "new"]


def test_a_seat_is_free_again_after_a_fault_at_work_and_away():
    seats = Seats(1)

    with pytest.raises(ValueError, match="work"), seats.taken():
        raise ValueError("work")
    with pytest.raises(ValueError, match="model"), seats.taken(), seats.left():
        raise ValueError("model")

    with seats.taken():
        assert seats._free == 0


def test_whoever_has_no_seat_gives_none_up():
    seats = Seats(1)

    with seats.left():
        assert seats._free == 1

    assert seats._free == 1
