"""A message and its turn's events in one request of an API client."""

import asyncio
import json
import uuid

import pytest
from django.test import AsyncClient
from rest_framework.authtoken.models import Token

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer
from agencycore.streams.database import off_loop
from agencycore.streams.publisher import NewEvent, publish_live
from agencycore.tenancy import tenant
from chat.actions import accept_message, stop_turn
from chat.models import Turn
from chat.turns import process_turn
from conversations.models import Conversation, Message

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_SECONDS = 10
ANSWER = WireAnswer(outcome="answer", citations=[], unresolved=["No document covers this."], offer="", text="So it is.")


def token_of(person):
    return Token.objects.get_or_create(user=person.user)[0].key


async def say(person=None, client=None, **content):
    headers = content.pop("headers", {})
    if person is not None:
        headers["Authorization"] = f"Token {await off_loop(token_of)(person)}"
    body = {"text": "Is it so?", "client_message_id": str(uuid.uuid4())} | content
    # As in life: Django's test client lets everything pass by default.
    return await (client or AsyncClient(enforce_csrf_checks=True)).post(
        "/api/v1/chat/", json.dumps(body), content_type="application/json", headers=headers
    )


async def next_frame(frames):
    chunk = (await asyncio.wait_for(anext(frames), PATIENCE_SECONDS)).decode()
    fields = dict(line.split(": ", 1) for line in chunk.strip().split("\n"))
    return fields["event"], json.loads(fields["data"])


async def rest_of(frames):
    found = []
    while True:
        try:
            found.append(await next_frame(frames))
        except StopAsyncIteration:
            return found


def stop(person, turn_id):
    with tenant(person.organization.id):
        return stop_turn(actor=person.actor, turn_id=turn_id)


def answered(person, turn_id):
    with playing([ANSWER]):
        process_turn(organization_id=person.organization.id, turn_id=turn_id)


def show_live(person, accepted, text):
    publish_live(
        stream=f"conversation:{accepted['conversation']}",
        organization_id=person.organization.id,
        event=NewEvent("turn.delta", {"turn": accepted["turn"], "message": accepted["message"], "at": 0, "text": text}),
    )


def kept():
    return Message.objects.count(), Turn.objects.count()


def kept_by(person):
    with tenant(person.organization.id):
        return kept()


async def test_a_message_is_answered_in_one_request(owner):
    response = await say(owner)
    assert (response.status_code, response["Content-Type"]) == (200, "text/event-stream")
    frames = aiter(response.streaming_content)
    name, accepted = await next_frame(frames)
    assert (name, set(accepted)) == ("turn.accepted", {"turn", "conversation", "message"})
    assert (await next_frame(frames))[1]["state"] == "accepted"

    await off_loop(answered)(owner, uuid.UUID(accepted["turn"]))

    told = await rest_of(frames)
    states = [content["state"] for name, content in told if name == "turn.state"]
    assert states[-1] == "answered"
    name, result = told[-1]
    assert (name, result["id"], result["conversation"]) == ("turn.result", accepted["turn"], accepted["conversation"])
    assert (result["state"], result["reply"]["text"]) == ("answered", "So it is.")
    assert result["reply"]["unresolved"] == ["No document covers this."]


async def test_live_text_of_the_turn_is_told_and_no_other(owner):
    frames = aiter((await say(owner)).streaming_content)
    accepted = (await next_frame(frames))[1]
    await next_frame(frames)

    await off_loop(show_live)(owner, accepted | {"turn": str(uuid.uuid4())}, "Another turn’s")
    await off_loop(show_live)(owner, accepted, "So it")
    assert (await next_frame(frames))[1]["text"] == "So it"

    await off_loop(stop)(owner, uuid.UUID(accepted["turn"]))
    assert [name for name, _ in await rest_of(frames)] == ["turn.state", "turn.result"]


async def test_a_conversation_goes_on(owner):
    first = aiter((await say(owner)).streaming_content)
    accepted = (await next_frame(first))[1]
    await off_loop(stop)(owner, uuid.UUID(accepted["turn"]))
    await rest_of(first)

    second = aiter((await say(owner, conversation=accepted["conversation"])).streaming_content)
    later = (await next_frame(second))[1]
    await off_loop(stop)(owner, uuid.UUID(later["turn"]))

    assert later["conversation"] == accepted["conversation"]
    assert [name for name, _ in await rest_of(second)] == ["turn.state", "turn.state", "turn.result"]
    assert await off_loop(kept_by)(owner) == (2, 2)


