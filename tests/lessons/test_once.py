"""Lessons 16, 17, 18, 19 and 20: a message is answered once, or ends in words, whoever dies or leaves meanwhile."""

import datetime
import threading
from collections.abc import Callable

import pytest
from django.db import connections
from django.utils import timezone

from agencycore.ai.scripted import playing
from agencycore.dispatch import sweeper
from agencycore.dispatch.models import Dispatch
from agencycore.streams.database import off_loop
from agencycore.tenancy import tenant
from chat import tasks, turns
from chat.models import Turn
from conversations.actions import rename_conversation
from conversations.models import Conversation, Message
from organizations.models import ModelCall, UsageRecord
from runs.ender import Succeed
from runs.models import Run
from tests.chat.pipeline import FETCH, Talk, answer_from, delegate_to
from tests.chat.working import REQUEST, SIGNALS, publish_signals
from tests.lessons.desk import (
    RAIL_QUESTION,
    TRAVEL,
    api,
    page_of,
    said,
    shown_replies,
    socket_of,
    upload,
)

UNKNOWN = said("That is not known here.", unresolved=("The question",))


class Killed(BaseException):
    """The process is gone: nothing after it runs, not even the handling of errors."""


def die(*_: object, **__: object) -> None:
    raise Killed


def let_time_pass(turn: Turn, *, deadline: bool = False) -> None:
    """As if nobody had renewed the lease; with ``deadline``, as if the turn's whole time were over."""
    past = timezone.now() - datetime.timedelta(seconds=1)
    Dispatch.objects.filter(object_id=turn.id).update(
        lease_until=past, due_at=past, **({"deadline_at": past} if deadline else {})
    )
    if deadline:
        with tenant(turn.organization_id):
            Turn.objects.filter(id=turn.id).update(deadline_at=past)


def in_parallel(work: Callable[[int], None], count: int) -> None:
    def closing(number: int) -> None:
        try:
            work(number)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=closing, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_lesson_16_a_dead_turn_is_shown_as_failed_in_time_and_retry_answers_it(any_talk):
    """Worker killed mid-turn: a terminal state in time; reload shows an error and Retry, never endless "Thinking"."""
    talk = any_talk
    upload(talk.person, TRAVEL)
    turn = talk.post(RAIL_QUESTION)
    with playing([die]), pytest.raises(Killed):
        talk.work(turn)
    client = talk.person.client
    assert "data-running" in page_of(client, talk.conversation_id)

    let_time_pass(turn, deadline=True)

    for _ in ("no worker lives", "the sweeper came by"):
        page = page_of(client, talk.conversation_id)
        assert "data-running" not in page
        assert "Retry" in page
        assert api(talk.person).get(f"/api/v1/turns/{turn.id}/").json()["state"] == "failed"
        sweeper.sweep()
    assert talk.reread(turn).state == "failed"

    client.post(f"/chat/turns/{turn.id}/retry/", headers=FETCH)
    with tenant(talk.organization_id):
        again = Turn.objects.get(message_id=turn.message_id, attempt=2)
    with talk.model.deciding(answer_from("knowledge_chunk", label="Travel")):
        again = talk.work(again)
    assert again.state == "answered"
    assert [len(shown.sources) for shown in shown_replies(page_of(client, talk.conversation_id))] == [1]
    with tenant(talk.organization_id):
        assert list(Message.objects.order_by("ordinal").values_list("role", flat=True)) == ["user", "assistant"]


def test_lesson_16_a_worker_that_dies_is_followed_by_one_that_answers(any_talk, monkeypatch):
    talk = any_talk
    upload(talk.person, TRAVEL)
    turn = talk.post(RAIL_QUESTION)
    with monkeypatch.context() as patch, talk.model.deciding(answer_from("knowledge_chunk", label="Travel")):
        patch.setattr(turns, "commit_reply", die)
        with pytest.raises(Killed):
            talk.work(turn)
    let_time_pass(turn)

    with talk.model.deciding():
        turn = talk.work(turn)

    assert (turn.state, len(talk.replies(turn))) == ("answered", 1)


@pytest.mark.django_db(transaction=True)
async def test_lesson_16_a_socket_that_dies_mid_turn_loses_nothing(talk):
    turn = await off_loop(talk.post)(RAIL_QUESTION)
    socket = await socket_of(talk.person, turn.conversation_id)
    assert (await socket.hear())["number"] == 1
    await socket.leave()

    def answer() -> Turn:
        with talk.model.deciding(UNKNOWN):
            return talk.work(turn)

    assert (await off_loop(answer)()).state == "answered"
    again = await socket_of(talk.person, turn.conversation_id, after=1)
    heard = [await again.hear() for _ in range(5)]
    assert [event["number"] for event in heard] == [2, 3, 4, 5, 6]
    assert [heard[-2]["type"], heard[-1]["payload"]["state"]] == ["message.created", "answered"]
    await again.leave()


def test_lesson_17_who_leaves_at_once_finds_question_and_reply_once(any_talk):
    """Send, close the tab: question and reply are there once."""
    talk = any_talk
    upload(talk.person, TRAVEL)
    turn = talk.post(RAIL_QUESTION)  # the answer to the request is never looked at, and no socket is opened

    with talk.model.deciding(answer_from("knowledge_chunk", label="Travel")):
        talk.work(turn)

    page = page_of(talk.person.client, turn.conversation_id)
    assert page.count('class="said-text"') == 1
    assert [len(shown.sources) for shown in shown_replies(page)] == [1]
    assert "data-running" not in page
    with tenant(talk.organization_id):
        assert Message.objects.count() == 2


