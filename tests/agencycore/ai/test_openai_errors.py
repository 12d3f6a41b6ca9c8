"""Calls that gave no reply: what they mean to us, and what they may have cost."""

import logging
import traceback

import httpx2
import pytest
from pytest_django import Settings

from agencycore.ai.openai import OpenAIResponder
from agencycore.ai.openai.errors import parse_retry_after
from agencycore.ai.types import ModelError, Usage
from tests.agencycore.ai.fixtures import OPENAI_KEY
from tests.agencycore.ai.requests import decision_request
from tests.agencycore.ai.scenarios import GOOD_DECISION, SCENARIOS
from tests.agencycore.ai.scripted_server import VendorReply, VendorServer

SHORT_TIMEOUT_SECONDS = 0.2
# Long enough for all that was sent to be read first.
STALL_TIMEOUT_SECONDS = 1.0
NOTHING = Usage()
PROMPT_ONLY = Usage(input=26)
streamed_or_not = pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])


def _error(responder: OpenAIResponder, *, is_streamed: bool, timeout_seconds: float = 5.0) -> ModelError:
    on_text = (lambda text: None) if is_streamed else None
    with pytest.raises(ModelError) as caught:
        responder.decide(decision_request(on_text=on_text, timeout_seconds=timeout_seconds))
    return caught.value


@streamed_or_not
@pytest.mark.parametrize(
    ("scenario", "code", "retryable", "retry_after"),
    [
        ("rate_limited", "rate_limited", True, 7.0),
        ("quota_spent", "rate_limited", False, None),
        ("server_error", "server_error", True, None),
        ("unavailable", "server_error", True, 2.0),
        ("bad_request", "rejected", False, None),
        ("wrong_key", "misconfigured", False, None),
        ("forbidden", "misconfigured", False, None),
        ("unknown_model", "misconfigured", False, None),
    ],
)
def test_a_status_says_whether_trying_again_helps(
    openai_responder: OpenAIResponder,
    vendor: VendorServer,
    is_streamed: bool,
    scenario: str,
    code: str,
    retryable: bool,
    retry_after: float | None,
):
    vendor.play(SCENARIOS[scenario])

    error = _error(openai_responder, is_streamed=is_streamed)

    assert (error.code, error.retryable, error.retry_after_seconds) == (code, retryable, retry_after)
    assert (error.reached_vendor, error.usage) == (True, NOTHING)
    assert len(vendor.requests) == 1


@streamed_or_not
def test_silence_ends_at_the_timeout_and_may_have_cost_the_prompt(
    openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool
):
    vendor.play(SCENARIOS["timeout"])

    error = _error(openai_responder, is_streamed=is_streamed, timeout_seconds=SHORT_TIMEOUT_SECONDS)

    assert (error.code, error.retryable, error.reached_vendor) == ("timeout", True, True)
    assert error.usage == PROMPT_ONLY
    assert len(vendor.requests) == 1


def test_a_stream_that_stalls_ends_at_the_timeout_and_cost_what_came(
    openai_responder: OpenAIResponder, vendor: VendorServer
):
    vendor.play(SCENARIOS["stalled"])

    error = _error(openai_responder, is_streamed=True, timeout_seconds=STALL_TIMEOUT_SECONDS)

    assert (error.code, error.retryable, error.reached_vendor) == ("timeout", True, True)
    assert error.usage.input == PROMPT_ONLY.input
    assert error.usage.output >= len(GOOD_DECISION) // 4 - 5


def test_a_connection_that_breaks_off_in_a_stream_cost_what_came(
    openai_responder: OpenAIResponder, vendor: VendorServer
):
    vendor.play(SCENARIOS["broken_off"])

    error = _error(openai_responder, is_streamed=True)

    assert (error.code, error.retryable, error.reached_vendor) == ("unreachable", True, True)
    assert error.usage.output > 0


def test_a_body_that_breaks_off_is_no_reply(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["broken_off"])

    error = _error(openai_responder, is_streamed=False)

    assert (error.code, error.retryable, error.reached_vendor) == ("unreachable", True, True)
    assert error.usage == PROMPT_ONLY


def test_the_next_call_after_a_timeout_works(openai_responder: OpenAIResponder, vendor: VendorServer):
    vendor.play(SCENARIOS["stalled"], SCENARIOS["good_decision"])

    _error(openai_responder, is_streamed=True, timeout_seconds=STALL_TIMEOUT_SECONDS)

    assert openai_responder.decide(decision_request()).text == GOOD_DECISION


@streamed_or_not
def test_a_refused_connection_never_reached_the_vendor(refused_openai: OpenAIResponder, is_streamed: bool):
    error = _error(refused_openai, is_streamed=is_streamed)

    assert (error.code, error.retryable, error.reached_vendor) == ("unreachable", True, False)
    assert error.usage == NOTHING


@pytest.mark.parametrize("address", ["nonsense", "ftp://127.0.0.1/v1", "http://[::1/v1"])
def test_an_address_that_is_none_is_a_fault_of_the_settings(openai_settings: Settings, address: str):
    openai_settings.OPENAI_BASE_URL = address

    error = _error(OpenAIResponder(), is_streamed=False)

    assert (error.code, error.retryable, error.reached_vendor) == ("misconfigured", False, False)


@streamed_or_not
@pytest.mark.parametrize("scenario", ["failed_inside", "proxy_page"])
def test_something_else_than_a_reply_is_a_fault_of_the_server(
    openai_responder: OpenAIResponder, vendor: VendorServer, is_streamed: bool, scenario: str
):
    vendor.play(SCENARIOS[scenario])

    error = _error(openai_responder, is_streamed=is_streamed)

    assert (error.code, error.retryable, error.reached_vendor) == ("server_error", True, True)


def test_a_rejected_call_keeps_the_vendors_words_for_the_operator(
    openai_responder: OpenAIResponder, vendor: VendorServer
):
    vendor.play(VendorReply(status=400, raw_body=b'{"error": {"message": "Unknown parameter: \\"store\\"."}}'))

    assert 'Unknown parameter: "store".' in str(_error(openai_responder, is_streamed=False))


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_the_key_is_in_no_error_and_no_log_line(
    openai_responder: OpenAIResponder, vendor: VendorServer, caplog: pytest.LogCaptureFixture, status: int
):
    caplog.set_level(logging.DEBUG)
    quote = f'{{"error": {{"message": "Incorrect API key provided: {OPENAI_KEY}"}}}}'
    vendor.play(VendorReply(status=status, raw_body=quote.encode()))

    error = _error(openai_responder, is_streamed=False)

    shown = "".join(traceback.format_exception(error)) + caplog.text
    assert "sk-test" not in shown


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
    ],
)
def test_retry_after_is_read_in_each_of_its_forms(headers: dict[str, str], seconds: float | None):
    assert parse_retry_after(httpx2.Headers(headers)) == seconds
