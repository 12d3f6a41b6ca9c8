"""A reply wanted in a form that quoting cannot give: it is said that it cannot be, and nothing is repeated."""

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.unable import OWN_WORDS
from agencycore.ai.wire import parse_decision
from tests.agencycore.ai.briefs import brief, passage, request, spoken

TOLD = (
    spoken("user", "What is a prospect?"),
    spoken("assistant", "A prospect is a company that was found. It waits for a review [1]."),
)
LANGUAGES = passage("What to upload", "Word endings are understood in German and French.", position="Languages")


def decide(message, *items, **options):
    return parse_decision(BuiltinResponder().decide(request(brief(message, *items, **options))).text)


@pytest.mark.parametrize(
    ("message", "what"),
    [
        ("translate that to German", "translate"),
        ("Translate it please", "translate"),
        ("say it in French", "translate"),
        ("in Spanish please", "translate"),
        ("make it longer", "write at greater length than my sources"),
        ("make it more formal", "change the tone of what I said"),
        ("as a table", "draw a table"),
    ],
)
def test_a_form_that_quoting_cannot_give_is_declined(message, what):
    decided = decide(message, *TOLD, message_class="conversation")

    assert decided.text.startswith(f"{OWN_WORDS}, so I cannot {what}.")
    assert decided.unresolved == [f"I cannot {what}"]
    assert "waits for a review" not in decided.text


@pytest.mark.parametrize("message", ["translate that to German", "Can you say it in French?"])
def test_before_anything_was_said_no_passage_is_told_for_it(message):
    assert decide(message, LANGUAGES).unresolved == ["I cannot translate"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("make it shorter", "A prospect is a company that was found."),
        ("in english", "A prospect is a company that was found. It waits for a review."),
        ("translate that to English", "A prospect is a company that was found. It waits for a review."),
    ],
)
def test_a_form_that_it_can_give_is_given_of_what_was_told(message, text):
    declined = (spoken("user", "in German"), spoken("assistant", f"{OWN_WORDS}, so I cannot translate."))

    assert decide(message, *TOLD, *declined, message_class="conversation").text == text


@pytest.mark.parametrize("message", ["Which languages are understood?", "Is German understood?"])
def test_a_question_about_languages_is_a_question(message):
    assert decide(message, LANGUAGES).citations == ["r1"]
