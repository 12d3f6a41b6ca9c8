"""A turn over server-sent events: resumable, ending with the turn, private."""

import asyncio
import json
import uuid

import pytest
from django.test import AsyncClient
from django.utils import timezone
from rest_framework.authtoken.models import Token

from agencycore.streams.database import off_loop
from agencycore.tenancy import tenant
from chat.actions import accept_message, stop_turn
from chat.models import Turn

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_SECONDS = 10


def begin(person, text="Hi"):
    with tenant(person.organization.id):
        return accept_message(actor=person.actor, conversation_id=None, text=text, client_message_id=str(uuid.uuid4()))


def stop(person, turn):
    with tenant(person.organization.id):
        stop_turn(actor=person.actor, turn_id=turn.id)


def token_of(person):
    return Token.objects.get_or_create(user=person.user)[0].key


async def get(turn_id, person=None, **headers):
    if person is not None:
        headers["Authorization"] = f"Token {await off_loop(token_of)(person)}"
    return await AsyncClient().get(f"/api/v1/turns/{turn_id}/events", headers=headers)


async def all_frames(response):
    async def read():
        return [chunk.decode() async for chunk in response.streaming_content]

    return await asyncio.wait_for(read(), PATIENCE_SECONDS)


def parsed(frame):
    fields = dict(line.split(": ", 1) for line in frame.strip().split("\n"))
    return fields.get("id"), fields["event"], json.loads(fields["data"])["state"]


async def test_the_events_of_a_finished_turn_are_told_and_the_response_ends(owner):
    turn = await off_loop(begin)(owner)
    await off_loop(stop)(owner, turn)

    response = await get(turn.id, owner)

    assert (response.status_code, response["Content-Type"]) == (200, "text/event-stream")
    assert [parsed(frame) for frame in await all_frames(response)] == [
        ("1", "turn.state", "accepted"),
        ("2", "turn.state", "cancelled"),
    ]


async def test_a_response_follows_the_turn_to_its_end(owner):
    turn = await off_loop(begin)(owner)
    frames = aiter((await get(turn.id, owner)).streaming_content)
    assert parsed((await asyncio.wait_for(anext(frames), PATIENCE_SECONDS)).decode())[2] == "accepted"

    await off_loop(stop)(owner, turn)

    assert parsed((await asyncio.wait_for(anext(frames), PATIENCE_SECONDS)).decode())[2] == "cancelled"
    with pytest.raises(StopAsyncIteration):
        await asyncio.wait_for(anext(frames), PATIENCE_SECONDS)


async def test_a_resume_tells_only_what_came_later(owner):
    turn = await off_loop(begin)(owner)
    await off_loop(stop)(owner, turn)

    frames = await all_frames(await get(turn.id, owner, **{"Last-Event-ID": "1"}))

    assert [parsed(frame) for frame in frames] == [("2", "turn.state", "cancelled")]


async def test_a_resume_after_the_end_is_told_that_nothing_more_will_come(owner):
    """Whatever else ends is asked for again by an EventSource."""
    turn = await off_loop(begin)(owner)
    await off_loop(stop)(owner, turn)
    other = await off_loop(follow_up)(owner, turn)
    await off_loop(stop)(owner, other)

    for number in ("2", "3", "4"):
        response = await get(turn.id, owner, **{"Last-Event-ID": number})
        assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize("number", ["3", "999", "9" * 30, "-1", "x", "1.5", ""])
async def test_a_number_that_was_never_given_out_tells_the_turn_from_its_beginning(owner, number):
    turn = await off_loop(begin)(owner)
    await off_loop(stop)(owner, turn)

    response = await get(turn.id, owner, **{"Last-Event-ID": number})

    assert response.status_code == 200
    assert [parsed(frame)[2] for frame in await all_frames(response)] == ["accepted", "cancelled"]


async def test_a_turn_at_work_is_followed_from_the_newest_event_and_from_a_number_beyond_it(owner):
    turn = await off_loop(begin)(owner)
    responses = [await get(turn.id, owner, **{"Last-Event-ID": number}) for number in ("1", "999")]

    await off_loop(stop)(owner, turn)

    told = [[parsed(frame)[2] for frame in await all_frames(response)] for response in responses]
    assert told == [["cancelled"], ["accepted", "cancelled"]]


async def test_other_turns_of_the_conversation_are_left_out(owner):
    first = await off_loop(begin)(owner)
    await off_loop(stop)(owner, first)
    second = await off_loop(follow_up)(owner, first)
    await off_loop(stop)(owner, second)

    frames = await all_frames(await get(second.id, owner))

    assert [parsed(frame)[0] for frame in frames] == ["3", "4"]


def follow_up(person, turn):
    with tenant(person.organization.id):
        return accept_message(
            actor=person.actor, conversation_id=turn.conversation_id, text="More", client_message_id="more"
        )


async def test_a_turn_past_its_deadline_ends_as_failed_though_nobody_wrote_it(owner):
    turn = await off_loop(begin)(owner)
    await off_loop(expire)(owner, turn)

    frames = await all_frames(await get(turn.id, owner))

    assert [parsed(frame) for frame in frames] == [("1", "turn.state", "accepted"), (None, "turn.state", "failed")]


def expire(person, turn):
    with tenant(person.organization.id):
        Turn.objects.filter(id=turn.id).update(deadline_at=timezone.now())


async def test_a_stranger_and_a_teammate_are_told_what_an_unknown_id_is_told(owner, teammate, stranger):
    turn = await off_loop(begin)(owner)

    answers = [await get(turn.id, stranger), await get(turn.id, teammate)]
    answers += [await get(turn.id, person, **{"Last-Event-ID": "1"}) for person in (stranger, teammate)]
    unknown = await get(uuid.uuid4(), owner)

    assert {(each.status_code, each.content) for each in [*answers, unknown]} == {(404, unknown.content)}


async def test_a_visitor_is_asked_to_log_in(owner):
    turn = await off_loop(begin)(owner)

    assert (await get(turn.id)).status_code == 401
    assert (await get(turn.id, Authorization="Token wrong")).status_code == 401


async def test_a_member_cannot_listen_in_the_name_of_another_organization(owner, other_organization):
    turn = await off_loop(begin)(owner)

    assert (await get(turn.id, owner, **{"X-Organization": other_organization.slug})).status_code == 404
