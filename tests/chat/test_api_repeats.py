"""A message sent again under its ``client_message_id``: the first turn, or a refusal where anything differs."""

import asyncio
import json
import uuid

import pytest
from django.db import connection
from django.test import AsyncClient
from django.test.utils import CaptureQueriesContext
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from agencycore.tenancy import tenant
from chat.actions import accept_message
from chat.models import Turn
from conversations.models import Conversation, Message
from runs.ender import Ask
from tests.chat.pages import FETCH
from tests.chat.working import delegate, end, publish_signals
from tests.knowledge.documents import ingested
from tests.people import Person

pytestmark = pytest.mark.django_db

A_RECORD, ANOTHER = "company:0199a1b2-0000-7000-8000-000000000001", "deal:0199a1b2-0000-7000-8000-000000000002"


def api(person: Person) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.get_or_create(user=person.user)[0].key}")
    return client


def begin(person: Person) -> str:
    return str(api(person).post("/api/v1/conversations/", {"title": "Stages"}, format="json").json()["id"])


def send(person: Person, conversation_id: str, **extra: object):
    body = {"text": "What is lifecycle stage?", "client_message_id": "one"} | extra
    return api(person).post(f"/api/v1/conversations/{conversation_id}/messages/", body, format="json")


def kept_by(person: Person) -> int:
    with tenant(person.organization.id):
        return Message.objects.visible_to(person.actor).count()


def stream(person: Person, **content: object):
    """What ``POST chat/`` says first: its status and a refusal, or what was accepted."""
    key = Token.objects.get_or_create(user=person.user)[0].key

    async def say():
        body = json.dumps({"text": "What is lifecycle stage?", "client_message_id": "one"} | content)
        headers = {"Authorization": f"Token {key}"}
        response = await AsyncClient().post("/api/v1/chat/", body, content_type="application/json", headers=headers)
        if response.status_code != 200:
            return response.status_code, response.json()
        frames = aiter(response.streaming_content)
        first = (await anext(frames)).decode()
        await frames.aclose()
        return 200, json.loads(first.split("data: ", 1)[1])

    return asyncio.run(say())


@pytest.mark.parametrize(
    ("first", "again", "words"),
    [
        ({"refs": [A_RECORD]}, {"refs": [ANOTHER]}, "with other records"),
        ({"refs": [A_RECORD]}, {"refs": [A_RECORD, ANOTHER]}, "with other records"),
        ({"refs": [A_RECORD]}, {}, "with other records"),
        ({}, {"refs": [A_RECORD]}, "with other records"),
        ({"page": A_RECORD}, {"page": ANOTHER}, "from another page"),
        ({}, {"page": ANOTHER}, "from another page"),
        ({"page": A_RECORD}, {}, "from another page"),
        ({}, {"for_chat": True}, "to another recipient"),
        ({"for_chat": True}, {}, "to another recipient"),
    ],
)
def test_what_differs_from_the_first_is_refused_by_name_and_nothing_is_lost(owner, first, again, words):
    conversation = begin(owner)
    turn = send(owner, conversation, **first).json()

    refused = send(owner, conversation, **again)

    assert (refused.status_code, refused.json()["code"]) == (409, "already_sent")
    assert refused.json()["detail"] == f"This was sent already, {words}. Send it again to send it as a new message."
    assert send(owner, conversation, **first).json()["id"] == turn["id"]
    assert send(owner, conversation, **again, client_message_id="two").json()["id"] != turn["id"]
    assert kept_by(owner) == 2


def test_the_same_records_in_another_order_are_the_same_message(owner):
    conversation = begin(owner)
    first = send(owner, conversation, refs=[A_RECORD, ANOTHER])

    again = send(owner, conversation, refs=[ANOTHER, A_RECORD, A_RECORD])

    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])


def test_an_id_counts_within_its_conversation(owner):
    places = begin(owner), begin(owner)

    turns = [send(owner, place).json()["id"] for place in places]

    assert len(set(turns)) == 2
    assert [send(owner, place).json()["id"] for place in places] == turns
    assert kept_by(owner) == 2


def accept(person: Person, conversation_id: uuid.UUID | None = None, **extra: object) -> Turn:
    sent = {"text": "What is lifecycle stage?", "client_message_id": "one"} | extra
    with tenant(person.organization.id):
        return accept_message(actor=person.actor, conversation_id=conversation_id, **sent)  # type: ignore[arg-type]


