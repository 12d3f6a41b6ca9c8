"""Several asks in one message: every question is answered or named, and work is offered beside the answer."""

from dataclasses import replace

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, WireDelegate, parse_decision
from tests.agencycore.ai.briefs import brief, capability, offered, passage, request, spoken

SIGNALS = capability("Signals Search", "Finds companies by buying signals such as hiring, funding or expansion.")
RESEARCH = capability("Research Assistant", "Researches a company or topic on the web and writes a short brief.")
DEAL = passage("Glossary", "**Deal**: a sale you are working on.", position="Glossary › Deal")
SIGNAL = passage("Glossary", "**Signal**: an event at a company that may mean a chance.", position="Glossary › Signal")
ANSWERED = "A signal is an event at a company. It has a date. It has no points [1]."
OFFER = "Shall I also find fintech companies in Spain?"


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


@pytest.mark.parametrize(
    "message",
    [
        "Explain deals. Then find fintech companies in Spain",
        "What is a deal? Please find fintech companies in Spain",
        "Find fintech companies in Spain, and tell me what a deal is",
        "I would like to know what a deal is and then find fintech companies in Spain.",
    ],
)
def test_the_question_is_answered_and_the_work_offered(message):
    decided = decide(message, DEAL, SIGNALS, RESEARCH)

    assert isinstance(decided, WireAnswer)
    assert "a sale you are working on [r1]" in decided.text
    assert decided.offer == OFFER


@pytest.mark.parametrize(
    "message",
    [
        "What is the weather in Oslo? And find fintech companies in Spain",
        "Find fintech companies in Spain. What is the weather in Oslo?",
    ],
)
def test_work_is_started_where_nothing_answers_the_question_beside_it(message):
    decided = decide(message, DEAL, SIGNALS)

    assert isinstance(decided, WireDelegate)
    assert decided.capability == "signals-search"


def test_a_list_beside_a_question_is_declined_and_the_question_answered():
    decided = decide("Which open deals have no activity in 30 days, and what is a signal?", DEAL, SIGNAL)

    assert isinstance(decided, WireAnswer)
    assert "I cannot count or list deals from chat" in decided.text
    assert "an event at a company that may mean a chance [r2]" in decided.text
    assert decided.unresolved == ["A list of deals: Which open deals have no activity in 30 days"]


def test_work_is_started_beside_a_list_that_cannot_be_given():
    decided = decide("Which deals are open? Find fintech companies in Spain", DEAL, SIGNALS)

    assert isinstance(decided, WireDelegate)


def test_of_two_pieces_of_work_one_is_offered_and_the_other_named():
    message = "What is a deal? Find fintech companies in Spain and research the company Halden Robotics on the web"

    decided = decide(message, DEAL, SIGNALS, RESEARCH)

    assert isinstance(decided, WireAnswer)
    assert decided.offer == OFFER
    assert decided.unresolved == ["To be asked for by itself: research the company Halden Robotics on the web"]


def test_three_questions_are_answered_or_named():
    decided = decide("What is a deal, what is a signal, and what is a zebra?", DEAL, SIGNAL)

    assert isinstance(decided, WireAnswer)
    assert (decided.citations, decided.unresolved) == (["r1", "r2"], ["No ready document covers: zebra"])


def test_what_the_work_is_to_find_out_is_no_question_beside_it():
    decided = decide("Find fintech companies in Spain and tell me who their owners are", DEAL, SIGNALS)

    assert isinstance(decided, WireDelegate)


@pytest.mark.parametrize("message", ["shorter please", "say it in one sentence"])
def test_a_shorter_reply_keeps_its_offer_and_its_sources(message):
    decided = decide(
        message,
        spoken("user", "What is a signal? Then find fintech companies in Spain"),
        spoken("assistant", f"{ANSWERED}\n\n{OFFER}"),
        offered(OFFER),
        replace(SIGNAL, pinned=True),
        message_class="conversation",
    )

    assert isinstance(decided, WireAnswer)
    assert (decided.text, decided.offer) == ("A signal is an event at a company [r1].", OFFER)
