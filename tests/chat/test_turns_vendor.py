"""A whole turn against a model's server over real HTTP, in both APIs: whatever it does, one reply."""

from dataclasses import replace

import pytest

from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.tenancy import tenant
from chat.frontdoor import door
from organizations.models import ModelCall, UsageRecord
from tests.agencycore.ai.scenarios import SCENARIOS
from tests.agencycore.ai.scripted_server import VendorReply
from tests.chat.turning import ask, publish_lifecycle_page, replies_to

QUESTION = "What is lifecycle stage?"
GOOD = VendorReply(
    text=render_decision(
        WireAnswer(
            outcome="answer",
            citations=["r1"],
            unresolved=[],
            offer="",
            text="It is how far a company has come on its way to being a customer [r1].",
        )
    ),
    cached_tokens=1_024,
)
# What the server does, how often it is asked, how the turn ends, and what is charged for.
FAILURES = {
    "rate_limited": (2, "vendor", ["failed", "failed"]),
    "server_error": (2, "vendor", ["failed", "failed"]),
    "timeout": (2, "vendor", ["failed", "failed"]),
    "truncated_json": (2, "invalid", ["settled", "settled"]),
    "refusal": (2, "invalid", ["settled", "settled"]),
    "schema_violation": (2, "invalid", ["settled", "settled"]),
    "empty_answer": (2, "invalid", ["settled", "settled"]),
    "wrong_key": (1, "vendor", ["failed"]),
}


@pytest.fixture(autouse=True)
def _docs(db, tmp_path, settings, monkeypatch):
    publish_lifecycle_page(tmp_path)
    settings.MODEL_TIMEOUT_SECONDS = 2
    settings.SOURCE_TIMEOUT_SECONDS = 30  # a busy machine is no fault of the source
    settings.CONTEXT_TIMEOUT_SECONDS = 60
    # Waiting is tested with the door; here nobody waits.
    monkeypatch.setattr(door, "RETRY_SECONDS", 0.0)


def at_once(reply: VendorReply) -> VendorReply:
    """The same reply, with a Retry-After of no time."""
    return replace(reply, headers=dict.fromkeys(reply.headers, "0"))


def ledger(turn) -> tuple[list[str], UsageRecord]:
    with tenant(turn.organization_id):
        states = list(ModelCall.objects.filter(owner_id=turn.id).order_by("created_at").values_list("state", flat=True))
        return states, UsageRecord.objects.get(owner_id=turn.id)


def test_a_good_decision_is_shown_and_its_tokens_are_counted(owner, vendor, openai_responder):
    vendor.play(GOOD)

    turn = ask(owner, QUESTION)

    [reply] = replies_to(turn)
    assert (turn.state, turn.provider, turn.fallback) == ("answered", "openai", "")
    assert reply.text == "It is how far a company has come on its way to being a customer [1]."
    assert [citation.key for citation in reply.citations.all()] == ["r1"]
    states, usage = ledger(turn)
    assert states == ["settled"]
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens) == (1_200, 1_024, 60)


@pytest.mark.parametrize("scenario", FAILURES)
def test_whatever_the_vendor_does_there_is_one_reply_and_a_settled_ledger(
    owner,
    vendor,
    openai_responder,
    scenario,
):
    calls, fallback, states = FAILURES[scenario]
    vendor.play(*[at_once(SCENARIOS[scenario])] * calls)

    turn = ask(owner, QUESTION)

    [reply] = replies_to(turn)
    assert (turn.state, turn.outcome, turn.fallback, turn.provider) == ("answered", "answer", fallback, "builtin")
    assert "how far a company has come" in reply.text
    assert reply.citations.count() == 1
    recorded, usage = ledger(turn)
    assert recorded == states
    assert usage.calls == calls
    assert len(turn.refusals) >= 1


def test_a_vendor_that_recovers_is_asked_again_once(owner, vendor, openai_responder):
    vendor.play(SCENARIOS["unavailable"], GOOD)

    turn = ask(owner, QUESTION)

    assert (turn.provider, turn.fallback) == ("openai", "")
    assert ledger(turn)[0] == ["failed", "settled"]


def test_a_refused_connection_costs_nothing(owner, refused_openai):
    turn = ask(owner, QUESTION)

    [reply] = replies_to(turn)
    assert (turn.fallback, turn.provider) == ("vendor", "builtin")
    assert reply.citations.count() == 1
    states, usage = ledger(turn)
    assert set(states) == {"failed"}
    assert (usage.input_tokens, usage.output_tokens) == (0, 0)
