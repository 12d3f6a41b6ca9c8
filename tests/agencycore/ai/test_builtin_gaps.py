"""What stays open is told in the person's words, never as the text that was searched for."""

import pytest

from agencycore.ai.builtin.gaps import as_said, without_courtesy
from agencycore.ai.builtin.questions import Question
from agencycore.ai.types import BriefItem
from tests.agencycore.ai.briefs import brief


def said(text: str) -> BriefItem:
    return BriefItem(
        key="",
        source="conversation",
        kind="message",
        id="",
        label="Member",
        text=text,
        tokens=9,
        payload={"role": "user"},
    )


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("thanks! the second one", "the second one"),
        ("And Fjord Analytics", "Fjord Analytics"),
        ("ok", "ok"),
        ("Hi, who owns it?", "who owns it?"),
    ],
)
def test_courtesies_and_joints_are_no_part_of_a_gap(text: str, rest: str) -> None:
    assert without_courtesy(text) == rest


def test_a_question_that_the_search_made_whole_is_told_as_it_was_asked() -> None:
    query = "any deals? And Fjord Analytics? Fjord Analytics"
    went_on = brief("And Fjord Analytics?", said("hello there"), said("any deals?"), query=query)

    assert as_said(Question(query, ("Fjord Analytics",)), went_on).text == "any deals?"


def test_what_the_message_says_itself_is_the_gap() -> None:
    query = "any deals? And its tax number? Acme"
    went_on = brief("And its tax number?", said("any deals?"), query=query)

    assert as_said(Question(query, ("Acme",)), went_on).text == "its tax number?"
