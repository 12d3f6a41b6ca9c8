"""The scripted ender, and ending a run by hand."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agencycore.errors import NotFound, Refused
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from runs import manager
from runs.ender import Ask, Enter, Fail, Succeed, play, play_all
from runs.models import Run
from tests.people import Person
from tests.runs.definitions import capability, publish_definition


@pytest.fixture(autouse=True)
def _research(owner: Person) -> None:
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "research", name="Research")


def start(person: Person, key: str = "turn:1") -> Run:
    with tenant(person.actor.organization_id):
        return manager.start(
            actor=person.actor,
            capability=capability(person, "research"),
            message="Research Acme",
            values={},
            start_key=key,
        )


def end_run(person: Person, *arguments: str) -> str:
    out = StringIO()
    call_command("end_run", *arguments, "--org", person.organization.slug, stdout=out)
    return out.getvalue()


def reread(run: Run) -> Run:
    with tenant(run.organization_id):
        return Run.objects.get(id=run.id)


def test_acts_are_played_in_order(owner):
    run = start(owner)

    waiting = play(Enter("Search"), Ask("Which Acme?"), organization_id=run.organization_id, run_id=run.id)
    assert (waiting.state, waiting.step, waiting.question) == ("waiting", "Search", "Which Acme?")

    acme = ResourceRef("company", "a", "Acme")
    ended = play(Succeed("Found one.", (acme,)), organization_id=run.organization_id, run_id=run.id)
    assert (ended.state, ended.result, ended.result_refs) == ("succeeded", {"text": "Found one."}, [acme.as_json()])


def test_a_failure_keeps_its_code_apart_from_its_words(owner):
    run = start(owner)

    failed = play(Fail("Not reachable.", code="KeyError"), organization_id=run.organization_id, run_id=run.id)

    assert (failed.state, failed.failure_text, failed.failure_code) == ("failed", "Not reachable.", "KeyError")


def test_an_ended_or_unknown_run_is_refused_and_stays_as_it_is(owner):
    run = start(owner)
    play(Succeed("Found."), organization_id=run.organization_id, run_id=run.id)

    with pytest.raises(Refused, match="has ended"):
        play(Fail("Not reachable."), organization_id=run.organization_id, run_id=run.id)
    with pytest.raises(NotFound, match="does not exist"):
        play(Succeed("Found."), organization_id=run.organization_id, run_id=uuid.uuid4())

    assert reread(run).state == "succeeded"


def test_a_strangers_organization_holds_no_such_run(owner, stranger):
    run = start(owner)

    with pytest.raises(NotFound):
        play(Succeed("Found."), organization_id=stranger.organization.id, run_id=run.id)
    assert play_all([Succeed("Found.")], organization_id=stranger.organization.id) == []

    assert reread(run).state == "queued"


def test_all_queued_runs_are_ended_in_the_order_they_were_started(owner):
    first, second, third = (start(owner, f"turn:{number}") for number in range(3))
    play(Enter("Search"), organization_id=owner.organization.id, run_id=second.id)

    ended = play_all([Succeed("Found.")], organization_id=owner.organization.id)

    assert [run.id for run in ended] == [first.id, third.id]
    assert reread(second).state == "running"


def test_a_run_is_ended_by_hand(owner):
    run = start(owner)

    assert end_run(owner, str(run.id), "--step", "Search", "--ask", "Which Acme?") == (
        f"{run.id} waiting for your answer\n"
    )
    company = f"company:{uuid.uuid4()}"
    assert end_run(owner, str(run.id), "--succeed", "Found one.", "--ref", company) == f"{run.id} succeeded\n"

    ended = reread(run)
    assert (ended.step, ended.result) == ("Search", {"text": "Found one."})
    assert [f"{ref['kind']}:{ref['id']}" for ref in ended.result_refs] == [company]


def test_all_queued_runs_are_failed_by_hand(owner):
    runs = [start(owner, f"turn:{number}") for number in range(2)]

    out = end_run(owner, "--all", "--fail", "The web search was not reachable.")

    assert out == "".join(f"{run.id} failed\n" for run in runs)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense", "--fail", "x"], "This run does not exist."),
        ([str(uuid.uuid4()), "--fail", "x"], "This run does not exist."),
        (["--fail", "x"], "Name one run, or say --all."),
        ([str(uuid.uuid4())], "one of the arguments --succeed --fail --ask is required"),
        (["--all", "--succeed", "x", "--ref", "nonsense"], "not a record reference"),
    ],
)
def test_what_cannot_be_done_by_hand_is_said(owner, arguments, words):
    with pytest.raises(CommandError, match=words):
        end_run(owner, *arguments)


def test_an_unknown_organization_is_said():
    with pytest.raises(CommandError, match="There is no organization “nowhere”"):
        call_command("end_run", str(uuid.uuid4()), "--org", "nowhere", "--fail", "x")
