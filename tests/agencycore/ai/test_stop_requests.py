"""Work is stopped on a clear request alone; in doubt it goes on."""

import pytest

from agencycore.ai.stop_requests import asks_to_stop, asks_which_to_stop, drops_it, lets_go_on, picks_plainly
from tests.agencycore.ai.stop_wordings import NO_REQUESTS, REQUESTS

NAMES = ["Signals Search", "Draft Reply"]


def test_a_clear_request_asks_to_stop():
    assert [message for message in REQUESTS if not asks_to_stop(message, NAMES)] == []


def test_what_is_denied_quoted_conditional_or_only_asked_about_does_not():
    messages = [*NO_REQUESTS, "- stop it\n- wait", "> stop that run\n\nWhat does this mean?"]

    assert [message for message in messages if asks_to_stop(message, NAMES)] == []


@pytest.mark.parametrize("opening", ["Please do not ", "I never want you to ", "If it fails, ", "He says: ", "Why "])
def test_what_stands_before_a_request_takes_it_away(opening):
    messages = [opening + wording for wording in REQUESTS if wording.lower().startswith(("stop ", "kill "))]

    assert len(messages) > 10
    assert [message for message in messages if asks_to_stop(message, NAMES)] == []


@pytest.mark.parametrize(
    ("message", "stops"),
    [
        ("Stop Signals Search", True),
        ("cancel the draft reply", True),
        ("Stop Halden Bank", False),
        ("kill Acme", False),
    ],
)
def test_only_what_is_called_like_a_run_is_stopped_by_its_name(message, stops):
    assert asks_to_stop(message, NAMES) is stops


@pytest.mark.parametrize(
    ("message", "goes_on"),
    [
        ("don't stop the other one", True),
        ("please do not cancel it", True),
        ("No, don't stop", True),
        ("let it run", True),
        ("Keep the search running, please", True),
        ("leave it running", True),
        ("don't stop", True),
        ("stop it", False),
        ("Don't stop believing", False),
        ("keep going", True),
        ("continue", False),
        ("Let it snow", False),
        ("Don't find companies", False),
    ],
)
def test_what_is_to_go_on_is_read_off_a_denial(message, goes_on):
    assert lets_go_on(message, NAMES) is goes_on
    assert not (goes_on and asks_to_stop(message, NAMES))


@pytest.mark.parametrize(
    ("message", "is_dropped"),
    [
        ("never mind", True),
        ("ok, nevermind, thanks", True),
        ("Forget it", True),
        ("never mind, stop the search", False),
        ("forget what I said about Acme", False),
        ("I will never mind", False),
    ],
)
def test_what_is_left_is_said_alone(message, is_dropped):
    assert drops_it(message) is is_dropped


def test_a_request_inside_a_long_message_may_be_pasted():
    told = "The customer has questions about the terms of the contract. " * 6

    assert not asks_to_stop(f"{told}Stop that run. {told}")
    assert not asks_to_stop(f"Can you sum this up? {told}Stop that run.")
    assert asks_to_stop(f"Stop that run. {told}")


@pytest.mark.parametrize(
    ("question", "is_about_stopping"),
    [
        ("Which run should be stopped?", True),
        ("Which of the two runs do you want me to cancel?", True),
        ("Which run do you mean?", False),
        ("Which run stopped?", False),
        ("Which company do you mean?", False),
    ],
)
def test_our_question_is_about_stopping_if_it_says_so(question, is_about_stopping):
    assert asks_which_to_stop(question) is is_about_stopping


@pytest.mark.parametrize(
    "reply", ["the first one", "2", "Signals Search", "the one for Norway", "both", "Find no banks"]
)
def test_a_reply_picks(reply):
    assert picks_plainly(reply, ["Find no banks"])


@pytest.mark.parametrize(
    "reply",
    ["none of them", "not the first", "No", "keep the second", "What does the first one do?", "the first, if it failed",
     "Don't", "never mind", "neither", "how far is the first"],
)  # fmt: skip
def test_a_reply_that_denies_or_asks_picks_nothing(reply):
    assert not picks_plainly(reply, ["Signals Search"])
