"""The chat API: what an API client sends and gets, and what a stranger does not."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from agencycore.tenancy import tenant
from chat.actions import end_turn
from chat.models import Turn
from conversations.actions import add_reply, lock_conversation
from conversations.models import Conversation, Feedback, Message
from tests.people import Person

A_UUID = "0199a1b2-0000-7000-8000-000000000001"


def api(person: Person) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.get_or_create(user=person.user)[0].key}")
    return client


@pytest.fixture
def conversation_id(owner: Person) -> str:
    return api(owner).post("/api/v1/conversations/", {"title": "Stages"}, format="json").json()["id"]


def send(person: Person, conversation_id: str, **extra: object):
    body = {"text": "What is lifecycle stage?", "client_message_id": str(uuid.uuid4())} | extra
    return api(person).post(f"/api/v1/conversations/{conversation_id}/messages/", body, format="json")


def reply_to(turn_id: str, person: Person) -> Message:
    with tenant(person.actor.organization_id):
        turn = Turn.objects.select_related("message").get(id=turn_id)
        reply = add_reply(
            conversation=lock_conversation(turn.conversation_id), in_reply_to=turn.message, text="A stage."
        )
        turn.reply = reply
        turn.save(update_fields=["reply"])
        end_turn(turn, Turn.State.ANSWERED)
    return reply


def test_without_a_log_in_there_is_nothing(db):
    assert APIClient().get("/api/v1/conversations/").status_code == 401


def test_a_message_is_accepted_and_its_turn_can_be_followed(owner, conversation_id):
    response = send(owner, conversation_id)

    assert response.status_code == 201
    turn = response.json()
    assert (turn["state"], turn["reply"], turn["attempt"]) == ("accepted", None, 1)
    reply_to(turn["id"], owner)
    followed = api(owner).get(f"/api/v1/turns/{turn['id']}/").json()
    assert followed["state"] == "answered"
    assert followed["reply"]["text"] == "A stage."
    messages = api(owner).get(f"/api/v1/conversations/{conversation_id}/messages/").json()["results"]
    assert [message["text"] for message in messages] == ["What is lifecycle stage?", "A stage."]


def test_the_same_client_message_id_gives_the_same_turn(owner, conversation_id):
    first = send(owner, conversation_id, client_message_id="one").json()
    second = send(owner, conversation_id, client_message_id="one").json()

    assert first["id"] == second["id"]


def test_another_text_under_the_same_client_message_id_is_refused_and_not_lost(owner, conversation_id):
    first = send(owner, conversation_id, client_message_id="one").json()

    response = send(owner, conversation_id, client_message_id="one", text="Something else")
    again = send(owner, conversation_id, client_message_id="one", text="  What is lifecycle stage?\r\n")

    assert (response.status_code, response.json()["code"]) == (409, "already_sent")
    assert "another text" in response.json()["detail"]
    assert again.json()["id"] == first["id"]
    with tenant(owner.actor.organization_id):
        assert [message.text for message in Message.objects.all()] == ["What is lifecycle stage?"]


def test_the_messages_of_a_history_carry_their_newest_turn(owner, conversation_id):
    failed, answered = (send(owner, conversation_id, text=text).json() for text in ("One", "Two"))
    with tenant(owner.actor.organization_id):
        end_turn(Turn.objects.get(id=failed["id"]), Turn.State.FAILED)
    reply_to(answered["id"], owner)
    retried = api(owner).post(f"/api/v1/turns/{failed['id']}/retry/").json()
    with tenant(owner.actor.organization_id):
        Turn.objects.filter(id=retried["id"]).update(deadline_at=timezone.now())

    messages = api(owner).get(f"/api/v1/conversations/{conversation_id}/messages/").json()["results"]

    assert [(message["text"], message["turn"]) for message in messages] == [
        ("One", {"id": retried["id"], "state": "failed"}),
        ("Two", {"id": answered["id"], "state": "answered"}),
        ("A stage.", None),
    ]


def test_a_history_costs_the_same_statements_however_long(owner, conversation_id):
    def statements():
        with CaptureQueriesContext(connection) as captured:
            assert api(owner).get(f"/api/v1/conversations/{conversation_id}/messages/").status_code == 200
        return len(captured)

    reply_to(send(owner, conversation_id).json()["id"], owner)
    few = statements()
    for _ in range(10):
        reply_to(send(owner, conversation_id).json()["id"], owner)

    assert statements() == few


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"text": ""}, "text"),
        ({"text": "  "}, "Write a message first."),
        ({"client_message_id": ""}, "client_message_id"),
        ({"refs": ["company"]}, "not a record reference"),
        ({"refs": ["nothing:1"]}, "not a kind of record"),
        ({"refs": [{"kind": "company", "id": "1"}]}, "A record reference is text: kind:id"),
        ({"page": 7}, "A record reference is text: kind:id"),
        ({"page": "company:"}, "missing or malformed"),
        ({"refs": ["company:x"]}, "“company:x” is not the reference of a record"),
        ({"page": "run:x"}, "“run:x” is not the reference of a record"),
        ({"refs": [f"knowledge_chunk:{A_UUID}"]}, f"“knowledge_chunk:{A_UUID}” cannot be sent with a message"),
        ({"page": f"knowledge_chunk:{A_UUID}"}, "cannot be sent with a message"),
    ],
)
def test_a_bad_message_is_refused_in_words_and_nothing_is_kept(owner, conversation_id, extra, words):
    response = send(owner, conversation_id, **extra)

    assert response.status_code == 400
    assert words in response.content.decode()
    with tenant(owner.actor.organization_id):
        assert not Message.objects.exists()


def test_too_many_messages_are_answered_with_429_and_a_time_to_wait(owner, conversation_id, settings):
    settings.MESSAGES_PER_MINUTE = 1
    send(owner, conversation_id)

    response = send(owner, conversation_id)

    assert response.status_code == 429
    assert response.headers["Retry-After"] == "30"
    assert response.json()["code"] == "rate_limited"


def test_a_conversation_without_a_title_is_named_after_its_first_message(owner):
    started = api(owner).post("/api/v1/conversations/", {}, format="json").json()
    assert started["title"] == ""

    for text in ("Who owns Larch?\nAnd since when?", "And Acme?"):
        send(owner, started["id"], text=text)

    assert api(owner).get(f"/api/v1/conversations/{started['id']}/").json()["title"] == "Who owns Larch?"
    assert "New conversation" not in owner.client.get("/chat/list/").content.decode()


def test_a_title_that_was_given_stays(owner, conversation_id):
    send(owner, conversation_id)

    assert api(owner).get(f"/api/v1/conversations/{conversation_id}/").json()["title"] == "Stages"


def test_a_first_message_costs_the_same_statements_with_and_without_a_title(owner):
    def statements(title: str) -> int:
        place = api(owner).post("/api/v1/conversations/", {"title": title}, format="json").json()["id"]
        with CaptureQueriesContext(connection) as captured:
            send(owner, place)
        return len(captured)

    assert statements("Stages") == statements("") == statements("Deals")


def test_conversations_are_listed_searched_renamed_and_deleted(owner, conversation_id):
    client = api(owner)
    client.post("/api/v1/conversations/", {"title": "Deals"}, format="json")

    assert [c["title"] for c in client.get("/api/v1/conversations/").json()["results"]] == ["Deals", "Stages"]
    assert [c["title"] for c in client.get("/api/v1/conversations/?search=stag").json()["results"]] == ["Stages"]
    renamed = client.patch(f"/api/v1/conversations/{conversation_id}/", {"title": "Lifecycle"}, format="json")
    assert renamed.json()["title"] == "Lifecycle"
    assert client.delete(f"/api/v1/conversations/{conversation_id}/").status_code == 204
    assert client.get(f"/api/v1/conversations/{conversation_id}/").status_code == 404


def test_a_turn_is_stopped_and_a_failed_one_retried(owner, conversation_id):
    turn = send(owner, conversation_id).json()
    stopped = api(owner).post(f"/api/v1/turns/{turn['id']}/stop/").json()
    assert stopped["state"] == "cancelled"
    refused = api(owner).post(f"/api/v1/turns/{turn['id']}/retry/")
    assert (refused.status_code, refused.json()) == (
        409,
        {
            "detail": "This message was stopped. Only one that failed is tried again; send it as a new message.",
            "code": "not_failed",
        },
    )

    failed = send(owner, conversation_id).json()
    with tenant(owner.actor.organization_id):
        end_turn(Turn.objects.get(id=failed["id"]), Turn.State.FAILED)
    retried = api(owner).post(f"/api/v1/turns/{failed['id']}/retry/").json()
    assert (retried["attempt"], retried["state"]) == (2, "accepted")


def test_an_answered_turn_is_not_retried_and_says_so(owner, conversation_id):
    turn = send(owner, conversation_id).json()
    reply_to(turn["id"], owner)

    refused = api(owner).post(f"/api/v1/turns/{turn['id']}/retry/")

    assert (refused.status_code, refused.json()["code"]) == (409, "not_failed")
    assert refused.json()["detail"].startswith("This message was answered.")


def test_a_record_of_others_is_accepted_as_one_that_nobody_has(owner, stranger, company):
    """They are told apart by nobody: the same status, the same statements."""
    place = api(stranger).post("/api/v1/conversations/", {}, format="json").json()["id"]
    send(stranger, place)

    def accepted(ref: str) -> tuple[int, int]:
        with CaptureQueriesContext(connection) as captured:
            response = send(stranger, place, refs=[ref], page=ref)
        return response.status_code, len(captured)

    assert accepted(f"company:{company.pk}") == accepted(f"company:{uuid.uuid4()}")
    assert accepted(f"company:{company.pk}")[0] == 201


def test_feedback_is_kept_once_and_can_be_changed(owner, conversation_id):
    reply = reply_to(send(owner, conversation_id).json()["id"], owner)
    url = f"/api/v1/messages/{reply.id}/feedback/"

    api(owner).put(url, {"rating": "helpful"}, format="json")
    changed = api(owner).put(url, {"rating": "unhelpful", "comment": "Too short"}, format="json")

    assert changed.json() == {"rating": "unhelpful", "comment": "Too short"}
    with tenant(owner.actor.organization_id):
        assert Feedback.objects.get().rating == "unhelpful"


def test_the_organization_header_chooses_among_memberships_and_admits_no_other(owner, stranger):
    client = api(owner)

    assert client.get("/api/v1/conversations/", headers={"X-Organization": "acorn"}).status_code == 200
    assert client.get("/api/v1/conversations/", headers={"X-Organization": "birch"}).status_code == 404
    assert client.get("/api/v1/conversations/", headers={"X-Organization": str(uuid.uuid4())}).status_code == 404


def test_a_stranger_and_a_teammate_get_the_answers_of_unknown_ids(owner, teammate, stranger, conversation_id):
    turn = send(owner, conversation_id).json()
    reply = reply_to(turn["id"], owner)
    unknown = str(uuid.uuid4())
    for person in (teammate, stranger):
        client = api(person)
        calls = [
            (client.get, "/api/v1/conversations/{}/", conversation_id),
            (client.patch, "/api/v1/conversations/{}/", conversation_id),
            (client.delete, "/api/v1/conversations/{}/", conversation_id),
            (client.get, "/api/v1/conversations/{}/messages/", conversation_id),
            (client.get, "/api/v1/conversations/{}/scope/", conversation_id),
            (client.get, "/api/v1/turns/{}/", turn["id"]),
            (client.post, "/api/v1/turns/{}/stop/", turn["id"]),
            (client.post, "/api/v1/turns/{}/retry/", turn["id"]),
        ]
        for call, url, real in calls:
            foreign, none = call(url.format(real)), call(url.format(unknown))
            assert foreign.status_code == none.status_code == 404, url
            assert foreign.content == none.content
        feedback = {"rating": "helpful"}
        foreign = client.put(f"/api/v1/messages/{reply.id}/feedback/", feedback, format="json")
        none = client.put(f"/api/v1/messages/{unknown}/feedback/", feedback, format="json")
        assert (foreign.status_code, foreign.content) == (404, none.content)
        assert send(person, conversation_id).status_code == 404
        assert client.get("/api/v1/conversations/").json()["results"] == []
    with tenant(owner.actor.organization_id):
        assert Conversation.objects.get().message_count == 2
        assert not Feedback.objects.exists()
