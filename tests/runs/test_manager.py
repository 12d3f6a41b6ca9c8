"""How a run starts, waits, is answered, and ends."""

import threading
import uuid

import pytest
from django.db import connections

from agencycore.errors import NotFound, Refused
from agencycore.refs import ResourceRef
from agencycore.tenancy import platform_writer, tenant
from runs import manager
from runs.capabilities import InvalidInput, get_capability, list_capabilities
from runs.limits import RunLimitReached
from runs.models import Run
from tests.people import Person
from tests.runs.definitions import capability, publish_definition

SCHEMA = {
    "type": "object",
    "properties": {"topic": {"type": "string"}},
    "required": ["topic"],
    "additionalProperties": False,
}


@pytest.fixture
def as_owner(owner: Person):
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "research", input_schema=SCHEMA)
        yield owner


def start(person: Person, key: str = "turn:1", **extra: object) -> Run:
    defaults: dict[str, object] = {"message": "Research Acme", "values": {"topic": "Acme"}}
    return manager.start(
        actor=person.actor, capability=capability(person, "research"), start_key=key, **(defaults | extra)
    )  # type: ignore[arg-type]


def test_a_run_keeps_its_goal_and_pins_the_version(as_owner):
    run = start(as_owner, refs=[ResourceRef("company", "a", "Acme")])

    assert run.goal == {
        "message": "Research Acme",
        "topic": "Acme",
        "refs": [{"kind": "company", "id": "a", "label": "Acme"}],
    }
    assert run.state == "queued"
    assert run.version_id == capability(as_owner, "research").version_id


def test_the_same_start_key_returns_the_first_run(as_owner):
    assert start(as_owner).id == start(as_owner).id
    assert Run.objects.count() == 1


def test_input_off_the_schema_starts_nothing(as_owner):
    with pytest.raises(InvalidInput, match="topic"):
        start(as_owner, values={})
    with pytest.raises(InvalidInput):
        start(as_owner, values={"topic": 7})

    assert not Run.objects.exists()


def test_a_run_asks_is_answered_and_succeeds(as_owner):
    run = start(as_owner)
    manager.enter_step(run_id=run.id, step="Search")
    asked = manager.ask(run_id=run.id, question="Which Acme?")
    assert (asked.state, asked.waiting_for, asked.question) == ("waiting", "customer_ask", "Which Acme?")

    answered = manager.reply(actor=as_owner.actor, run_id=run.id, text="The UK one", message_id=uuid.uuid4())
    assert (answered.state, answered.waiting_for, answered.question) == ("running", "", "")
    assert answered.answers[0]["question"] == "Which Acme?"
    assert answered.answers[0]["text"] == "The UK one"

    ended = manager.succeed(run_id=run.id, result={"text": "Found."}, refs=[ResourceRef("company", "a", "Acme")])
    assert ended.state == "succeeded"
    assert ended.ended_at is not None
    assert ended.result_refs == [{"kind": "company", "id": "a", "label": "Acme"}]


def test_a_run_that_asked_nothing_takes_no_answer(as_owner):
    run = start(as_owner)

    with pytest.raises(Refused):
        manager.reply(actor=as_owner.actor, run_id=run.id, text="hello", message_id=uuid.uuid4())

    run.refresh_from_db()
    assert run.answers == []


def test_a_live_run_is_stopped_once_and_an_ended_one_says_so(as_owner):
    run = start(as_owner)

    stopped, first = manager.cancel(actor=as_owner.actor, run_id=run.id)
    again, second = manager.cancel(actor=as_owner.actor, run_id=run.id)

    assert (first, second) == (True, False)
    assert stopped.state == again.state == "cancelled"
    assert stopped.cancelled_by_id == as_owner.user.id
    with pytest.raises(Refused, match="has ended"):
        manager.succeed(run_id=run.id, result={"text": "too late"}, refs=[])


def test_a_run_that_has_ended_says_so_to_a_late_answer(as_owner):
    run = start(as_owner)
    manager.cancel(actor=as_owner.actor, run_id=run.id)

    with pytest.raises(Refused, match=r"^Research takes no answer any more: that run has ended \(stopped\)\.$"):
        manager.reply(actor=as_owner.actor, run_id=run.id, text="The UK one", message_id=uuid.uuid4())


def test_all_live_runs_of_a_conversation_are_stopped_and_no_others(as_owner):
    here, elsewhere = uuid.uuid4(), uuid.uuid4()
    live = [start(as_owner, f"turn:{number}", conversation_id=here) for number in range(2)]
    ended = start(as_owner, "turn:ended", conversation_id=here)
    manager.succeed(run_id=ended.id, result={"text": "Found."}, refs=[])
    start(as_owner, "turn:elsewhere", conversation_id=elsewhere)

    stopped = manager.cancel_all(actor=as_owner.actor, conversation_id=here)

    assert {run.id for run in stopped} == {run.id for run in live}
    assert dict(Run.objects.values_list("start_key", "state")) == {
        "turn:0": "cancelled",
        "turn:1": "cancelled",
        "turn:ended": "succeeded",
        "turn:elsewhere": "queued",
    }


def test_nobody_elses_runs_are_stopped_with_a_conversation(as_owner, teammate):
    here = uuid.uuid4()
    start(as_owner, conversation_id=here)

    assert manager.cancel_all(actor=teammate.actor, conversation_id=here) == []
    assert Run.objects.get().state == "queued"


def test_runs_are_for_their_starter_and_admins(as_owner, teammate, admin):
    run = start(as_owner)

    with pytest.raises(NotFound):
        manager.cancel(actor=teammate.actor, run_id=run.id)
    assert manager.cancel(actor=admin.actor, run_id=run.id)[1] is True


def test_a_strangers_run_does_not_exist(owner, stranger):
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "research", input_schema=SCHEMA)
        run = start(owner)

    with tenant(stranger.actor.organization_id):
        with pytest.raises(NotFound):
            manager.cancel(actor=stranger.actor, run_id=run.id)
        with pytest.raises(NotFound):
            get_capability(stranger.actor, "research")
        assert not Run.objects.exists()
    with tenant(owner.actor.organization_id):
        assert Run.objects.get().state == "queued"


def test_capabilities_are_cut_by_permission_and_shared_by_the_platform(owner, admin, stranger):
    with platform_writer():
        publish_definition(None, "signals")
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "builder", admins_only=True)
        assert [c.slug for c in list_capabilities(owner.actor)] == ["signals"]
        assert [c.slug for c in list_capabilities(admin.actor)] == ["builder", "signals"]
    with tenant(stranger.actor.organization_id):
        assert [c.slug for c in list_capabilities(stranger.actor)] == ["signals"]


@pytest.mark.django_db(transaction=True)
def test_parallel_starts_spend_exactly_the_days_runs(owner, organization):
    organization.daily_run_limit = 3
    organization.save(update_fields=["daily_run_limit"])
    with tenant(organization.id):
        publish_definition(organization, "research", input_schema=SCHEMA)
    refused: list[RunLimitReached] = []

    def begin(number: int) -> None:
        try:
            with tenant(organization.id):
                start(owner, key=f"turn:{number}")
        except RunLimitReached as error:
            refused.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=begin, args=[number]) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with tenant(organization.id):
        assert Run.objects.count() == 3
    assert len(refused) == 7
