"""Numbers, order and visibility of published events."""

import threading

import pytest
import redis
from django.db import connection, transaction

from agencycore.streams.doorbell import Doorbell, get_doorbell
from agencycore.streams.events import StreamEvent, events_after, last_number
from agencycore.streams.models import Event, Stream
from agencycore.streams.publisher import NewEvent, publish
from agencycore.tenancy import tenant

STREAM = "conversation:0192"


def _publish(organization, *types, stream=STREAM):
    publish(stream=stream, organization_id=organization.id, events=[NewEvent(name, {"of": name}) for name in types])


@pytest.mark.django_db
def test_events_are_numbered_from_one_without_a_gap(organization):
    with tenant(organization.id):
        _publish(organization, "a", "b")
        _publish(organization, "c")

        assert events_after(STREAM, 0) == (
            StreamEvent(1, "a", {"of": "a"}),
            StreamEvent(2, "b", {"of": "b"}),
            StreamEvent(3, "c", {"of": "c"}),
        )
        assert last_number(STREAM) == 3


@pytest.mark.django_db
def test_a_replay_begins_after_the_given_number_and_keeps_its_limit(organization):
    with tenant(organization.id):
        _publish(organization, "a", "b", "c", "d")

        assert [event.number for event in events_after(STREAM, 1, limit=2)] == [2, 3]
        assert events_after(STREAM, 4) == ()


@pytest.mark.django_db
def test_each_stream_counts_for_itself(organization):
    with tenant(organization.id):
        _publish(organization, "a", "b")
        _publish(organization, "x", stream="run:0192")

        assert (last_number(STREAM), last_number("run:0192"), last_number("run:none")) == (2, 1, 0)


@pytest.mark.django_db
def test_publishing_takes_one_statement_however_many_events(organization, django_assert_num_queries):
    with tenant(organization.id):
        with django_assert_num_queries(1):
            _publish(organization, "a")
        with django_assert_num_queries(1):
            _publish(organization, *["b"] * 50)


@pytest.mark.django_db
def test_no_events_means_no_stream_and_no_statement(organization, django_assert_num_queries):
    with tenant(organization.id):
        with django_assert_num_queries(0):
            _publish(organization)

        assert not Stream.objects.exists()


@pytest.mark.django_db
def test_a_stranger_reads_nothing_of_a_stream(organization, other_organization):
    with tenant(organization.id):
        _publish(organization, "a")

    with tenant(other_organization.id):
        assert events_after(STREAM, 0) == ()
        assert last_number(STREAM) == 0
        assert not Event.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_event_leaves_no_gap(organization):
    with tenant(organization.id):
        _publish(organization, "a")
    with tenant(organization.id):
        _publish(organization, "lost")
        transaction.set_rollback(True)
    with tenant(organization.id):
        _publish(organization, "b")

        assert [(event.number, event.type) for event in events_after(STREAM, 0)] == [(1, "a"), (2, "b")]


@pytest.mark.django_db(transaction=True)
def test_publishers_at_once_number_every_event_exactly_once(organization):
    def work():
        for _ in range(10):
            with tenant(organization.id):
                _publish(organization, "tick", "tock")
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with tenant(organization.id):
        assert [event.number for event in events_after(STREAM, 0)] == list(range(1, 81))


@pytest.mark.django_db(transaction=True)
def test_sockets_are_woken_after_the_commit_and_not_before(organization, monkeypatch):
    rung = []
    monkeypatch.setattr(get_doorbell(), "ring", lambda group, message: rung.append((group, message)))

    with tenant(organization.id):
        _publish(organization, "a")
        assert rung == []

    assert rung == [
        (
            f"{organization.id.hex}.conversation.0192",
            {"type": "stream.events", "events": [{"number": 1, "type": "a", "payload": {"of": "a"}}]},
        )
    ]


@pytest.mark.django_db(transaction=True)
def test_a_failing_redis_is_logged_and_later_hooks_still_run(organization, monkeypatch, caplog, tmp_path):
    doorbell = Doorbell(f"unix://{tmp_path}/nobody-listens.sock")
    monkeypatch.setattr("agencycore.streams.publisher.get_doorbell", lambda: doorbell)
    later = []

    with tenant(organization.id):
        _publish(organization, "a")
        transaction.on_commit(lambda: later.append("ran"))

    assert later == ["ran"]
    assert "Sockets could not be woken" in caplog.text
    with tenant(organization.id):
        assert last_number(STREAM) == 1


def test_a_failing_redis_is_left_alone_for_a_while(monkeypatch, tmp_path):
    doorbell = Doorbell(f"unix://{tmp_path}/nobody-listens.sock")
    attempts = []

    def refuse(*arguments):
        attempts.append(arguments)
        raise redis.ConnectionError("refused")

    monkeypatch.setattr(doorbell._redis, "publish", refuse)

    doorbell.ring("group", {"type": "stream.events"})
    doorbell.ring("group", {"type": "stream.events"})

    assert len(attempts) == 1
