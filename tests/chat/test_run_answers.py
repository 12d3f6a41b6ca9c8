"""The reply to what a run asked: sent to it, taken by it, or asked back about; never by a stranger."""

import json
import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, WireClarify, WireOption
from agencycore.errors import NotFound, Refused
from agencycore.tenancy import tenant
from chat.actions import accept_message, stop_run
from chat.models import Turn
from chat.run_answers import reads_as_answer
from chat.run_following import see_through
from chat.turns import process_turn
from conversations.models import Message
from organizations.models import UsageRecord
from runs.ender import Ask, Succeed
from runs.models import Run
from tests.chat.turning import ask, publish_lifecycle_page, replies_to, reread
from tests.chat.working import delegate, end, publish_signals, reports_of
from tests.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _signals(owner: Person) -> None:
    publish_signals(owner)


def asked(person: Person, question: str = "Which Acme?", **extra) -> Turn:
    turn = delegate(person, **extra)
    end(turn, Ask(question))
    return turn


def answer(person: Person, turn: Turn, text: str = "The UK one", key: str = "a1", conversation=True) -> Turn:
    with tenant(person.actor.organization_id):
        return accept_message(
            actor=person.actor,
            conversation_id=turn.conversation_id if conversation else None,
            text=text,
            client_message_id=key,
            run_id=turn.run_id,
        )


def answers_of(turn: Turn) -> list[str]:
    with tenant(turn.organization_id):
        return [given["text"] for given in Run.objects.get(id=turn.run_id).answers]


def state_of(turn: Turn) -> str:
    with tenant(turn.organization_id):
        return Run.objects.get(id=turn.run_id).state


def test_a_question_of_a_run_stands_under_the_message_that_started_it(owner):
    turn = asked(owner)

    with tenant(turn.organization_id):
        question = Message.objects.get(kind="question")
    assert (question.text, question.run_id) == ("Which Acme?", turn.run_id)
    assert question.in_reply_to_id == turn.message_id
    assert question.role == "assistant"


def test_a_message_sent_to_the_run_resumes_it_without_a_decision(owner):
    turn = asked(owner)

    with playing():
        replied = answer(owner, turn)

    assert (replied.state, replied.outcome, replied.run_id) == ("replied", "", turn.run_id)
    assert answers_of(turn) == ["The UK one"]
    assert state_of(turn) == "running"
    assert replies_to(replied) == []
    with tenant(turn.organization_id):
        assert not UsageRecord.objects.filter(owner_id=replied.id).exists()
        assert Message.objects.get(id=replied.message_id).run_id == turn.run_id


def test_the_same_answer_sent_twice_is_given_once(owner):
    turn = asked(owner)

    first, second = answer(owner, turn), answer(owner, turn)

    assert first.id == second.id
    assert answers_of(turn) == ["The UK one"]


def test_without_a_conversation_the_answer_stands_in_that_of_the_run(owner):
    turn = asked(owner)

    assert answer(owner, turn, conversation=False).conversation_id == turn.conversation_id


def test_an_admin_answers_a_colleagues_run_from_a_conversation_of_their_own(owner, admin):
    turn = asked(owner)

    replied = answer(admin, turn, conversation=False)

    assert replied.conversation_id != turn.conversation_id
    assert answers_of(turn) == ["The UK one"]


def test_a_strangers_answer_finds_no_run_and_changes_nothing(owner, stranger, teammate):
    turn = asked(owner)

    for person in (stranger, teammate):
        with pytest.raises(NotFound, match="This run does not exist"):
            answer(person, turn, conversation=False)

    unknown = Turn(run_id=uuid.uuid4(), conversation_id=turn.conversation_id)
    with pytest.raises(NotFound, match="This run does not exist"):
        answer(owner, unknown)
    assert (state_of(turn), answers_of(turn)) == ("waiting", [])
    with tenant(stranger.actor.organization_id):
        assert not Message.objects.exists()


def test_a_run_that_ended_takes_no_answer_and_the_message_is_not_kept(owner):
    turn = asked(owner)
    with tenant(turn.organization_id):
        stop_run(actor=owner.actor, run_id=turn.run_id)

    with pytest.raises(Refused, match="Signals Search takes no answer any more: that run has ended"):
        answer(owner, turn)

    with tenant(turn.organization_id):
        assert Message.objects.filter(role="user").count() == 1


def test_a_run_that_asked_nothing_takes_no_answer(owner):
    turn = delegate(owner)

    with pytest.raises(Refused, match="not waiting for an answer"):
        answer(owner, turn)


