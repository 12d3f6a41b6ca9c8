"""What is reserved before a call covers the longest reply that the call asks for, so that no day is overspent."""

from itertools import pairwise

import pytest

from agencycore.ai.output_limits import DECISION_OUTPUT_TOKENS, prose_output_tokens
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.tenancy import tenant
from chat.report_text import REPORT_TOKENS
from chat.summary import MESSAGES_BEYOND, SUMMARY_TOKENS
from organizations.models import ModelCall, Organization
from runs.ender import Succeed
from tests.agencycore.ai.scripted_server import VendorReply, VendorRequest
from tests.chat import conversations, turning
from tests.chat.working import delegate, end, publish_signals, report_on

pytestmark = pytest.mark.django_db

QUESTION = "What is kept in the vault?"
UNKNOWN = VendorReply(
    text=render_decision(
        WireAnswer(outcome="answer", citations=[], unresolved=["The vault"], offer="", text="That is not known here.")
    )
)
UNUSABLE = VendorReply(text="It is " + "well known. " * 200)
CAPS = ("max_output_tokens", "max_tokens", "max_completion_tokens")


def calls(person) -> list[ModelCall]:
    with tenant(person.organization.id):
        return list(ModelCall.objects.order_by("created_at"))


def cap_of(request: VendorRequest) -> int:
    [cap] = [request.body[name] for name in CAPS if name in request.body]
    assert isinstance(cap, int)
    return cap


def test_a_decision_and_its_repair_are_reserved_with_the_longest_reply(owner, vendor, openai_responder):
    vendor.play(UNUSABLE, UNKNOWN)

    turning.ask(owner, QUESTION)

    made = calls(owner)
    assert [(call.purpose, call.is_repair) for call in made] == [("decision", False), ("decision", True)]
    assert [cap_of(request) for request in vendor.requests] == [DECISION_OUTPUT_TOKENS] * 2
    for first, repair in pairwise(made):
        assert first.reserved_tokens > DECISION_OUTPUT_TOKENS
        # The repair sends the refused reply back.
        assert repair.reserved_tokens - first.reserved_tokens > len(UNUSABLE.text) // 4


def test_a_summary_is_reserved_with_the_longest_reply(owner, vendor, openai_responder):
    question = conversations.ask(owner, QUESTION)
    conversations.answer(owner, question, citations=[])
    for _ in range(MESSAGES_BEYOND // 2):
        conversations.answer(owner, conversations.ask(owner, QUESTION, question.conversation), citations=[])
    vendor.play(UNKNOWN, VendorReply(text="They asked about the vault."))

    turning.ask(owner, QUESTION, conversation_id=question.conversation_id)

    summary = calls(owner)[-1]
    assert (summary.purpose, summary.state) == ("summary", "settled")
    assert cap_of(vendor.requests[-1]) == prose_output_tokens(SUMMARY_TOKENS) < summary.reserved_tokens


def test_a_report_is_reserved_with_the_longest_reply(owner, vendor, openai_responder):
    publish_signals(owner)
    turn = delegate(owner)
    vendor.play(VendorReply(text="Acme raised seed funding [r1]."))
    end(turn, Succeed("Acme raised seed funding."))

    report_on(turn)

    report = calls(owner)[-1]
    assert (report.purpose, report.state) == ("report", "settled")
    assert cap_of(vendor.requests[-1]) == prose_output_tokens(REPORT_TOKENS) < report.reserved_tokens


def test_the_longest_reply_at_the_end_of_the_day_does_not_overspend_it(owner, vendor, openai_responder):
    vendor.play(UNKNOWN)
    turning.ask(owner, QUESTION)
    [first] = calls(owner)
    spent = first.input_tokens + first.output_tokens
    limit = spent + first.reserved_tokens
    Organization.objects.filter(id=owner.organization.id).update(daily_token_limit=limit)
    # As the vendor would count the prompt and a reply that ran into its cap.
    prompt = first.reserved_tokens - DECISION_OUTPUT_TOKENS
    longest = VendorReply(text=UNKNOWN.text, input_tokens=prompt, output_tokens=DECISION_OUTPUT_TOKENS)
    vendor.play(longest)

    with_room = turning.ask(owner, QUESTION)
    without = turning.ask(owner, QUESTION)

    assert (with_room.fallback, without.fallback) == ("", "limit")
    assert sum(call.input_tokens + call.output_tokens for call in calls(owner)) == limit
