"""A run to be stopped and another ask in one message: one of them is done, and the other is named."""

import pytest

from agencycore.ai.beside_stop import asks_apart_from_stop, asks_beside_stop, stop_joined_on
from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, WireControlRun, parse_decision
from tests.agencycore.ai.briefs import brief, passage, request, run

LEAD = passage("Glossary", "- Lead: a company that is known.", position="Glossary › Lead")
LIVE = run("Signals Search", "running", id="1")
ENDED = run("Signals Search", "succeeded", id="2", words="Finished")


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("Stop the run and tell me what it found", ("tell me what it found",)),
        ("What is a lead? Please stop the run.", ("What is a lead?",)),
        ("Stop that and find Spanish fintechs instead", ("find Spanish fintechs instead",)),
        ("Stop Signals Search and explain deals", ("explain deals",)),
        ("Cancel it. Who owns Acme?", ("Who owns Acme?",)),
        ("Stop the run", ()),
        ("Could you please stop it?", ()),
        ("Stop it and tell me when it is done", ()),
        ("Stop it, I don't need it", ()),
    ],
)
def test_what_is_asked_beside_a_stop(message, asks):
    assert asks_beside_stop(message, ["Signals Search"]) == asks


@pytest.mark.parametrize(
    ("message", "joined"),
    [
        ("Tell me what a lead is and stop the run", (("Tell me what a lead is",), "stop the run")),
        ("How many leads are there, and please cancel that run", (("How many leads are there",), "cancel that run")),
        ("How do I start and stop a run?", ((), "")),
        ("Tell me how to pause and stop the run", ((), "")),
        ("Who can start and stop runs?", ((), "")),
        ("What is a lead?", ((), "")),
    ],
)
def test_a_stop_that_is_joined_on_to_a_question(message, joined):
    asks, stop = stop_joined_on(message)

    assert (asks, stop.removeprefix("please ")) == joined


def test_both_orders_are_searched_for_what_is_asked():
    assert asks_apart_from_stop("Tell me what a lead is and stop the run") == ("Tell me what a lead is",)
    assert asks_apart_from_stop("Stop the run and tell me what a lead is") == ("tell me what a lead is",)
    assert asks_apart_from_stop("What is a lead?") == ()


def test_a_question_before_a_stop_is_answered_and_the_stop_is_to_be_asked_for_alone():
    decided = decide("Tell me what a lead is and stop the run", LIVE, LEAD, refs=[LIVE.ref], phrase="the run")

    assert isinstance(decided, WireAnswer)
    assert decided.text == "Lead: a company that is known [r2]."
    assert decided.unresolved == ["To be asked for by itself: stop the run"]


def test_a_clear_stop_is_done_whatever_is_asked_beside_it():
    decided = decide("Stop the run and tell me what a lead is", LIVE, LEAD, refs=[LIVE.ref], phrase="the run")

    assert decided == WireControlRun(outcome="control_run", run_id="1", action="cancel")


def test_where_nothing_can_be_stopped_the_question_beside_it_is_answered():
    decided = decide("Stop the run and tell me what a lead is", ENDED, LEAD)

    assert isinstance(decided, WireAnswer)
    assert "there is nothing to stop" in decided.text
    assert decided.text.endswith("\n\nLead: a company that is known [r2].")
    assert decided.unresolved == ["No live run to stop"]


def test_where_nothing_can_be_stopped_the_work_beside_it_is_named():
    decided = decide("Stop the run and find fintechs in Spain", ENDED)

    assert decided.unresolved == ["No live run to stop", "To be asked for by itself: find fintechs in Spain"]
