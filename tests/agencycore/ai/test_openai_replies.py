"""What the openai adapter makes of a server's answers, over real HTTP, by either API, streamed or not."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from agencycore.ai.openai import OpenAIResponder
from agencycore.ai.types import ModelReply, Repair, Usage
from agencycore.ai.wire import parse_decision
from tests.agencycore.ai.requests import decision_request
from tests.agencycore.ai.scenarios import GOOD_DECISION, SCENARIOS
from tests.agencycore.ai.scripted_server import MODEL, REQUEST_ID, VendorReply, VendorServer

USAGE = Usage(input=1_200, cached_input=0, output=60)
streamed_or_not = pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])


def _decide(responder: OpenAIResponder, *, is_streamed: bool) -> tuple[ModelReply, list[str]]:
    deltas: list[str] = []
    return responder.decide(decision_request(on_text=deltas.append if is_streamed else None)), deltas


@streamed_or_not
def test_a_good_decision_comes_with_its_usage(
    openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool
):
    vendor.play(SCENARIOS["good_decision"])

    reply, deltas = _decide(openai_responder, is_streamed=is_streamed)

    assert reply == ModelReply(GOOD_DECISION, "complete", USAGE, "openai", MODEL, REQUEST_ID)
    assert parse_decision(reply.text).outcome == "answer"
    assert "".join(deltas) == (GOOD_DECISION if is_streamed else "")
    assert len(deltas) > 10 or not is_streamed


@streamed_or_not
def test_cached_tokens_are_counted(openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool):
    vendor.play(SCENARIOS["cached_tokens"])

    reply, _ = _decide(openai_responder, is_streamed=is_streamed)

    assert reply.usage == Usage(input=1_200, cached_input=1_024, output=60)


@streamed_or_not
def test_a_server_that_counts_nothing_is_counted_by_the_rule_of_thumb(
    openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool
):
    vendor.play(SCENARIOS["no_usage"])

    reply, _ = _decide(openai_responder, is_streamed=is_streamed)

    # Bytes / 4 of the four texts of the prompt, each rounded up, and of the reply.
    assert reply.usage == Usage(input=8 + 2 + 9 + 7, cached_input=0, output=-(-len(GOOD_DECISION.encode()) // 4))


def test_a_prompt_reported_as_zero_because_it_was_cached_is_counted(
    openai_responder: OpenAIResponder, vendor: VendorServer
):
    vendor.play(VendorReply(text=GOOD_DECISION, input_tokens=0, cached_tokens=0, output_tokens=50))

    reply, _ = _decide(openai_responder, is_streamed=False)

    assert reply.usage == Usage(input=26, cached_input=0, output=50)


@streamed_or_not
@pytest.mark.parametrize(
    ("scenario", "finish", "text"),
    [
        ("truncated_json", "truncated", GOOD_DECISION[:60]),
        ("refusal", "refused", "I can’t help with that."),
        ("filtered", "refused", ""),
        ("schema_violation", "complete", '{"decision": {"outcome": "sing", "text": "la"}}'),
        ("empty_answer", "empty", ""),
    ],
)
def test_a_useless_reply_is_still_a_reply_that_was_paid(
    openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool, scenario: str, finish: str, text: str
):
    vendor.play(SCENARIOS[scenario])

    reply, _ = _decide(openai_responder, is_streamed=is_streamed)

    assert (reply.finish, reply.text, reply.usage) == (finish, text, USAGE)


@streamed_or_not
def test_halves_of_characters_are_made_whole_or_replaced(
    openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool
):
    vendor.play(VendorReply(text="a\ud83db \U0001f600"))

    reply, deltas = _decide(openai_responder, is_streamed=is_streamed)

    assert reply.text == "a\ufffdb \U0001f600"
    assert "".join(deltas) == (reply.text if is_streamed else "")


def test_a_refused_reply_with_halves_of_characters_can_be_sent_back(
    openai_responder: OpenAIResponder, vendor: VendorServer
):
    vendor.play(SCENARIOS["good_decision"])

    reply = openai_responder.decide(decision_request("a\ud83d", repair=Repair("\udc00", ("It is not JSON.",))))

    assert reply.text == GOOD_DECISION


def test_an_error_of_the_listener_is_its_own_and_ends_the_call(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"])

    def stop(text: str) -> None:
        raise ValueError("Stopped by the person.")

    with pytest.raises(ValueError, match=r"Stopped by the person\."):
        openai_responder.decide(decision_request(on_text=stop))


def test_one_responder_serves_many_threads(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(*[VendorReply(text=_echo) for _ in range(32)])

    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: openai_responder.decide(decision_request(f"Question {n}")).text, range(32)))

    assert replies == [f"Question {number}" for number in range(32)]


def _echo(body: dict[str, object]) -> str:
    messages = body.get("input") or body["messages"]
    assert isinstance(messages, list)
    return str(messages[-1]["content"])
