"""Lessons 21 and 24: whatever a model decides, nothing happens that may not, and a person gets one plain reply."""

import json

import pytest

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, WireControlRun, WireDelegate
from agencycore.identifiers import new_id
from agencycore.tenancy import tenant
from organizations.models import UsageRecord
from runs.ender import Succeed
from runs.models import Run
from tests.chat.pipeline import Talk, answer_from, delegate_to
from tests.chat.working import REQUEST, SIGNALS, publish_signals
from tests.lessons.desk import RAIL, RAIL_QUESTION, TRAVEL, api, key_of, page_of, said, shown_replies, upload
from tests.people import Person

SCHEMA = {"type": "object", "properties": {"limit": {"type": "integer"}}, "additionalProperties": False}
GOOD = {"outcome": "answer", "citations": [], "unresolved": ["Everything"], "offer": "", "text": "Nothing."}
TWO_OUTCOMES = json.dumps({"decision": GOOD, "other": {"outcome": "delegate", "capability": SIGNALS}})


@pytest.fixture
def work(owner: Person, stranger: Person) -> None:
    publish_signals(owner, input_schema=SCHEMA)
    upload(owner, TRAVEL)


def foreign_run(stranger: Person) -> str:
    publish_signals(stranger)
    theirs = Talk(stranger, None)
    turn = theirs.post(REQUEST)
    with playing([delegate_to(SIGNALS)]):
        turn = theirs.work(turn)
    return str(turn.run_id)


BAD = {
    "no JSON at all": lambda _: "Sure! I will do that.",
    "JSON that breaks off": lambda _: '{"decision": {"outcome": "answer", "text": "It is',
    "two outcomes": lambda _: TWO_OUTCOMES,
    "nothing": lambda _: "",
    "an unknown outcome": lambda _: json.dumps({"decision": {"outcome": "execute", "command": "rm -rf /"}}),
    "an unknown capability": lambda _: delegate_to("fee-explain"),
    "input off its schema": lambda _: WireDelegate(
        outcome="delegate", capability=SIGNALS, input_json='{"limit": "all", "drop": true}'
    ),
    "input that is no object": lambda _: WireDelegate(outcome="delegate", capability=SIGNALS, input_json="[1"),
    "an unknown run": lambda _: WireControlRun(outcome="control_run", run_id=str(new_id()), action="cancel"),
    "a foreign run": lambda run: WireControlRun(outcome="control_run", run_id=run, action="cancel"),
    "a citation of nowhere": lambda _: said("It is so [r99].", "r99"),
    "a claim of work": lambda _: said("Done, I created the contact."),
}


@pytest.mark.parametrize("kind", BAD)
def test_lesson_24_a_bad_decision_is_repaired_once_and_then_answered_politely(talk, work, stranger, kind):
    run = foreign_run(stranger)
    turn = talk.post(RAIL_QUESTION)
    bad = BAD[kind](run)

    with playing([bad, bad]) as model:
        turn = talk.work(turn)

    [reply] = talk.replies(turn)
    assert (turn.state, turn.outcome, turn.fallback) == ("answered", "answer", "invalid")
    assert len(model.requests) == 2
    assert "refunded within fourteen days" in reply.text
    assert [citation.excerpt for citation in reply.citations.all()] == [RAIL]
    assert [len(shown.sources) for shown in shown_replies(page_of(talk.person.client, talk.conversation_id))] == [1]
    assert api(talk.person).get(f"/api/v1/turns/{turn.id}/").json()["state"] == "answered"
    with tenant(talk.organization_id):
        assert not Run.objects.exists()
        assert UsageRecord.objects.get(owner_id=turn.id).calls == 2
    with tenant(stranger.actor.organization_id):
        assert Run.objects.get(id=run).state == "queued"


def test_lesson_24_a_good_second_decision_stands(talk, work):
    turn = talk.post(RAIL_QUESTION)

    with playing(["not json", lambda request: said(f"Within fourteen days [{key_of(request, RAIL)}].")]):
        turn = talk.work(turn)

    assert (turn.state, turn.fallback) == ("answered", "")
    assert talk.replies(turn)[0].text == "Within fourteen days [1]."


def test_lesson_21_done_is_never_said_without_a_run(talk, work):
    """ "Done, I created the contact" without a run is impossible."""

    def boast(request) -> WireAnswer:
        key = key_of(request, RAIL)
        return said(
            f"Tickets are refunded within fourteen days [{key}]. Done, I created the contact [{key}]. "
            f"The report has been sent to your team [{key}].",
            key,
        )

    turn = talk.say(RAIL_QUESTION, decision=boast)

    [reply] = talk.replies(turn)
    assert reply.text == "Tickets are refunded within fourteen days [1]."
    assert len(turn.edits) == 2


def test_lesson_21_did_it_work_is_answered_from_the_run(any_talk, work):
    talk = any_talk
    turn = talk.say(REQUEST, decision=delegate_to(SIGNALS))
    before = talk.say("Did it work?", decision=answer_from("run"))
    assert "succeeded" not in talk.replies(before)[0].text.lower()
    assert talk.cited(before) == [("run", str(turn.run_id))]
    talk.end(turn, Succeed("Acme raised seed funding in May."))

    after = talk.say("Did it work?", decision=answer_from("run"))

    assert "succeeded" in talk.replies(after)[0].text.lower()
    assert talk.cited(after) == [("run", str(turn.run_id))]
