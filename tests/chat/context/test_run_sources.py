"""Runs, definitions and capabilities in the brief."""

import datetime
import uuid

import pytest
from django.utils import timezone

from agencycore.ai.types import BriefItem, ContextBrief, SourceName
from agencycore.tenancy import platform_writer, tenant
from conversations.models import Conversation
from organizations.models import Organization
from runs.models import Definition, DefinitionVersion, Run
from tests.chat.context.talk import Talk
from tests.people import Person

pytestmark = pytest.mark.django_db

SIGNALS = {
    "input_schema": {"type": "object", "properties": {"count": {"type": "integer"}}},
    "steps": [{"name": "Search the web"}, {"name": "Promote prospects", "approval": True}],
    "tools": ["web_search"],
    "writes": ["prospect"],
}


def definition(
    name: str,
    description: str,
    organization: Organization | None = None,
    kind: str = "workflow",
    state: str = "published",
    **spec: object,
) -> DefinitionVersion:
    scope = tenant(organization.id) if organization else platform_writer()
    with scope:
        made = Definition.objects.create(
            organization=organization,
            slug=name.lower().replace(" ", "-"),
            name=name,
            kind=kind,
            description=description,
        )
        return DefinitionVersion.objects.create(
            organization=organization, definition=made, number=1, state=state, spec=spec, published_at=timezone.now()
        )


def signals(organization: Organization | None = None) -> DefinitionVersion:
    return definition("Signals Search", "Finds companies by funding, hiring and news signals.", organization, **SIGNALS)


def start(
    person: Person,
    version: DefinitionVersion,
    conversation: Conversation | None = None,
    state: str = "running",
    goal: str = "Find fintech companies",
    **fields: object,
) -> Run:
    with tenant(person.organization.id):
        return Run.objects.create(
            organization=person.organization,
            version=version,
            starter=person.user,
            start_key=str(uuid.uuid4()),
            conversation_id=conversation.id if conversation else None,
            goal={"message": goal},
            state=state,
            ended_at=timezone.now() if state in ("failed", "succeeded", "cancelled") else None,
            **fields,
        )


def ids(brief: ContextBrief, source: SourceName) -> list[str]:
    return [item.id for item in brief.of(source)]


def first(brief: ContextBrief, source: SourceName) -> BriefItem:
    return brief.of(source)[0]


def test_one_failed_run_is_what_that_run_means(owner: Person) -> None:
    talk = Talk(owner)
    run = start(owner, signals(), talk.conversation, "failed", failure_text="The web search was not reachable.")
    start(owner, run.version, talk.conversation, "succeeded")

    brief = talk.ask("Why did that run stop?")

    item = first(brief, "runs")
    assert (brief.reference.status, [ref.id for ref in brief.reference.refs]) == ("resolved", [str(run.id)])
    assert (item.id, item.pinned, item.key) == (str(run.id), True, "r1")
    assert "Cause: The web search was not reachable." in item.text
    assert item.payload == {
        "state": "failed",
        "live": False,
        "definition": "Signals Search",
        "in_conversation": True,
        "waiting_for": "",
        "question": "",
        "started": f"{run.created_at:%-d %B, %H:%M}",
        "refs": [],
    }


def test_two_failed_runs_are_ambiguous(owner: Person) -> None:
    talk = Talk(owner)
    version = signals()
    runs = {str(start(owner, version, talk.conversation, "failed").id) for _ in range(2)}

    brief = talk.ask("Why did that run stop?")

    assert (brief.reference.status, {ref.id for ref in brief.reference.refs}) == ("ambiguous", runs)


def test_stop_that_means_the_one_live_run_of_this_conversation(owner: Person) -> None:
    talk = Talk(owner)
    version = signals()
    live = start(owner, version, talk.conversation)
    start(owner, version, talk.conversation, "failed")
    start(owner, version)

    brief = talk.ask("Stop that")

    assert (brief.reference.status, [ref.id for ref in brief.reference.refs]) == ("resolved", [str(live.id)])
    assert first(brief, "runs").payload["live"] is True


def test_a_run_of_elsewhere_may_be_told_about_and_is_not_simply_stopped(owner: Person) -> None:
    version = signals()
    elsewhere = start(owner, version, Talk(owner).conversation)
    talk = Talk(owner)

    stop, ask = talk.ask("Stop that run"), talk.ask("Is that run still running?")

    assert (stop.reference.status, [ref.id for ref in stop.reference.refs]) == ("ambiguous", [str(elsewhere.id)])
    assert (ask.reference.status, [ref.id for ref in ask.reference.refs]) == ("resolved", [str(elsewhere.id)])
    assert first(ask, "runs").payload["in_conversation"] is False


