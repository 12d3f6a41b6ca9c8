"""Runs that a conversation began, told of and followed, through the whole pipeline: beside the minimum scenarios."""

import pytest

from agencycore.asgi import application
from agencycore.streams.database import off_loop
from runs.ender import Enter, Fail, Succeed
from tests.chat.pipeline import Model, Talk, answer_from, cookie_headers, nothing_known
from tests.chat.scenarios import start_work
from tests.sockets import Socket


def test_did_it_work_is_answered_from_the_run(talk, docs, capabilities):
    """A finished run is told from its record; before that, nothing claims to be finished."""
    turn = start_work(talk)
    talk.end(turn, Succeed("Acme raised seed funding in May."))
    talk.report(turn, "Acme raised seed funding in May [r1].")

    answered = talk.say("Did it work?", decision=answer_from("run"))

    [reply] = talk.replies(answered)
    assert answered.outcome == "answer"
    assert talk.cited(answered) == [("run", str(turn.run_id))]
    assert "succeeded" in reply.text.lower()


def test_stopping_what_has_ended_says_how_it_ended(talk, docs, capabilities):
    """On a finished run, Stop says so and stops nothing."""
    turn = start_work(talk)
    talk.end(turn, Fail("The web search was not reachable."))

    answered = talk.say("Stop that", decision=answer_from("run"))

    [reply] = talk.replies(answered)
    assert answered.outcome == "answer"
    assert talk.cited(answered) == [("run", str(turn.run_id))]
    assert "failed" in reply.text.lower()
    assert talk.run(turn).state == "failed"


def test_a_teammates_run_is_never_what_that_run_means(talk, docs, capabilities, teammate):
    """Teammates' runs are no candidates, neither to tell of nor to stop."""
    theirs = Talk(teammate, talk.model)
    working = start_work(theirs)

    stopped = talk.say("Stop that run", decision=nothing_known("No live run to stop"))

    assert stopped.outcome in ("answer", "clarify")
    assert [item for item in stopped.brief["items"] if item["kind"] == "run"] == []
    assert theirs.run(working).state == "queued"


@pytest.mark.django_db(transaction=True)
async def test_a_run_is_followed_over_a_socket_from_the_handoff_to_its_report(owner, docs, capabilities):
    """The Front Door owns progress until a Run owns the work; then the Run's progress, then its report."""
    talk = Talk(owner, Model("scripted"))
    turn = await off_loop(start_work)(talk)
    socket = Socket(
        application, f"/ws/conversations/{turn.conversation_id}/?after=0", await off_loop(cookie_headers)(owner)
    )
    assert await socket.open() == "websocket.accept"

    heard = [await socket.hear() for _ in range(8)]
    await off_loop(talk.end)(turn, Enter("Read the news"), Succeed("Acme raised seed funding."))
    await off_loop(talk.report)(turn, "Acme raised seed funding [r1].")
    heard += [await socket.hear() for _ in range(3)]

    assert [event["number"] for event in heard] == list(range(1, 12))
    told = [(event["type"], event["payload"].get("state") or event["payload"].get("kind")) for event in heard]
    assert told == [
        ("turn.state", "accepted"),
        ("turn.state", "thinking"),
        ("turn.state", "checking_context"),
        ("turn.state", "finding_capability"),
        ("turn.state", "preparing_task"),
        ("run.state", "queued"),
        ("message.created", "reply"),
        ("turn.state", "delegated"),
        ("run.state", "running"),
        ("run.state", "succeeded"),
        ("message.created", "report"),
    ]
    await socket.leave()