def test_a_message_that_began_its_conversation_is_repeated_with_and_without_its_name(owner):
    turn = accept(owner)

    assert accept(owner).id == turn.id
    assert send(owner, str(turn.conversation_id)).json()["id"] == str(turn.id)


def test_the_id_of_a_message_within_a_conversation_is_free_for_one_that_begins_another(owner):
    turn = accept(owner)
    accept(owner, turn.conversation_id, client_message_id="two")

    begun = accept(owner, client_message_id="two")

    assert begun.conversation_id != turn.conversation_id
    assert accept(owner, client_message_id="two").id == begun.id


@pytest.mark.django_db(transaction=True)
def test_the_stream_refuses_what_differs_and_repeats_what_does_not(owner):
    accepted = stream(owner, refs=[A_RECORD], page=ANOTHER)

    assert accepted[0] == 200
    assert stream(owner, refs=[A_RECORD], page=ANOTHER) == accepted
    for other in ({"page": ANOTHER}, {"refs": [A_RECORD]}):
        status, refused = stream(owner, **other)
        assert (status, refused["code"]) == (409, "already_sent")
    assert kept_by(owner) == 1


def test_an_answer_to_a_run_is_no_answer_to_another(owner):
    publish_signals(owner)
    first, second = delegate(owner), delegate(owner)
    for turn in (first, second):
        end(turn, Ask("Which Acme?"))
    place = str(first.conversation_id)
    replied = send(owner, place, text="The UK one", run=str(first.run_id)).json()

    for other in ({"run": str(second.run_id)}, {"for_chat": True}):
        refused = send(owner, place, text="The UK one", **other)
        assert (refused.status_code, refused.json()["code"]) == (409, "already_sent")
        assert "to another recipient" in refused.json()["detail"]
    assert send(owner, place, text="The UK one", run=str(first.run_id)).json()["id"] == replied["id"]


# --- the form of the page -----------------------------------------------------------------------


def post(person: Person, place: str = "/chat/messages/", **fields: object):
    return person.client.post(place, {"text": "What is lifecycle stage?", "client_message_id": "one"} | fields, **FETCH)


@pytest.mark.parametrize("other", [{"ref": [ANOTHER]}, {"page": ANOTHER}, {"to": "chat"}])
def test_the_form_refuses_what_differs(owner, other):
    first = post(owner, ref=[A_RECORD])

    refused = post(owner, **({"ref": [A_RECORD]} | other))

    assert (first.status_code, refused.status_code, refused.json()["code"]) == (201, 409, "already_sent")
    assert post(owner, ref=[A_RECORD])["Location"] == first["Location"]
    assert kept_by(owner) == 1


def test_the_form_chooses_documents_once_and_refuses_others(owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    trial, offer = (ingested(owner, f"# {name}\n\nWords.".encode(), f"{name}.md") for name in ("trial", "offer"))
    first = post(owner, document=[str(trial.id)])

    again, without = post(owner, document=[str(trial.id)]), post(owner)
    refused = post(owner, document=[str(offer.id)])

    assert first["Location"] == again["Location"] == without["Location"]
    assert (refused.status_code, refused.json()["code"]) == (409, "already_sent")
    assert "with other documents" in refused.json()["detail"]
    with tenant(owner.organization.id):
        assert Conversation.objects.get().documents == [str(trial.id)]


# --- strangers ----------------------------------------------------------------------------------


def test_the_id_of_somebody_elses_message_is_free_and_tells_nothing(owner, teammate, stranger):
    turn = send(owner, begin(owner), refs=[A_RECORD]).json()

    for person in (teammate, stranger):
        place = begin(person)
        own = send(person, place, text="Something else")
        assert own.status_code == 201
        assert own.json()["id"] != turn["id"]
        assert kept_by(person) == 1


def test_a_strangers_conversation_is_not_found_whatever_was_sent_before(owner, teammate, stranger):
    place = begin(owner)
    send(owner, place)

    def told(person: Person, conversation: str) -> tuple[int, bytes, int]:
        with CaptureQueriesContext(connection) as captured:
            response = send(person, conversation)
        return response.status_code, response.content, len(captured)

    for person in (teammate, stranger):
        send(person, begin(person))
        told(person, place)  # a token of its own is made
        assert told(person, place) == told(person, str(uuid.uuid4()))
        assert told(person, place)[0] == 404
        assert kept_by(person) == 1
