"""Lesson 3, and what is said where a source could not be read: "I could not check" is not "there is none"."""

import pytest
from pytest_django import Settings

from agencycore.ai.ports import get_embedder
from chat.frontdoor import speech
from tests.chat.pipeline import Talk, answer_from, nothing_known
from tests.chat.working import publish_signals
from tests.lessons.desk import (
    RAIL_QUESTION,
    TRAVEL,
    company,
    locked,
    page_of,
    said,
    shown_replies,
    upload,
)

NO_RUNS = said("There are no runs.", unresolved=("Runs of today",))


@pytest.fixture
def short_patience(settings: Settings) -> None:
    get_embedder().embed(["Loaded before the time is short."])
    settings.SOURCE_TIMEOUT_SECONDS = 0.3


def test_lesson_03_nothing_known_is_said_also_right_after_a_hit(any_talk):
    """Unrelated question: `unresolved`, no citations, also right after an earlier hit; "hello" is greeted."""
    talk = any_talk
    upload(talk.person, TRAVEL)
    hit = talk.say(RAIL_QUESTION, decision=answer_from("knowledge_chunk", label="Travel"))
    assert len(talk.cited(hit)) == 1

    missed = talk.say("What is the boiling point of lead?", decision=nothing_known("The boiling point of lead"))

    [reply] = talk.replies(missed)
    assert (missed.state, missed.outcome, talk.cited(missed)) == ("answered", "answer", [])
    assert len(reply.unresolved) == 1
    assert "boiling point of lead" in reply.unresolved[0]
    assert [item for item in missed.brief["items"] if item["source"] == "knowledge"] == []
    greeted = talk.say("hello", decision=said("Hello! What can I do for you?"))
    [reply] = talk.replies(greeted)
    assert (reply.unresolved, talk.cited(greeted)) == ([], [])
    assert "Hello" in reply.text
    shown = shown_replies(page_of(talk.person.client, talk.conversation_id))
    assert [(len(r.sources), len(r.gaps)) for r in shown] == [(1, 0), (0, 1), (0, 0)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("table", "question", "source"),
    [
        ("chunk_index", RAIL_QUESTION, "knowledge"),
        ("crm_company", "Who owns this company?", "application"),
        ("runs_run", "Did my last run work?", "runs"),
    ],
)
def test_lesson_03_what_could_not_be_read_is_called_unchecked_and_not_unknown(
    any_talk: Talk, short_patience, table: str, question: str, source: str
):
    """A retrieval error says it could not check, not "no knowledge"; and with the source back it is answered."""
    talk = any_talk
    upload(talk.person, TRAVEL)
    acme = company(talk.person, "Acme")
    publish_signals(talk.person)
    sent = (acme,) if source == "application" else ()
    turn = talk.post(question, *sent)

    with locked(table), talk.model.deciding(nothing_known("Nothing about it", "There is nothing about it.")):
        turn = talk.work(turn)

    states = {report["name"]: report["state"] for report in turn.brief["sources"]}
    [reply] = talk.replies(turn)
    assert (turn.state, turn.outcome, states[source]) == ("answered", "answer", "unavailable")
    assert "could not check" in reply.text
    assert any("could not be checked" in gap for gap in reply.unresolved)
    for claim in ("no ready document", "no record", "see no recent run", "no run"):
        assert claim not in reply.text.lower()
    assert "Could not be read for this answer: " in talk.page()
    assert talk.cited(turn) == []

    again = talk.say(question, *sent, decision=answer_from("knowledge_chunk", "company")) if source != "runs" else None
    assert again is None or (len(talk.cited(again)), again.brief["sources"] != turn.brief["sources"]) == (1, True)


@pytest.mark.django_db(transaction=True)
def test_lesson_03_a_model_that_says_there_is_none_is_corrected_where_nobody_could_look(talk, short_patience):
    publish_signals(talk.person)
    turn = talk.post("What is running?")

    with locked("runs_run"), locked("runs_definitionversion"), talk.model.deciding(NO_RUNS):
        turn = talk.work(turn)

    [reply] = talk.replies(turn)
    unchecked = [speech.not_checked(name) for name in ("runs", "definitions")]
    assert reply.text.endswith("I could not check recent runs and the agents and workflows just now.")
    assert reply.unresolved == ["Runs of today", *unchecked]
    prompt = turn.prompt["messages"][-1]["text"]
    assert f"- {unchecked[0]}." in prompt
    assert "- " + speech.not_checked("knowledge") not in prompt
