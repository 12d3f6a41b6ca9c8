"""Feedback is for what tells somebody something: answers and reports, by the page and by the API alike."""

import pytest

from agencycore.streams.events import events_after
from agencycore.tenancy import tenant
from conversations.feedback import takes_feedback
from conversations.models import Feedback, Message
from runs.ender import Ask, Succeed
from tests.chat.conversations import answer, ask
from tests.chat.pages import FETCH, body
from tests.chat.working import delegate, end, publish_signals, report_on

pytestmark = pytest.mark.django_db

REFUSED = {"detail": "Feedback can be given on answers and reports only.", "code": "no_feedback"}


@pytest.fixture
def asking(owner):
    """A run that waits for an answer: the question it asked, and the person's message that started it."""
    publish_signals(owner)
    turn = delegate(owner)
    end(turn, Ask("Which Acme?"))
    with tenant(owner.organization.id):
        return Message.objects.get(kind="question"), turn.message


def put(person, message):
    address = f"/api/v1/messages/{message.id}/feedback/"
    return person.client.put(address, {"rating": "helpful"}, content_type="application/json")


def post(person, message, **headers):
    return person.client.post(f"/chat/messages/{message.id}/feedback/", {"rating": "helpful"}, **headers)


def test_the_api_refuses_feedback_on_a_runs_question_and_on_ones_own_message(owner, asking):
    for message in asking:
        response = put(owner, message)
        assert (response.status_code, response.json()) == (409, REFUSED), message.kind

    with tenant(owner.organization.id):
        assert not Feedback.objects.exists()


def test_the_page_refuses_it_in_the_same_words(owner, asking):
    for message in asking:
        response = post(owner, message, **FETCH)
        assert (response.status_code, response.json()) == (409, REFUSED), message.kind
        form = owner.client.get(f"/chat/messages/{message.id}/feedback/?rating=unhelpful", **FETCH)
        assert (form.status_code, form.json()) == (409, REFUSED), message.kind

    with tenant(owner.organization.id):
        assert not Feedback.objects.exists()


def test_without_script_the_words_stand_on_the_page(owner, asking):
    question, _ = asking
    browser = owner.client

    response = browser.post(f"/chat/messages/{question.id}/feedback/", {"rating": "helpful"}, follow=True)

    assert REFUSED["detail"] in body(response)


def test_what_is_refused_is_not_offered(owner, asking):
    question, _ = asking

    page = body(owner.client.get(f"/chat/{question.conversation_id}/"))

    assert f"/chat/messages/{question.id}/feedback/" not in page


def test_a_reply_and_a_report_take_it(owner):
    publish_signals(owner)
    reply = answer(owner, ask(owner))
    turn = delegate(owner)
    end(turn, Succeed({"found": 0}))
    report_on(turn)
    with tenant(owner.organization.id):
        report = Message.objects.get(kind="report")

    for message in (reply, report):
        assert put(owner, message).status_code == 200, message.kind
        assert post(owner, message).status_code == 302, message.kind


def test_the_conversations_stream_says_on_what_feedback_was_given(owner, teammate):
    reply = answer(owner, ask(owner))
    with tenant(owner.organization.id):
        before = list(events_after(reply.conversation.stream_name, 0))

    post(owner, reply)
    post(teammate, reply)

    with tenant(owner.organization.id):
        told = events_after(reply.conversation.stream_name, 0)[len(before) :]
    assert [(event.type, event.payload) for event in told] == [("message.judged", {"message": str(reply.id)})]


@pytest.mark.parametrize("kind", Message.Kind)
def test_each_kind_of_message_is_judged_or_not(kind):
    assert takes_feedback(Message(kind=kind)) == (kind in ("reply", "report"))


def test_a_strangers_question_is_not_known_to_be_one(teammate, stranger, asking):
    question, _ = asking

    for person in (teammate, stranger):
        assert put(person, question).json() == {"detail": "This message does not exist.", "code": "not_found"}
        assert post(person, question, **FETCH).json()["code"] == "not_found"
