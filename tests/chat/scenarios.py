"""What the scenarios of general chat are played with: a talk with either adapter, pages, and published work."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from agencycore.ai.wire import WireAnswer
from agencycore.tenancy import tenant
from chat.models import Turn
from knowledge.platform_docs import sync_platform_docs
from tests.chat.pipeline import Model, Talk, delegate_to
from tests.people import Person
from tests.runs.definitions import publish_definition

REQUEST = "Find 20 UK fintech companies that just raised seed funding."
PAGES = ("chat.md", "what-is-agencycore.md", "chat-and-workflows.md", "agents-and-workflows.md", "lifecycle-stages.md")
STEPS = [
    {"name": "Read the news"},
    {"name": "Qualify companies"},
    {"name": "Promote prospects", "approval": True},
]


@pytest.fixture(params=["builtin", "scripted"])
def talk(request: pytest.FixtureRequest, owner: Person) -> Iterator[Talk]:
    """Whatever a scenario shows ends at the page's socket: the reply's message, and the turn's last state."""
    talk = Talk(owner, Model(request.param))
    yield talk
    created = [told["message"] for kind, told in talk.events() if kind == "message.created"]
    for turn in map(talk.reread, talk.turns):
        assert str(turn.reply_id) in created
        assert talk.states(turn)[-1] == turn.state


@pytest.fixture
def docs(db: None, tmp_path: Path) -> None:
    for name in PAGES:
        (tmp_path / name).write_text((settings.BASE_DIR / "docs/product" / name).read_text())
    sync_platform_docs(tmp_path)


@pytest.fixture
def capabilities(owner: Person, stranger: Person) -> None:
    """What the organization has published, and what another one has."""
    with tenant(owner.actor.organization_id):
        publish = partial(publish_definition, owner.organization)
        publish(
            "signals-search",
            name="Signals Search",
            kind="workflow",
            description="Finds companies by signals such as funding rounds, hiring and news, and qualifies them.",
            steps=STEPS,
            tools=["web_search"],
            writes=["prospect"],
        )
        publish(
            "definition-builder",
            name="Definition Builder",
            description="Creates and changes agents and workflows as drafts, from a brief in plain words.",
        )
    with tenant(stranger.actor.organization_id):
        publish_definition(stranger.organization, "fee-explain", name="Fee Explain", description="Explains fees.")


def start_work(talk: Talk, text: str = REQUEST) -> Turn:
    turn = talk.say(text, decision=delegate_to("signals-search"))
    assert turn.state == "delegated", (turn.state, turn.refusals, turn.reply.text)
    return turn


def change_the_subject(talk: Talk) -> None:
    talk.say("thanks", decision=WireAnswer(outcome="answer", citations=[], unresolved=[], offer="", text="Gladly."))
