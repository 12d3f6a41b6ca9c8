"""Runs and the conversations they were started from: who is told, what is stopped, which lock comes first."""

import threading
import uuid

import pytest
from django.db import connections

from agencycore.errors import NotFound, Refused
from agencycore.streams.models import Event, Stream
from agencycore.tenancy import tenant
from chat import actions
from chat.actions import delete_conversation, stop_run
from chat.models import Turn
from conversations.models import Conversation, Message
from runs import manager
from runs.ender import Ask, Enter, Succeed
from runs.models import Run
from tests.chat.turning import send, work_on
from tests.chat.working import delegate, end, publish_signals, report_on, reports_of
from tests.people import Person
from tests.runs.definitions import capability


@pytest.fixture(autouse=True)
def _signals(owner: Person) -> None:
    publish_signals(owner)


def run_of(turn: Turn) -> Run:
    with tenant(turn.organization_id):
        return Run.objects.get(id=turn.run_id)


def delete(person: Person, turn: Turn) -> None:
    with tenant(person.actor.organization_id):
        delete_conversation(actor=person.actor, conversation_id=turn.conversation_id)


def test_deleting_a_conversation_stops_its_live_runs_and_keeps_them(owner):
    turn = delegate(owner)
    ended = delegate(owner, "Find more", conversation_id=turn.conversation_id)
    end(ended, Succeed("None."))

    delete(owner, turn)

    stopped = run_of(turn)
    assert (stopped.state, stopped.cancelled_by_id) == ("cancelled", owner.user.id)
    assert run_of(ended).state == "succeeded"
    with tenant(turn.organization_id):
        assert not Conversation.objects.exists()
        assert not Stream.objects.exists()
    report_on(ended)
    assert reports_of(ended) == []


def test_a_conversation_in_which_work_starts_at_that_moment_is_not_deleted(owner, monkeypatch):
    turn = delegate(owner)
    monkeypatch.setattr(actions.manager, "cancel_all", lambda **_: [])

    with pytest.raises(Refused, match="Delete it again"):
        delete(owner, turn)

    assert run_of(turn).state == "queued"


def test_a_strangers_deletion_stops_nothing(owner, stranger, teammate):
    turn = delegate(owner)

    for person in (stranger, teammate):
        with pytest.raises(NotFound):
            delete(person, turn)

    assert run_of(turn).state == "queued"


def test_a_run_whose_conversation_is_gone_is_told_of_nowhere(owner):
    turn = delegate(owner)
    with tenant(turn.organization_id):
        Stream.objects.all().delete()
        Conversation.objects.all().delete()

    end(turn, Enter("Search"), Ask("Which Acme?"), Succeed("Done."))

    with tenant(turn.organization_id):
        assert not Stream.objects.exists()
        assert not Message.objects.exists()


def test_a_run_that_no_reply_of_the_conversation_started_asks_and_reports_nothing_in_it(owner):
    turn = delegate(owner)
    with tenant(turn.organization_id):
        run = manager.start(
            actor=owner.actor,
            capability=capability(owner, "signals-search"),
            message="Again",
            values={},
            start_key="schedule:1:today",
            conversation_id=turn.conversation_id,
        )
        manager.ask(run_id=run.id, question="Which Acme?")
        manager.succeed(run_id=run.id, result={"text": "Done."}, refs=[])

        assert not Message.objects.filter(kind__in=["question", "report"]).exists()
        states = Event.objects.filter(payload__run=str(run.id)).order_by("number")
        assert [event.payload["state"] for event in states] == ["queued", "waiting", "succeeded"]


def test_stopping_a_run_from_its_card_writes_no_message(owner, stranger, teammate, admin):
    turn = delegate(owner)
    with tenant(turn.organization_id):
        before = Message.objects.count()

    for person in (stranger, teammate):
        with tenant(person.actor.organization_id), pytest.raises(NotFound):
            stop_run(actor=person.actor, run_id=turn.run_id)
    with tenant(turn.organization_id):
        with pytest.raises(NotFound):
            stop_run(actor=owner.actor, run_id=uuid.uuid4())
        stopped = stop_run(actor=admin.actor, run_id=turn.run_id)
        again = stop_run(actor=owner.actor, run_id=turn.run_id)

    assert (stopped.state, stopped.cancelled_by_id, again.cancelled_by_id) == (
        "cancelled",
        admin.user.id,
        admin.user.id,
    )
    with tenant(turn.organization_id):
        assert Message.objects.count() == before
        told = Event.objects.filter(type="run.state").latest("number")
    assert told.payload == {"run": str(turn.run_id), "state": "cancelled", "label": "Stopped", "step": ""}


@pytest.mark.django_db(transaction=True)
def test_a_run_is_stopped_and_succeeds_at_once_and_ends_in_exactly_one_way(owner):
    """Also: a run's end, a turn's reply and a deletion take their locks in one order, so none waits for ever."""
    for _ in range(4):
        turn = delegate(owner)
        waiting = send(owner, "Stop that", conversation_id=turn.conversation_id)
        outcomes = at_once(
            lambda turn=turn: end(turn, Enter("Search"), Succeed("Done.")),
            lambda waiting=waiting: work_on(waiting),
            lambda turn=turn: stop(owner, turn),
        )

        assert [type(error) for error in outcomes if error is not None] in ([], [Refused])
        run = run_of(turn)
        report_on(turn)
        assert run.state in ("succeeded", "cancelled")
        assert len(reports_of(turn)) == (1 if run.state == "succeeded" else 0)


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_are_rung_for_one_report_write_one(owner):
    turn = delegate(owner)
    end(turn, Succeed("Done."))

    assert at_once(*[lambda: report_on(turn)] * 4) == [None] * 4

    assert len(reports_of(turn)) == 1


@pytest.mark.django_db(transaction=True)
def test_a_deletion_and_the_end_of_a_run_meet_without_a_trace_left(owner):
    for _ in range(4):
        turn = delegate(owner)

        outcomes = at_once(lambda turn=turn: end(turn, Succeed("Done.")), lambda turn=turn: delete(owner, turn))

        assert [type(error) for error in outcomes if error is not None] in ([], [Refused])
        report_on(turn)
        with tenant(turn.organization_id):
            assert not Stream.objects.filter(name=f"conversation:{turn.conversation_id}").exists()
            assert not Message.objects.exists()


def stop(person: Person, turn: Turn) -> None:
    with tenant(turn.organization_id):
        stop_run(actor=person.actor, run_id=turn.run_id)


def at_once(*works) -> list[Exception | None]:
    """Do all of it in parallel; what each of them raised."""
    raised: list[Exception | None] = [None] * len(works)
    together = threading.Barrier(len(works))

    def do(index: int) -> None:
        together.wait()
        try:
            works[index]()
        except Exception as error:
            raised[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=do, args=[index]) for index in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return raised
