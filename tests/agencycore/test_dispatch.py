"""Leases, order, fences and the sweeper."""

import datetime
import threading
import time
import uuid
from collections.abc import Iterator

import pytest
from django.db import connections
from django.utils import timezone

from agencycore.dispatch import queue, sweeper
from agencycore.dispatch.doorbell import SILENCE_SECONDS, get_work_doorbell
from agencycore.dispatch.heartbeat import holding, renew_all
from agencycore.dispatch.models import Dispatch

ORGANIZATION = uuid.uuid4()


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[uuid.UUID]:
    """The objects the doorbell was rung for, in order."""
    calls: list[uuid.UUID] = []
    monkeypatch.setattr(
        "agencycore.celery.app.send_task", lambda name, args, **options: calls.append(uuid.UUID(args[1]))
    )
    return calls


@pytest.fixture
def given_up(monkeypatch: pytest.MonkeyPatch) -> list[uuid.UUID]:
    """The objects the sweeper gave up, in order."""
    objects: list[uuid.UUID] = []
    monkeypatch.setattr(
        "agencycore.dispatch.sweeper.import_string",
        lambda path: lambda *, organization_id, object_id: objects.append(object_id),
    )
    return objects


@pytest.fixture(autouse=True)
def _fresh_doorbell() -> Iterator[None]:
    yield
    get_work_doorbell.cache_clear()


def enqueue(object_id: uuid.UUID, **extra: object) -> None:
    queue.enqueue(kind="turn", object_id=object_id, organization_id=ORGANIZATION, **extra)  # type: ignore[arg-type]


def claim(object_id: uuid.UUID) -> queue.Claim | None:
    return queue.claim(kind="turn", object_id=object_id, deadline_seconds=150)


def let_lease_expire(held: queue.Claim) -> None:
    Dispatch.objects.filter(id=held.dispatch_id).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))


def test_enqueueing_twice_makes_one_row_and_rings_once(db, rung, django_capture_on_commit_callbacks):
    work = uuid.uuid4()

    with django_capture_on_commit_callbacks(execute=True):
        enqueue(work)
        enqueue(work)

    assert Dispatch.objects.filter(object_id=work).count() == 1
    assert rung == [work]


def test_a_ring_that_fails_is_swallowed_and_the_row_is_kept(db, monkeypatch, django_capture_on_commit_callbacks):
    def refuse(*args: object, **options: object) -> None:
        raise ConnectionError

    monkeypatch.setattr("agencycore.celery.app.send_task", refuse)
    work = uuid.uuid4()

    with django_capture_on_commit_callbacks(execute=True):
        enqueue(work)

    assert Dispatch.objects.filter(object_id=work).exists()


def test_after_a_failed_ring_nothing_is_tried_for_a_while_and_then_again(db, monkeypatch):
    tried: list[str] = []

    def refuse(name: str, args: list[str], **options: object) -> None:
        tried.append(args[1])
        raise ConnectionError

    monkeypatch.setattr("agencycore.celery.app.send_task", refuse)
    works = [uuid.uuid4() for _ in range(3)]
    bell = get_work_doorbell()

    for work in works[:2]:
        bell.ring(kind="turn", object_id=work, organization_id=ORGANIZATION)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + SILENCE_SECONDS + 1)
    bell.ring(kind="turn", object_id=works[2], organization_id=ORGANIZATION)

    assert tried == [str(works[0]), str(works[2])]


def test_held_work_is_claimed_by_nobody_else(db):
    work = uuid.uuid4()
    enqueue(work)

    first = claim(work)

    assert first is not None
    assert first.attempt == 1
    assert claim(work) is None


