"""What ``ask`` says of a run it leaves behind, and how it sees one through."""

import threading
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connections

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireDelegate
from agencycore.dispatch import queue
from chat import run_following
from chat.run_following import is_any_worker_alive, see_through
from runs.ender import Succeed
from tests.chat.working import REQUEST, SIGNALS, delegate, end, publish_signals, reports_of
from tests.people import Person


@pytest.fixture(autouse=True)
def _signals(owner: Person) -> None:
    publish_signals(owner)


def ask(person: Person) -> tuple[str, str]:
    out, side = StringIO(), StringIO()
    with playing([WireDelegate(outcome="delegate", capability=SIGNALS, input_json="{}")]):
        call_command("ask", REQUEST, user=person.user.username, org=person.organization.slug, stdout=out, stderr=side)
    return out.getvalue(), side.getvalue()


def test_a_broker_that_is_away_has_no_workers(monkeypatch):
    def refuse(timeout: float) -> list[dict[str, object]]:
        raise OSError("connection refused")

    monkeypatch.setattr(run_following.app.control, "ping", refuse)

    assert not is_any_worker_alive()


@pytest.mark.parametrize(
    ("answers", "side"), [([], "The run is left to the workers, and none is running.\n"), ([{"w": 1}], "")]
)
def test_a_run_nobody_could_take_up_is_said_on_the_side(owner, monkeypatch, answers, side):
    monkeypatch.setattr(run_following.app.control, "ping", lambda timeout: answers)

    said, beside = ask(owner)

    assert said.startswith("I handed this to Signals Search.")
    assert beside == side


@pytest.mark.django_db(transaction=True)
def test_a_run_that_is_being_worked_on_is_waited_for_and_reported(owner, monkeypatch):
    turn = delegate(owner)
    claim = queue.enqueue_claimed(
        kind="run",
        object_id=turn.run_id,
        organization_id=turn.organization_id,
        sequence_key=None,
        deadline_at=turn.deadline_at,
    )
    waited = threading.Event()
    monkeypatch.setattr(run_following.time, "sleep", lambda seconds: waited.set())

    def work() -> None:
        try:
            assert waited.wait(timeout=10)
            end(turn, Succeed("Acme raised seed funding."))
            queue.finish(claim)
        finally:
            connections.close_all()

    worker = threading.Thread(target=work)
    worker.start()
    run = see_through(organization_id=turn.organization_id, run_id=turn.run_id)
    worker.join(timeout=10)

    assert run.state == "succeeded"
    [report] = reports_of(turn)
    assert report.text == "Acme raised seed funding [1]."
