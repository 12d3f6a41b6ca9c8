"""A model that lies, through whole turns: one reply each, nothing that acts, and no run touched without a request."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pytest_django import Settings

from agencycore.ai.scripted import playing
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.models import Citation
from runs.models import Run
from tests.chat.frontdoor.briefs import COMPANY, RUN
from tests.chat.frontdoor.test_lies import RAW
from tests.chat.pipeline import Model, Talk, company
from tests.chat.scenarios import REQUEST, start_work
from tests.chat.test_attacks import dangers_on
from tests.people import Person

STOP = "Stop that run"
MESSAGES = ("What is lifecycle stage?", "Who owns this company?", STOP, REQUEST, "What's the weather in Oslo?", "Hello")
ENDS = {
    ("answered", "answer"),
    ("clarified", "clarify"),
    ("delegated", "delegate"),
    ("controlled", "control_run"),
}
LIVE = ("queued", "running", "waiting_input")


@pytest.fixture
def talk(docs: None, capabilities: None, owner: Person, settings: Settings) -> Talk:
    """With pages that are found, work that can be started, and a run that is live."""
    settings.MESSAGES_PER_MINUTE = 1_000
    talk = Talk(owner, Model("scripted"))
    start_work(talk)
    return talk


@pytest.fixture
def acme(owner: Person) -> ResourceRef:
    return company(owner, "Acme")


@examples(
    max_examples=examples().max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(message=st.sampled_from(MESSAGES), first=RAW, second=RAW, has_ref=st.booleans())
def test_a_turn_of_a_model_that_lies_ends_in_one_harmless_reply(
    talk: Talk, acme: ResourceRef, message: str, first: str, second: str, has_ref: bool
) -> None:
    live = live_run_of(talk)
    before = count_runs(talk)
    turn = talk.post(message, *([acme] if has_ref else []))

    with playing([known(raw, acme, live) for raw in (first, second)] + ["garbage"] * 2, summaries=["A recap."] * 2):
        turn = talk.work(turn)

    assert (turn.state, turn.outcome) in ENDS, (turn.state, turn.refusals)
    [reply] = talk.replies(turn)
    assert reply.text.strip() or reply.options
    assert count_runs(talk) - before == (turn.outcome == "delegate")
    with tenant(talk.organization_id):
        was_stopped = Run.objects.get(id=live.id).state == Run.State.CANCELLED
    assert was_stopped == (turn.outcome == "control_run")
    assert message == STOP or not was_stopped
    assert cites_only_its_brief(turn, list(reply.citations.all()))
    assert dangers_on(talk.person, [f"/chat/messages/{turn.message_id}/exchange/"]) == {}


def known(raw: str, acme: ResourceRef, run: Run) -> str:
    """A lie about what there is: its ids are those of this conversation."""
    return raw.replace(COMPANY.id, acme.id).replace(RUN.id, str(run.id))


def live_run_of(talk: Talk) -> Run:
    with tenant(talk.organization_id):
        live = Run.objects.filter(state__in=LIVE).order_by("created_at").first()
    return live or talk.run(start_work(talk))


def count_runs(talk: Talk) -> int:
    with tenant(talk.organization_id):
        return Run.objects.count()


def cites_only_its_brief(turn: Turn, citations: list[Citation]) -> bool:
    supplied = {(item["kind"], item["id"]) for item in turn.brief["items"] if item["key"]}
    return {(citation.kind, citation.resource_id) for citation in citations} <= supplied