def test_over_the_api_the_field_run_names_the_run(owner):
    turn = asked(owner)
    url = f"/api/v1/conversations/{turn.conversation_id}/messages/"
    body = {"text": "The UK one", "client_message_id": "a1", "run": str(turn.run_id)}

    response = owner.client.post(url, body, content_type="application/json")

    assert (response.status_code, response.json()["state"]) == (201, "replied")
    assert answers_of(turn) == ["The UK one"]
    late = owner.client.post(url, body | {"client_message_id": "a2"}, content_type="application/json")
    assert (late.status_code, late.json()["code"]) == (409, "refused")
    foreign = owner.client.post(
        url, body | {"client_message_id": "a3", "run": str(uuid.uuid4())}, content_type="application/json"
    )
    assert foreign.status_code == 404


def test_on_the_page_the_field_run_names_the_run(owner):
    turn = asked(owner)

    response = owner.client.post(
        f"/chat/{turn.conversation_id}/messages/",
        {"text": "The UK one", "client_message_id": "a1", "run": str(turn.run_id)},
        headers={"X-Requested-With": "fetch"},
    )

    assert response.status_code == 201
    assert answers_of(turn) == ["The UK one"]
    malformed = owner.client.post(
        f"/chat/{turn.conversation_id}/messages/",
        {"text": "Hi", "client_message_id": "a2", "run": "nonsense"},
        headers={"X-Requested-With": "fetch"},
    )
    assert malformed.status_code == 404


def test_a_message_that_does_not_stand_alone_goes_to_the_one_run_that_asked(owner):
    turn = asked(owner)

    with playing():
        replied = ask(owner, "The UK one", conversation_id=turn.conversation_id)

    assert (replied.state, replied.run_id) == ("replied", turn.run_id)
    assert answers_of(turn) == ["The UK one"]


def test_an_unrelated_question_is_answered_and_the_runs_question_stays_open(owner, tmp_path):
    publish_lifecycle_page(tmp_path)
    turn = asked(owner)

    answered = ask(owner, "What is lifecycle stage?", conversation_id=turn.conversation_id)

    assert answered.state == "answered"
    assert (state_of(turn), answers_of(turn)) == ("waiting", [])
    replied = ask(owner, "The UK one", conversation_id=turn.conversation_id)
    assert (replied.state, answers_of(turn)) == ("replied", ["The UK one"])


def test_stopping_is_never_taken_for_an_answer(owner):
    turn = asked(owner)

    stopped = ask(owner, "Stop that", conversation_id=turn.conversation_id)

    assert (stopped.state, state_of(turn), answers_of(turn)) == ("controlled", "cancelled", [])


def test_with_two_open_questions_the_person_is_asked_which_and_the_choice_forwards_the_answer(owner):
    first = asked(owner, "Which Acme?")
    second = asked(owner, "Which country?", text="Find some more", conversation_id=first.conversation_id)

    with playing():
        clarified = ask(owner, "The UK one", conversation_id=first.conversation_id)
    assert clarified.state == "clarified"
    [reply] = replies_to(clarified)
    assert [option["label"] for option in reply.options] == [
        "Signals Search: Which Acme?",
        "Signals Search: Which country?",
    ]
    assert answers_of(first) == answers_of(second) == []

    with playing():
        replied = ask(owner, "the second one", conversation_id=first.conversation_id)
    assert (replied.state, replied.run_id) == ("replied", second.run_id)
    assert (answers_of(first), answers_of(second)) == ([], ["The UK one"])


def test_a_choice_by_its_button_forwards_the_answer_as_well(owner):
    first = asked(owner, "Which Acme?")
    asked(owner, "Which country?", text="Find some more", conversation_id=first.conversation_id)
    clarified = ask(owner, "The UK one", conversation_id=first.conversation_id)
    [reply] = replies_to(clarified)
    option = reply.options[0]

    response = owner.client.post(
        f"/chat/{first.conversation_id}/messages/",
        {"text": option["label"], "ref": option["ref"], "client_message_id": "choice"},
        headers={"X-Requested-With": "fetch"},
    )
    assert response.status_code == 201
    with tenant(first.organization_id):
        turn = Turn.objects.latest("created_at")
    work_on(turn)

    assert answers_of(first) == ["The UK one"]


def work_on(turn: Turn) -> None:
    process_turn(organization_id=turn.organization_id, turn_id=turn.id)