async def test_a_repeat_gets_the_first_turn_from_its_beginning(owner):
    first = aiter((await say(owner, client_message_id="one")).streaming_content)
    accepted = (await next_frame(first))[1]
    await off_loop(stop)(owner, uuid.UUID(accepted["turn"]))
    await rest_of(first)

    again = aiter((await say(owner, client_message_id="one")).streaming_content)

    told = await rest_of(again)
    assert [name for name, _ in told] == ["turn.accepted", "turn.state", "turn.state", "turn.result"]
    assert told[0][1] == accepted
    assert await off_loop(kept_by)(owner) == (1, 1)


async def test_a_client_that_hangs_up_leaves_the_turn_alone(owner):
    response = await say(owner)
    frames = aiter(response.streaming_content)
    accepted = (await next_frame(frames))[1]
    await frames.aclose()

    await off_loop(answered)(owner, uuid.UUID(accepted["turn"]))

    assert await off_loop(kept_by)(owner) == (2, 1)


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        ({"text": "  "}, 400, "Write a message first."),
        ({"text": "x", "client_message_id": ""}, 400, "client_message_id"),
        ({"conversation": "x"}, 400, "conversation"),
        ({"refs": ["nonsense"]}, 400, "not a record reference"),
        ({"conversation": str(uuid.uuid4())}, 404, "This conversation does not exist."),
    ],
)
async def test_a_refusal_is_json_and_nothing_is_kept(owner, content, status, words):
    response = await say(owner, **content)

    assert (response.status_code, response["Content-Type"]) == (status, "application/json")
    assert words in response.content.decode()
    assert await off_loop(kept_by)(owner) == (0, 0)


@pytest.mark.parametrize(("body", "kind", "status"), [("{", "application/json", 400), ("a=b", "text/plain", 415)])
async def test_a_body_that_is_no_json_is_refused(owner, body, kind, status):
    headers = {"Authorization": f"Token {await off_loop(token_of)(owner)}"}

    response = await AsyncClient().post("/api/v1/chat/", body, content_type=kind, headers=headers)

    assert (response.status_code, "detail" in response.json()) == (status, True)


async def test_a_body_that_is_too_large_is_refused(owner, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

    response = await say(owner, text="x" * 200)

    assert (response.status_code, response.json()["code"]) == (413, "too_large")


async def test_too_many_messages_are_answered_with_a_time_to_wait(owner, settings):
    settings.MESSAGES_PER_MINUTE = 0

    response = await say(owner)

    assert (response.status_code, response["Retry-After"], response.json()["code"]) == (429, "30", "rate_limited")


async def test_a_visitor_is_asked_to_log_in(owner):
    assert (await say()).status_code == 401
    assert (await say(headers={"Authorization": "Token wrong"})).status_code == 401
    assert (await AsyncClient().get("/api/v1/chat/")).status_code == 405


def signed_in(person):
    client = AsyncClient(enforce_csrf_checks=True)
    client.force_login(person.user)
    return client


async def test_a_session_needs_its_csrf_token(owner):
    client = await off_loop(signed_in)(owner)
    assert (await say(client=client)).status_code == 403

    client.cookies["csrftoken"] = "a" * 32
    response = await say(client=client, headers={"X-CSRFToken": "a" * 32})

    frames = aiter(response.streaming_content)
    accepted = (await next_frame(frames))[1]
    await off_loop(stop)(owner, uuid.UUID(accepted["turn"]))
    assert (await rest_of(frames))[-1][0] == "turn.result"


def begin(person):
    with tenant(person.organization.id):
        return accept_message(actor=person.actor, conversation_id=None, text="Hi", client_message_id="mine")


async def test_a_stranger_and_a_teammate_are_told_what_an_unknown_id_is_told(owner, teammate, stranger):
    turn = await off_loop(begin)(owner)

    answers = [await say(person, conversation=str(turn.conversation_id)) for person in (stranger, teammate)]
    unknown = await say(owner, conversation=str(uuid.uuid4()))

    assert {(each.status_code, each.content) for each in [*answers, unknown]} == {(404, unknown.content)}
    assert await off_loop(kept_by)(owner) == (1, 1)


async def test_a_member_cannot_speak_in_the_name_of_another_organization(owner, other_organization):
    response = await say(owner, headers={"X-Organization": other_organization.slug})

    assert response.status_code == 404
    assert await off_loop(conversations_of)(other_organization) == 0


def conversations_of(organization):
    with tenant(organization.id):
        return Conversation.objects.count()
