"""A message of a question and a piece of work: neither is dropped without a word."""

import pytest

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer
from agencycore.tenancy import tenant
from chat.context.query import searches_of
from runs.models import Run
from tests.chat.turning import ask, publish_lifecycle_page
from tests.chat.working import SIGNALS, delegate, publish_signals

pytestmark = pytest.mark.django_db

OFFER = "Shall I also find fintechs in Spain?"


def test_the_question_is_answered_and_yes_starts_the_work(owner, tmp_path):
    publish_lifecycle_page(tmp_path)
    publish_signals(owner)

    turn = ask(owner, "Explain lifecycle stages. Then find fintechs in Spain")
    accepted = ask(owner, "yes, do it", conversation_id=turn.conversation_id)

    assert turn.state == "answered"
    assert turn.reply.text.startswith("A lifecycle stage is how far a company has come")
    assert turn.reply.text.endswith(f"\n\n{OFFER}")
    assert accepted.state == "delegated"
    with tenant(owner.organization.id):
        run = Run.objects.get(id=accepted.run_id)
        assert (run.version.definition.slug, run.goal["message"]) == (SIGNALS, "Find fintechs in Spain")


def test_an_offer_that_the_text_holds_already_is_said_once(owner):
    answered = WireAnswer(outcome="answer", citations=[], unresolved=["The stage"], offer=OFFER, text=f"No. {OFFER}")

    with playing([answered]):
        turn = ask(owner, "What is its stage? Then find fintechs in Spain")

    assert turn.reply.text == f"No. {OFFER}"


def test_a_handoff_names_the_question_that_went_along(owner):
    publish_signals(owner)

    turn = delegate(owner, "Find fintechs in Spain. What is the weather in Oslo?")

    assert turn.reply.text == (
        "I handed this to Signals Search. Its progress and its report appear here. "
        "Your question “What is the weather in Oslo?” went along with it; I have not answered that here."
    )


@pytest.mark.parametrize(
    "message", ["Find fintechs in Spain", "Find fintechs in Spain. They must be hiring.", "Find fintechs, please?"]
)
def test_a_handoff_of_work_alone_speaks_of_no_question(owner, message):
    publish_signals(owner)

    assert delegate(owner, message).reply.text.endswith("its report appear here.")


@pytest.mark.parametrize(
    ("query", "message", "searches"),
    [
        ("Explain deals. Find fintechs", "Explain deals. Find fintechs", ("deals.", "Find fintechs")),
        ("What is a lead and what is a deal?", "What is a lead and what is a deal?",
         ("What is a lead", "what is a deal?")),
        ("Who owns it? What is a deal? Acme", "Who owns it?  What is a deal?",
         ("Who owns it? Acme", "What is a deal? Acme")),
        # One ask, or one that leans on what was said before, is one search.
        ("What is a deal? and in Spain?", "and in Spain?", ("What is a deal? and in Spain?",)),
        # The words for more would find what speaks of more.
        ("What is a deal? any more?", "any more?", ("What is a deal?",)),
        ("Which company? Who owns it and what is a deal?", "Who owns it and what is a deal?",
         ("Which company? Who owns it and what is a deal?",)),
        ("Find fintechs and draft a mail", "Find fintechs and draft a mail", ("Find fintechs and draft a mail",)),
        ("Tell me about deals", "Tell me about deals", ("deals",)),
        # What is compared is searched side by side.
        ("difference between a lead and a deal", "difference between a lead and a deal",
         ("difference between a lead and a deal", "What is lead?", "What is deal?")),
        ("lead vs prospect", "lead vs prospect", ("lead vs prospect", "What is lead?", "What is prospect?")),
        ("Compare it with Birch Acme", "Compare it with Birch", ("Compare it with Birch Acme",)),
    ],
)  # fmt: skip
def test_each_ask_is_searched_by_itself(query, message, searches):
    assert searches_of(query, message) == searches


@pytest.mark.parametrize(
    ("message", "left"),
    [
        ("Stop the run and tell me what it found",
         " Your question “tell me what it found” is still open: please send it by itself."),
        ("What is a lead? Please stop the run.",
         " Your question “What is a lead?” is still open: please send it by itself."),
        ("Stop that and find Spanish fintechs instead",
         " I have not done this: “find Spanish fintechs instead”. Please send it by itself."),
        ("Stop the run", ""),
    ],
)  # fmt: skip
def test_a_stop_names_what_else_was_asked(owner, message, left):
    publish_signals(owner)
    working = delegate(owner, "Find fintechs in Spain")

    turn = ask(owner, message, conversation_id=working.conversation_id)

    assert turn.state == "controlled"
    assert turn.reply.text == f"I stopped Signals Search (“Find fintechs in Spain”).{left}"


def test_what_is_asked_beside_a_stop_is_what_is_searched():
    query = "Tell me what a lead is and stop the run Run of Signals Search"

    assert searches_of(query, "Tell me what a lead is and stop the run") == ("what a lead is",)


def test_what_only_asks_for_more_is_not_searched():
    assert searches_of("What is a lead? tell me more", "tell me more") == ("What is a lead?",)
