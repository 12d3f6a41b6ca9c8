"""What the openai adapter sends."""

import pytest
from pytest_django import Settings

from agencycore.ai.openai import OpenAIResponder
from agencycore.ai.openai.client import OPENAI_ADDRESS, get_client, timeout_of
from agencycore.ai.types import ModelError, Repair
from agencycore.ai.wire import DECISION_SCHEMA
from tests.agencycore.ai.fixtures import OPENAI_KEY
from tests.agencycore.ai.requests import decision_request, summary_request
from tests.agencycore.ai.scenarios import SCENARIOS
from tests.agencycore.ai.scripted_server import VendorReply, VendorServer

responses_only = pytest.mark.parametrize("openai_api", ["responses"], indirect=True)
chat_only = pytest.mark.parametrize("openai_api", ["chat_completions"], indirect=True)

CONVERSATION = [
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hello. What would you like to know?"},
    {"role": "user", "content": "What is the weather in Oslo?"},
]
FORMAT = {"name": "decision", "strict": True, "schema": DECISION_SCHEMA}


@responses_only
def test_a_decision_is_asked_for_through_the_responses_api(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"])

    openai_responder.decide(decision_request())

    [request] = vendor.requests
    assert request.path == "/v1/responses"
    assert request.headers["authorization"] == f"Bearer {OPENAI_KEY}"
    assert request.body == {
        "model": "gpt-test",
        "instructions": "You are the chat of AgencyCore.",
        "input": CONVERSATION,
        "text": {"format": {"type": "json_schema", **FORMAT}},
        "max_output_tokens": 8_000,
        "prompt_cache_key": "1:acorn",
        "store": False,
        "stream": False,
    }


@chat_only
def test_a_decision_is_asked_for_through_chat_completions(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"])

    openai_responder.decide(decision_request())

    [request] = vendor.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "gpt-test",
        "messages": [{"role": "system", "content": "You are the chat of AgencyCore."}, *CONVERSATION],
        "response_format": {"type": "json_schema", "json_schema": FORMAT},
        "max_tokens": 8_000,
        "stream": False,
    }


@chat_only
def test_a_streamed_chat_completion_asks_for_its_usage(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"])

    openai_responder.decide(decision_request(on_text=lambda text: None))

    assert vendor.requests[0].body["stream"] is True
    assert vendor.requests[0].body["stream_options"] == {"include_usage": True}


def test_a_repair_shows_the_refused_reply_and_the_reasons(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"])
    repair = Repair(refused_reply='{"decision":', reasons=("It is not JSON.", "No outcome is named."))

    openai_responder.decide(decision_request(repair=repair))

    assert _messages(vendor)[-2:] == [
        {"role": "assistant", "content": '{"decision":'},
        {
            "role": "user",
            "content": "That reply cannot be used:\n- It is not JSON.\n- No outcome is named.\n\n"
            "Send a corrected decision, only that.",
        },
    ]


def test_a_repair_of_an_empty_reply_has_no_empty_message(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"])

    openai_responder.decide(decision_request(repair=Repair(refused_reply=" ", reasons=("It was empty.",))))

    assert [message["role"] for message in _messages(vendor)[-2:]] == ["user", "user"]


def test_the_cacheable_part_is_the_same_for_a_repair(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"], SCENARIOS["good_decision"])

    openai_responder.decide(decision_request())
    openai_responder.decide(decision_request(repair=Repair("{", ("It is not JSON.",))))

    first, second = (_messages_of(request.body) for request in vendor.requests)
    assert second[: len(first)] == first


def test_a_summary_is_prose_of_what_was_and_what_came(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(VendorReply(text="Olivia looks for logistics companies in Norway; two were found."))

    reply = openai_responder.summarise(summary_request())

    assert reply.text == "Olivia looks for logistics companies in Norway; two were found."
    assert reply.finish == "complete"
    [request] = vendor.requests
    assert _messages(vendor)[-1]["content"] == (
        "Summary so far:\nOlivia looks for logistics companies.\n\n"
        "Messages after it:\nPerson: Only in Norway.\n\nAssistant: Two are in Norway."
    )
    formats = {"text": {"format": {"type": "text"}}, "response_format": {"type": "text"}}
    assert [formats[name] == request.body[name] for name in formats if name in request.body] == [True]


@responses_only
def test_a_cache_key_over_the_vendors_limit_is_hashed(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["good_decision"], SCENARIOS["good_decision"])

    openai_responder.decide(decision_request(cache_key="a" * 64))
    openai_responder.decide(decision_request(cache_key="a" * 65))

    keys = [str(request.body["prompt_cache_key"]) for request in vendor.requests]
    assert keys == ["a" * 64, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"]


def test_the_vendors_own_api_without_a_key_is_a_fault_of_the_settings(openai_settings: Settings):
    openai_settings.OPENAI_API_KEY = ""
    openai_settings.OPENAI_BASE_URL = ""

    with pytest.raises(ModelError) as caught:
        OpenAIResponder().decide(decision_request())

    assert (caught.value.code, caught.value.retryable, caught.value.reached_vendor) == ("misconfigured", False, False)


def test_one_client_serves_the_process_and_never_retries(openai_settings: Settings):
    openai_settings.OPENAI_BASE_URL = ""

    client = get_client()

    assert get_client() is client
    assert client.max_retries == 0
    assert str(client.base_url) == f"{OPENAI_ADDRESS}/"
    assert timeout_of(60).as_dict() == {"connect": 5.0, "read": 60, "write": 60, "pool": 60}


def _messages(vendor: VendorServer) -> list[dict[str, str]]:
    return _messages_of(vendor.requests[-1].body)


def _messages_of(body: dict[str, object]) -> list[dict[str, str]]:
    messages = body.get("input") or body["messages"]
    assert isinstance(messages, list)
    return messages
