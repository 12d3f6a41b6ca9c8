"""“Tell me more about it”: more of the topic asked about, nothing twice, and in words where there is no more."""

import pytest

from agencycore.ai.asked import asks_more, without_more
from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, WireClarify, parse_decision
from tests.agencycore.ai.briefs import brief, fact, passage, record, request, spoken

WORD = passage("Glossary", "- Prospect: a company that was found.", position="Glossary › Prospect")
PAGE = passage(
    "Prospects", "A prospect is a company that is not part of the CRM yet. It waits for a review.", position="Prospects"
)
BIRCH = record("company", "Birch Foods", fact("Owner", "Dana Reyes", None, "who", "owns"), fact("Country", "Norway"))
ASKED = (
    spoken("user", "What is a prospect?"),
    spoken("assistant", "Prospect: a company that was found [1]."),
)
BOTH = "A prospect is a company that is not part of the CRM yet. It waits for a review"


def decide(message, *items, **options):
    return parse_decision(BuiltinResponder().decide(request(brief(message, *items, **options))).text)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("tell me more", True),
        ("Tell me more about it", True),
        ("ok, tell me more about that please", True),
        ("more details please", True),
        ("What else?", True),
        ("can you explain it in more detail?", True),
        ("elaborate", True),
        ("any more?", True),
        ("Are there any more of them?", True),
        ("is that all?", True),
        ("any more deals?", False),
        ("Tell me more about this company", False),
        ("Find more companies", False),
        ("more than 3 deals?", False),
        ("go on", False),
        ("", False),
    ],
)
def test_a_message_asks_for_more_and_names_nothing(text, asks):
    assert asks_more(text) is asks


def test_the_words_that_ask_for_more_are_not_searched():
    assert without_more("What is a prospect? tell me more about it tell me more") == "What is a prospect?"


@pytest.mark.parametrize("message", ["tell me more about it", "tell me more", "What else?", "more details please"])
@pytest.mark.parametrize("beside", [(), (BIRCH,)], ids=["alone", "a record is in scope"])
def test_more_of_the_topic_is_told_and_nothing_twice(message, beside):
    decided = decide(message, *ASKED, *beside, WORD, PAGE, query=f"What is a prospect? {message}")

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith(BOTH)
    assert "a company that was found" not in decided.text


def test_where_all_was_told_it_is_said_that_there_is_no_more():
    told = (*ASKED, spoken("user", "tell me more"), spoken("assistant", f"{BOTH} [1]."))

    decided = decide("tell me more about it", *told, WORD, PAGE, query="What is a prospect? tell me more about it")

    assert decided.text.startswith("I have nothing more about “prospect”")
    assert decided.unresolved == ["Nothing more is known of: prospect"]


def test_more_about_a_record_is_all_of_the_record():
    asked = (spoken("user", "Who owns Birch Foods?"), spoken("assistant", "The owner of Birch Foods is Dana [1]."))

    decided = decide("tell me more about it", *asked, WORD, about=[BIRCH], phrase="it")

    assert decided.text.startswith("Birch Foods, as recorded [r1]:")


def test_more_of_nothing_asks_which_record():
    assert isinstance(decide("tell me more about it"), WireClarify)


@pytest.mark.parametrize("message", ["tell me more", "more details please", "what else?"])
def test_more_without_a_pronoun_is_of_the_record_that_is_meant(message):
    assert decide(message, WORD, about=[BIRCH]).text.startswith("Birch Foods, as recorded [r1]:")