def test_of_many_processes_exactly_one_claims(transactional_db):
    work = uuid.uuid4()
    enqueue(work)
    claims: list[queue.Claim | None] = []

    def compete() -> None:
        claims.append(claim(work))
        connections.close_all()

    threads = [threading.Thread(target=compete) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(held is not None for held in claims) == 1


def test_an_expired_lease_is_taken_over_and_the_old_holder_can_write_nothing(db):
    work = uuid.uuid4()
    enqueue(work)
    old = claim(work)
    assert old is not None
    let_lease_expire(old)

    new = claim(work)

    assert new is not None
    assert new.attempt == 2
    with pytest.raises(queue.LostLease):
        queue.hold(old)
    assert queue.finish(old) is False
    assert queue.finish(new) is True


def test_work_of_one_sequence_is_done_in_order(db, rung, django_capture_on_commit_callbacks):
    sequence, first, second = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    enqueue(first, sequence_key=sequence)
    enqueue(second, sequence_key=sequence)

    assert claim(second) is None
    held = claim(first)
    assert held is not None
    rung.clear()
    with django_capture_on_commit_callbacks(execute=True):
        queue.finish(held)

    assert rung == [second]
    assert claim(second) is not None


def test_work_is_not_claimed_after_its_last_fault(db, settings):
    work = uuid.uuid4()
    enqueue(work)
    for faults in range(settings.MAX_ATTEMPTS):
        held = claim(work)
        assert held is not None
        assert held.faults == faults
        queue.release(held, retry_in_seconds=0)

    assert claim(work) is None


def test_a_lost_worker_is_no_fault_of_work_that_has_a_deadline(db, rung, given_up, settings):
    work = uuid.uuid4()
    enqueue(work)
    for attempt in range(1, 3 * settings.MAX_ATTEMPTS):
        held = claim(work)
        assert held is not None
        assert (held.attempt, held.faults) == (attempt, 0)
        let_lease_expire(held)
    sweeper.sweep()
    assert given_up == []

    Dispatch.objects.update(deadline_at=timezone.now())
    assert claim(work) is None
    sweeper.sweep()

    assert given_up == [work]


def test_a_lost_worker_counts_where_no_deadline_bounds_the_work(db, rung, given_up, settings):
    work = uuid.uuid4()
    enqueue(work)
    for _ in range(settings.MAX_ATTEMPTS):
        held = queue.claim(kind="turn", object_id=work)
        assert held is not None
        let_lease_expire(held)

    assert queue.claim(kind="turn", object_id=work) is None
    sweeper.sweep()

    assert given_up == [work]


def test_the_deadline_counts_from_the_first_claim(db):
    work = uuid.uuid4()
    enqueue(work, deadline_at=timezone.now() + datetime.timedelta(days=1))
    held = claim(work)
    assert held is not None
    first = Dispatch.objects.get(object_id=work).deadline_at
    let_lease_expire(held)

    claim(work)

    assert first is not None
    assert first < timezone.now() + datetime.timedelta(seconds=151)
    assert Dispatch.objects.get(object_id=work).deadline_at == first


def test_released_work_waits_and_is_then_claimed_again(db):
    work = uuid.uuid4()
    enqueue(work)
    held = claim(work)
    assert held is not None

    queue.release(held, retry_in_seconds=60)

    assert claim(work) is None
    Dispatch.objects.filter(object_id=work).update(due_at=timezone.now())
    again = claim(work)
    assert again is not None
    assert again.attempt == 2


def test_the_heartbeat_renews_what_is_held_and_nothing_else(db):
    held_work, other_work = uuid.uuid4(), uuid.uuid4()
    enqueue(held_work)
    enqueue(other_work)
    held, other = claim(held_work), claim(other_work)
    assert held is not None
    assert other is not None
    let_lease_expire(held)
    let_lease_expire(other)

    with holding(held):
        assert renew_all() == 1

    assert claim(held_work) is None
    assert claim(other_work) is not None
    assert renew_all() == 0


def test_the_sweeper_rings_for_the_first_of_each_sequence_and_for_nothing_held(
    db, rung, django_capture_on_commit_callbacks
):
    sequence, first, second, held_work, lost = (uuid.uuid4() for _ in range(5))
    enqueue(first, sequence_key=sequence)
    enqueue(second, sequence_key=sequence)
    enqueue(held_work)
    enqueue(lost)
    claim(held_work)
    lost_claim = claim(lost)
    assert lost_claim is not None
    let_lease_expire(lost_claim)

    with django_capture_on_commit_callbacks(execute=True):
        sweeper.sweep()

    assert set(rung) == {first, lost}


def test_the_sweeper_gives_up_what_is_past_its_deadline_or_out_of_attempts(db, given_up, rung, settings):
    late, spent, faulty, fresh = (uuid.uuid4() for _ in range(4))
    enqueue(late, deadline_at=timezone.now() - datetime.timedelta(seconds=1))
    enqueue(spent)
    enqueue(faulty, deadline_at=timezone.now() + datetime.timedelta(days=1))
    enqueue(fresh)
    Dispatch.objects.filter(object_id=spent).update(attempts=settings.MAX_ATTEMPTS)
    Dispatch.objects.filter(object_id=faulty).update(faults=settings.MAX_ATTEMPTS)

    sweeper.sweep()

    assert set(given_up) == {late, spent, faulty}


def test_one_failing_give_up_does_not_keep_the_sweeper_from_the_rest(db, monkeypatch, rung, caplog):
    given_up: list[uuid.UUID] = []
    bad, good = uuid.uuid4(), uuid.uuid4()

    def give_up(*, organization_id: uuid.UUID, object_id: uuid.UUID) -> None:
        if object_id == bad:
            raise ValueError("broken")
        given_up.append(object_id)

    monkeypatch.setattr("agencycore.dispatch.sweeper.import_string", lambda path: give_up)
    for work in (bad, good):
        enqueue(work, deadline_at=timezone.now() - datetime.timedelta(seconds=1))

    sweeper.sweep()

    assert given_up == [good]
    assert "Could not give up turn" in caplog.text


def test_withdrawn_work_is_lost_to_its_holder_and_the_next_is_rung(db, rung, django_capture_on_commit_callbacks):
    sequence, first, second = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    enqueue(first, sequence_key=sequence)
    enqueue(second, sequence_key=sequence)
    held = claim(first)
    assert held is not None

    with django_capture_on_commit_callbacks(execute=True):
        queue.withdraw(kind="turn", object_id=first)

    assert second in rung
    with pytest.raises(queue.LostLease):
        queue.hold(held)
