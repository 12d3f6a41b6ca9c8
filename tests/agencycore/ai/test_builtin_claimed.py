"""Whether we did something: said plainly, with what the conversation's runs tell, and nothing started or stopped."""

from dataclasses import replace

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.claimed import asked_done
from agencycore.ai.wire import WireAnswer, WireControlRun, parse_decision
from chat.frontdoor.validation.claims import claims_work
from tests.agencycore.ai.briefs import brief, capability, definition, fact, request, run

WORKING = run("Signals Search", "running", id="run-1", goal="find fintechs in Norway")
SIGNALS = definition(
    "Signals Search", fact("Kind", "Workflow"), fact("Description", "Finds companies by signals."),
    fact("Memory", "Keeps nothing after a run has ended."), fact("Runs", "None."),
)  # fmt: skip


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("Did you send the email?", "sent"),
        ("did you already email them", "emailed"),
        ("Have you sent the e-mail to Jane?", "sent"),
        ("So, have you just updated the deal?", "updated"),
        ("Didn't you create the contact?", "created"),
        ("Has the email been sent?", "sent"),
        ("was my message sent?", "sent"),
        ("Did you delete my document?", "deleted"),
    ],
)
def test_what_we_may_be_believed_to_have_done(message, done):
    assert asked_done(message) == done

    decided = decide(message)

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith(f"No, nothing was {done} by chat")
    assert not claims_work(decided.text)
    assert decided.unresolved == [f"Whether anything was {done} outside of this conversation"]


@pytest.mark.parametrize(
    "message",
    [
        "Did you find anything?",
        "Did you mean Acme?",
        "Have you read my document?",
        "Did I send the email?",
        "Did they send the email?",
        "Can you send the email?",
        "When was the email sent?",
        "Who sent the email?",
        "Was the deal created yesterday?",
        "Did you start the run?",
    ],
)
def test_other_questions_are_answered_as_such(message):
    assert asked_done(message) == ""


def test_the_runs_of_the_conversation_are_told_and_no_others():
    elsewhere = replace(WORKING, id="run-2", payload={**WORKING.payload, "in_conversation": False})

    own = decide("did you send them an email?", WORKING, elsewhere)
    none = decide("did you send them an email?", elsewhere)

    assert own.citations == ["r1"]
    assert "The run of Signals Search (“find fintechs in Norway”) is running [r1]." in own.text
    assert none.text.endswith("This conversation has no run that could have done it either.")


def test_runs_that_could_not_be_read_are_not_denied():
    decided = decide("did you send them an email?", states={"runs": "unavailable"})

    assert "I could not check recent runs just now." in decided.text


@pytest.mark.parametrize("message", ["Should I stop it?", "should we cancel the run?", "Must I stop this run?"])
def test_a_question_about_stopping_stops_nothing(message):
    decided = decide(message, about=[WORKING])

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1"]


@pytest.mark.parametrize("message", ["Could I stop it?", "Can I cancel the run?", "May I stop it?"])
def test_whether_one_may_stop_a_run_stops_nothing(message):
    assert not isinstance(decide(message, about=[WORKING]), WireControlRun)


@pytest.mark.parametrize("message", ["Stop it", "Can you stop it?", "please cancel the run", "can we stop the run"])
def test_a_request_to_stop_still_stops(message):
    assert isinstance(decide(message, about=[WORKING]), WireControlRun)


@pytest.mark.parametrize(
    "message", ["Should I run Signals Search?", "Can I start Signals Search?", "Is it worth using Signals Search?"]
)
def test_whether_to_start_something_is_told_by_what_it_does(message):
    decided = decide(message, SIGNALS, capability("Signals Search", "Finds companies by signals."))

    assert isinstance(decided, WireAnswer)
    assert decided.text == "**Signals Search**: Finds companies by signals [r1]."