@pytest.mark.parametrize("stage", ["build_context", "decision_as_json", "_commit"])
def test_lesson_18_stop_ends_a_turn_at_every_stage(talk, monkeypatch, stage):
    """`cancelled`, the question stays, no reply, no later progress; available after reload; said on a finished one."""
    turn = talk.post(RAIL_QUESTION)
    real = getattr(turns, stage)

    def stop_first(*arguments: object, **named: object) -> object:
        response = talk.person.client.post(f"/chat/turns/{turn.id}/stop/", headers=FETCH)
        assert response.status_code == 200
        return real(*arguments, **named)

    assert f"/chat/turns/{turn.id}/stop/" in page_of(talk.person.client, talk.conversation_id)
    monkeypatch.setattr(turns, stage, stop_first)
    with talk.model.deciding(*([] if stage == "build_context" else [UNKNOWN])):
        turn = talk.work(turn)

    assert (turn.state, talk.replies(turn)) == ("cancelled", [])
    assert talk.states(turn)[-1] == "cancelled"
    assert talk.states(turn).count("cancelled") == 1
    assert "You stopped this answer." in page_of(talk.person.client, talk.conversation_id)
    response = talk.person.client.post(f"/chat/turns/{turn.id}/stop/", headers=FETCH)
    assert (response.status_code, talk.reread(turn).state) == (200, "cancelled")


@pytest.mark.django_db(transaction=True)
def test_lesson_19_double_click_two_tabs_and_redelivery_make_one_of_each(talk):
    """Double click, resend, two tabs, redelivery: one message, one outcome, one run, one report."""
    publish_signals(talk.person)
    posted: list[int] = []

    def click(_: int) -> None:
        form = {"text": REQUEST, "client_message_id": "the-one"}
        posted.append(talk.person.client.post("/chat/messages/", form, headers=FETCH).status_code)

    in_parallel(click, 8)

    assert posted == [201] * 8
    with tenant(talk.organization_id):
        turn = Turn.objects.get()
        assert (Conversation.objects.count(), Message.objects.count()) == (1, 1)

    with playing([delegate_to(SIGNALS)]):
        in_parallel(lambda _: tasks.process_turn(str(turn.organization_id), str(turn.id)), 8)

    talk.turns.append(turn)
    turn = talk.reread(turn)
    assert (turn.state, len(talk.replies(turn))) == ("delegated", 1)
    talk.end(turn, Succeed("Acme raised seed funding."))
    with playing(reports=["Acme raised seed funding [r1]."] * 8):
        in_parallel(lambda _: tasks.write_report(str(turn.organization_id), str(turn.run_id)), 8)
    assert [message.kind for message in talk.replies(turn)] == ["reply", "report"]
    with tenant(talk.organization_id):
        assert Run.objects.count() == 1
        assert sorted(UsageRecord.objects.values_list("purpose", flat=True)) == ["decision", "report"]
        assert ModelCall.objects.filter(purpose="decision").count() == 1
    assert page_of(talk.person.client, turn.conversation_id).count("Report of finished work") == 1


@pytest.mark.django_db(transaction=True)
def test_lesson_19_two_different_messages_at_once_are_answered_in_order(talk):
    talk.work(talk.post("hello"))
    one, two = talk.post("What is kept in vault 1?"), talk.post("What is kept in vault 2?")
    asked: list[str] = []

    def answer(request):
        asked.append(request.brief.message)
        return UNKNOWN

    with playing([answer, answer]):
        in_parallel(lambda n: tasks.process_turn(str(one.organization_id), str((two, one)[n % 2].id)), 6)
        for turn in (one, two):  # rung again by the turn that ended before it
            talk.work(turn)

    assert asked == ["What is kept in vault 1?", "What is kept in vault 2?"]
    assert [talk.reread(turn).state for turn in (one, two)] == ["answered", "answered"]
    assert [len(talk.replies(turn)) for turn in (one, two)] == [1, 1]


@pytest.mark.parametrize("stage", ["fold_history", "queue.finish"])
def test_lesson_19_a_crash_after_the_commit_writes_and_pays_nothing_twice(talk, monkeypatch, stage):
    turn = talk.post(RAIL_QUESTION)
    with monkeypatch.context() as patch, playing([UNKNOWN]):
        patch.setattr(f"chat.turns.{stage}", die)
        if stage == "fold_history":  # a summary is due
            patch.setattr("chat.summary.KEPT_MESSAGES", 1)
            patch.setattr("chat.summary.MESSAGES_BEYOND", 1)
        with pytest.raises(Killed):
            talk.work(turn)
    let_time_pass(turn)

    with playing([]):
        turn = talk.work(turn)

    assert (turn.state, len(talk.replies(turn))) == ("answered", 1)
    with tenant(talk.organization_id):
        assert (ModelCall.objects.count(), UsageRecord.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
async def test_lesson_20_hundreds_of_events_reach_a_client_that_was_away_and_the_last_is_never_lost(talk):
    """Hundreds of events at an absent client: the page ends in the true state; the last event is never lost."""
    turn = await off_loop(talk.post)(RAIL_QUESTION)
    await off_loop(_rename_often)(talk, turn, 450)

    def answer() -> None:
        with talk.model.deciding(UNKNOWN):
            talk.work(turn)

    await off_loop(answer)()
    socket = await socket_of(talk.person, turn.conversation_id)
    heard = [await socket.hear() for _ in range(456)]

    assert [event["number"] for event in heard] == list(range(1, 457))
    assert (heard[-1]["type"], heard[-1]["payload"]["state"]) == ("turn.state", "answered")
    assert await socket.is_quiet()
    await socket.leave()


def _rename_often(talk: Talk, turn: Turn, times: int) -> None:
    with tenant(talk.organization_id):
        for number in range(times):
            rename_conversation(
                actor=talk.person.actor, conversation_id=turn.conversation_id, title=f"Tickets {number}"
            )