def test_this_conversations_runs_come_before_the_others_and_eight_at_most(owner: Person) -> None:
    version = signals()
    talk = Talk(owner)
    here = [str(start(owner, version, talk.conversation, "succeeded").id) for _ in range(3)]
    others = [str(start(owner, version, state="succeeded").id) for _ in range(10)]

    brief = talk.ask("What is running?")

    assert ids(brief, "runs") == [*reversed(here), *reversed(others[-5:])]


@pytest.mark.parametrize("asker", ["teammate", "admin", "stranger"])
def test_runs_of_others_are_not_there(owner: Person, asker: str, request: pytest.FixtureRequest) -> None:
    start(owner, signals(), state="failed", goal="Secret goal")
    person: Person = request.getfixturevalue(asker)

    brief = Talk(person).ask("Why did that run stop?")

    assert (brief.of("runs"), brief.reference.status) == ((), "missing")
    assert "Secret goal" not in repr(brief)


def test_an_old_failure_is_not_what_stopped(owner: Person) -> None:
    talk = Talk(owner)
    run = start(owner, signals(), talk.conversation, "failed")
    with tenant(owner.organization.id):
        Run.objects.filter(id=run.id).update(ended_at=timezone.now() - datetime.timedelta(days=8))

    assert talk.ask("Why did that run stop?").reference.status == "missing"


def test_a_named_definition_is_told_with_steps_approvals_tools_and_data(owner: Person) -> None:
    version = signals()
    definition("Draft Reply", "Drafts a reply to an e-mail.", kind="agent")

    brief = Talk(owner).ask("What steps does Signals Search run?")

    (item,) = brief.of("definitions")
    assert (item.kind, item.id, item.evidence, item.pinned) == ("definition", str(version.definition_id), True, True)
    assert "Steps: 1. Search the web; 2. Promote prospects, after an approval" in item.text
    assert "Tools: web_search" in item.text
    assert "Data written: prospect" in item.text


def test_a_fitting_definition_is_there_and_one_that_does_not_fit_is_not(owner: Person) -> None:
    version = signals()
    definition("Fee Explain", "Explains account fees of a bank customer.", kind="agent")

    brief = Talk(owner).ask("Which workflow finds companies by funding signals?")

    assert ids(brief, "definitions") == [str(version.definition_id)]
    assert Talk(owner).ask("What does lifecycle stage mean?").of("definitions") == ()


def test_a_list_question_gets_one_citable_list_with_the_total(owner: Person, stranger: Person) -> None:
    signals(owner.organization)
    definition("Draft Reply", "Drafts a reply to an e-mail.", kind="agent")
    definition("Research Assistant", "Researches a company on the web.", kind="agent")
    definition("Hidden Agent", "Unpublished.", kind="agent", state="draft")
    definition("Foreign Agent", "Another organization's.", stranger.organization, kind="agent")

    agents = first(Talk(owner).ask("What agents can I use?"), "definitions")
    everything = first(Talk(owner).ask("What workflows or capabilities are there?"), "definitions")

    assert agents.text.splitlines() == [
        "Available agents: 2",
        "- Draft Reply (agent): Drafts a reply to an e-mail.",
        "- Research Assistant (agent): Researches a company on the web.",
    ]
    assert (agents.kind, agents.evidence, agents.key) == ("definition_list", True, "r1")
    assert everything.text.splitlines()[0] == "Available agents and workflows: 3"


def test_the_shortlist_is_cut_by_permission_and_never_evidence(owner: Person, admin: Person, stranger: Person) -> None:
    signals()
    definition("Admin Only", "Finds companies for admins.", kind="agent", admins_only=True)
    definition("Foreign Agent", "Finds companies elsewhere.", stranger.organization, kind="agent")

    member, chief = (Talk(person).ask("Find 20 companies with funding signals") for person in (owner, admin))

    assert [item.payload["slug"] for item in member.of("capabilities")] == ["signals-search"]
    assert [item.payload["slug"] for item in chief.of("capabilities")] == ["signals-search", "admin-only"]
    item = first(member, "capabilities")
    assert (item.evidence, item.key, item.label) == (False, "", "Signals Search")
    assert item.payload["input_schema"] == SIGNALS["input_schema"]
    assert item.payload["description"] == item.text


def test_the_shortlist_holds_eight_the_fitting_ones_first(owner: Person) -> None:
    for number in range(12):
        definition(f"Number {number}", f"Counts things of sort {number}.", kind="agent")
    signals()

    brief = Talk(owner).ask("Find 20 UK fintech companies that just raised seed funding.")

    slugs = [item.payload["slug"] for item in brief.of("capabilities")]
    assert (len(slugs), slugs[0]) == (8, "signals-search")


def test_small_talk_reads_none_of_them(owner: Person) -> None:
    start(owner, signals())

    brief = Talk(owner).ask("hello")

    states = {source.name: source.state for source in brief.sources}
    assert [states[name] for name in ("runs", "definitions", "knowledge", "capabilities")] == ["skipped"] * 4