def test_a_reply_that_picks_neither_is_an_ordinary_message(owner):
    first = asked(owner, "Which Acme?")
    second = asked(owner, "Which country?", text="Find some more", conversation_id=first.conversation_id)
    ask(owner, "The UK one", conversation_id=first.conversation_id)

    unclear = WireAnswer(outcome="answer", citations=[], unresolved=["What is meant"], offer="", text="Hm.")
    with playing([unclear], summaries=["Two searches ask something."]):
        turn = ask(owner, "Neither, thank you so much", conversation_id=first.conversation_id)

    assert turn.state == "answered"
    assert answers_of(first) == answers_of(second) == []


def test_an_answer_to_chats_own_later_question_is_not_given_to_the_run(owner):
    turn = asked(owner)
    options = [WireOption(label="May", ref=""), WireOption(label="June", ref="")]
    with playing([WireClarify(outcome="clarify", question="Which month?", options=options)]):
        ask(owner, "What does the report of last month say?", conversation_id=turn.conversation_id)

    unknown = WireAnswer(outcome="answer", citations=[], unresolved=["The report of May"], offer="", text="Unknown.")
    with playing([unknown]):
        followed = ask(owner, "May", conversation_id=turn.conversation_id)

    assert followed.state == "answered"
    assert answers_of(turn) == []


def test_in_another_conversation_the_question_is_not_answered_by_chance(owner):
    turn = asked(owner)

    elsewhere = ask(owner, "The UK one")

    assert elsewhere.state != "replied"
    assert answers_of(turn) == []


@pytest.mark.parametrize("text", ["The UK one", "May", "20", "yes", "Acme Ltd in London, founded in 2010", "both"])
def test_these_read_as_answers(text):
    assert reads_as_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "thanks",
        "any more?",
        "why",
        "stop that",
        "Why did that run stop?",
        "draft an email to Acme",
        "Can you make it shorter",
        "please find companies like this",
        "What is lifecycle stage?",
    ],
)
def test_these_do_not(text):
    assert not reads_as_answer(text)


def run_ask(person: Person, *arguments: str) -> dict:
    out = StringIO()
    people = ("--user", person.user.username, "--org", person.organization.slug)
    call_command("ask", *arguments, *people, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


def test_ask_passes_an_answer_to_a_run(owner):
    turn = asked(owner)

    told = run_ask(owner, "The UK one", "--run", str(turn.run_id))

    assert (told["state"], told["outcome"], told["run"]) == ("replied", None, str(turn.run_id))
    assert told["text"] == "Passed to the run"
    assert told["conversation"] == str(turn.conversation_id)
    assert answers_of(turn) == ["The UK one"]


def test_ask_says_in_words_that_a_run_takes_no_answer(owner, stranger):
    turn = delegate(owner)

    with pytest.raises(CommandError, match="not waiting for an answer"):
        run_ask(owner, "The UK one", "--run", str(turn.run_id))
    with pytest.raises(CommandError, match="This run does not exist"):
        run_ask(stranger, "The UK one", "--run", str(turn.run_id))
    with pytest.raises(CommandError, match="This run does not exist"):
        run_ask(owner, "The UK one", "--run", "nonsense")


def test_ask_wait_writes_the_report_of_a_run_that_has_ended(owner):
    turn = asked(owner)
    replied = reread(answer(owner, turn))
    end(turn, Succeed("Acme raised seed funding."))

    run = see_through(organization_id=replied.organization_id, run_id=replied.run_id)

    assert run.state == "succeeded"
    [report] = reports_of(turn)
    assert report.text == "Acme raised seed funding [1]."


def test_ask_wait_exits_with_status_4_where_nobody_works_on_the_run(owner):
    turn = asked(owner)
    out = StringIO()

    with pytest.raises(CommandError) as caught:
        call_command(
            "ask", "The UK one", "--run", str(turn.run_id), "--wait", "--user", owner.user.username,
            "--org", owner.organization.slug, stdout=out,
        )  # fmt: skip

    assert caught.value.returncode == 4
    assert str(caught.value) == "Nobody is working on the run yet; it is left to the workers."
    assert out.getvalue() == "Passed to the run\n"


def test_ask_wait_exits_with_status_3_where_the_run_waits_for_a_person(owner, monkeypatch):
    turn = asked(owner)
    monkeypatch.setattr(
        "chat.management.commands.ask.see_through", lambda **_: end_again(turn)
    )  # the engine, which asks again at once

    with pytest.raises(CommandError) as caught:
        run_ask(owner, "The UK one", "--run", str(turn.run_id), "--wait")

    assert caught.value.returncode == 3
    assert str(caught.value) == "The run is waiting for your answer. It asked: Which office?"


def end_again(turn: Turn) -> Run:
    return end(turn, Ask("Which office?"))
