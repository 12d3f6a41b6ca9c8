"""What belongs to somebody else does not exist: same words, same statements as for an unknown id."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agencycore.tenancy import tenant
from chat.urls import urlpatterns
from conversations.models import Conversation, Feedback, Message
from tests.chat.conversations import answer, ask
from tests.chat.pages import FETCH, body

pytestmark = pytest.mark.django_db


def addresses(conversation, message, turn, reply, source):
    yield "get", reverse("conversation", args=[conversation])
    yield "get", reverse("manage_conversation", args=[conversation])
    yield "get", reverse("choose_documents", args=[conversation])
    yield "post", reverse("choose_documents", args=[conversation])
    yield "get", reverse("export_conversation", args=[conversation, "md"])
    yield "get", reverse("export_conversation", args=[conversation, "json"])
    yield "post", reverse("send_message", args=[conversation])
    yield "post", reverse("foresee_recipient", args=[conversation])
    yield "post", reverse("rename_conversation", args=[conversation])
    yield "post", reverse("delete_conversation", args=[conversation])
    yield "get", reverse("exchange", args=[message])
    yield "get", reverse("feedback", args=[reply]) + "?rating=helpful"
    yield "post", reverse("feedback", args=[reply])
    yield "post", reverse("stop_turn", args=[turn])
    yield "post", reverse("retry_turn", args=[turn])
    yield "get", reverse("citation", args=[source])


FIELDS = {"text": "Hello", "client_message_id": "c1", "title": "Mine now", "rating": "helpful"}


@pytest.mark.parametrize("headers", [FETCH, {}], ids=["script", "no script"])
@pytest.mark.parametrize("who", ["stranger", "teammate"])
def test_what_belongs_to_somebody_else_does_not_exist(owner, request, who, headers):
    asker = request.getfixturevalue(who)
    question = ask(owner)
    reply = answer(owner, question)
    with tenant(owner.organization.id):
        turn, source = question.turns.get(), reply.citations.get()
    foreign = addresses(question.conversation_id, question.id, turn.id, reply.id, source.pk)
    unknown = addresses(uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), 2**40)

    for (method, theirs), (_, nobodys) in zip(foreign, unknown, strict=True):
        answers = []
        for address in (theirs, nobodys):
            client = asker.client
            with CaptureQueriesContext(connection) as captured:
                response = getattr(client, method)(address, FIELDS, **headers)
            answers.append((response.status_code, response.content, len(captured)))
        assert answers[0] == answers[1], theirs
        assert answers[0][0] == 404, theirs

    with tenant(owner.organization.id):
        assert Message.objects.count() == 2
        assert Conversation.objects.get().title == "What is lifecycle stage?"
        assert not Feedback.objects.exists()


def test_every_chat_address_is_in_the_strangers_test():
    with_ids = {each.name for each in urlpatterns if "<" in str(each.pattern)}
    tested = {"conversation", "manage_conversation", "export_conversation", "send_message", "rename_conversation"}
    tested |= {"delete_conversation", "exchange", "feedback", "stop_turn", "retry_turn", "citation", "choose_documents"}
    tested |= {"foresee_recipient", "stop_run"}  # the latter in test_run_cards
    assert with_ids == tested


def test_a_stranger_is_offered_none_of_our_records(owner, stranger, company):
    assert "Larch &amp; Sons" in body(owner.client.get("/chat/records/?q=lar"))
    assert "Larch" not in body(stranger.client.get("/chat/records/?q=lar"))
