"""Runs that a conversation started, ended by the scripted ender, for tests."""

import uuid

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireDelegate
from agencycore.dispatch.models import Dispatch
from agencycore.tenancy import tenant
from chat.models import Turn
from chat.reports import process_report
from conversations.models import Message
from runs.ender import Act, play
from runs.models import Run
from tests.chat.turning import ask
from tests.people import Person
from tests.runs.definitions import publish_definition

SIGNALS = "signals-search"
REQUEST = "Find 20 UK fintech companies that just raised seed funding."


def publish_signals(person: Person, **spec: object) -> None:
    with tenant(person.actor.organization_id):
        publish_definition(
            person.organization,
            SIGNALS,
            name="Signals Search",
            kind="workflow",
            description="Finds companies by signals such as funding rounds, hiring and news.",
            **spec,
        )


def delegate(person: Person, text: str = REQUEST, conversation_id: uuid.UUID | None = None) -> Turn:
    """A turn that handed its message to Signals Search."""
    with playing([WireDelegate(outcome="delegate", capability=SIGNALS, input_json="{}")]):
        turn = ask(person, text, conversation_id=conversation_id)
    assert turn.state == "delegated", (turn.refusals, turn.state)
    return turn


def end(turn: Turn, *acts: Act) -> Run:
    assert turn.run_id is not None
    return play(*acts, organization_id=turn.organization_id, run_id=turn.run_id)


def report_on(turn: Turn) -> None:
    """Do what a worker does that was rung for the report."""
    assert turn.run_id is not None
    process_report(organization_id=turn.organization_id, run_id=turn.run_id)


def reports_of(turn: Turn) -> list[Message]:
    with tenant(turn.organization_id):
        reports = Message.objects.filter(run_id=turn.run_id, kind="report")
        return list(reports.prefetch_related("citations"))


def is_due(turn: Turn) -> bool:
    return Dispatch.objects.filter(kind="report", object_id=turn.run_id).exists()
