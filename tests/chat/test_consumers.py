"""The conversation's socket, through the whole ASGI application: origin, session, rights, catching up."""

import asyncio
import uuid

import pytest
from django.conf import settings

from agencycore.asgi import application
from agencycore.streams.consumer import CLOSE_ACCESS_CHANGED, CLOSE_NOT_FOUND
from agencycore.streams.database import off_loop
from agencycore.tenancy import tenant
from chat.actions import accept_message, delete_conversation, end_turn, retry_turn, stop_turn
from chat.models import Turn
from conversations.actions import rename_conversation
from tests.sockets import Socket

pytestmark = pytest.mark.django_db(transaction=True)

ORIGIN = (b"origin", b"http://127.0.0.1")


def cookie_of(person):
    return (b"cookie", f"{settings.SESSION_COOKIE_NAME}={person.client.cookies['sessionid'].value}".encode())


async def knock(person, conversation_id, after=0, origin=ORIGIN):
    headers = [origin] + ([await off_loop(cookie_of)(person)] if person else [])
    socket = Socket(application, f"/ws/conversations/{conversation_id}/?after={after}", headers)
    return socket, await socket.open()


async def enter(person, conversation_id, after=0):
    socket, answer = await knock(person, conversation_id, after)
    assert answer == "websocket.accept"
    return socket


def within(person, action, **arguments):
    with tenant(person.organization.id):
        return action(actor=person.actor, **arguments)


def send_message(person, conversation_id=None):
    return within(
        person, accept_message, conversation_id=conversation_id, text="Hi", client_message_id=str(uuid.uuid4())
    )


async def test_a_message_its_stop_and_a_new_name_arrive_in_order(owner):
    turn = await off_loop(send_message)(owner)
    socket = await enter(owner, turn.conversation_id)
    first = await socket.hear()
    assert (first["number"], first["type"], first["payload"]["state"]) == (1, "turn.state", "accepted")
    assert (first["payload"]["turn"], first["payload"]["message"]) == (str(turn.id), str(turn.message_id))

    await off_loop(within)(owner, stop_turn, turn_id=turn.id)
    await off_loop(within)(owner, rename_conversation, conversation_id=turn.conversation_id, title="Stages")

    second, third = await socket.hear(), await socket.hear()
    assert (second["number"], second["payload"]["state"]) == (2, "cancelled")
    assert third == {"number": 3, "type": "conversation.renamed", "payload": {"title": "Stages"}}
    await socket.leave()


async def test_a_socket_that_comes_back_receives_only_what_it_missed(owner):
    turn = await off_loop(send_message)(owner)
    socket = await enter(owner, turn.conversation_id)
    assert await socket.numbers(1) == [1]
    await socket.leave()
    await off_loop(within)(owner, stop_turn, turn_id=turn.id)

    again = await enter(owner, turn.conversation_id, after=1)

    assert await again.numbers(1) == [2]
    await again.leave()


async def test_two_tabs_hear_the_same(owner):
    turn = await off_loop(send_message)(owner)
    tabs = [await enter(owner, turn.conversation_id) for _ in range(2)]
    await off_loop(within)(owner, stop_turn, turn_id=turn.id)

    heard = await asyncio.gather(*(tab.numbers(2) for tab in tabs))

    assert heard == [[1, 2], [1, 2]]
    for tab in tabs:
        await tab.leave()


async def test_a_stranger_a_teammate_and_a_visitor_are_told_what_an_unknown_id_is_told(owner, teammate, stranger):
    turn = await off_loop(send_message)(owner)
    conversation = turn.conversation_id

    codes = []
    for person, wanted in [
        (stranger, conversation),
        (teammate, conversation),
        (None, conversation),
        (owner, uuid.uuid4()),
    ]:
        socket, answer = await knock(person, wanted)
        assert answer == "websocket.accept"
        codes.append(await socket.close_code())

    assert codes == [CLOSE_NOT_FOUND] * 4


async def test_another_sites_page_cannot_open_a_socket(owner):
    turn = await off_loop(send_message)(owner)

    _, answer = await knock(owner, turn.conversation_id, origin=(b"origin", b"https://evil.example"))

    assert answer == "websocket.close"


async def test_a_deleted_conversation_closes_its_socket_at_the_next_command(owner):
    turn = await off_loop(send_message)(owner)
    socket = await enter(owner, turn.conversation_id)
    assert await socket.numbers(1) == [1]
    await off_loop(within)(owner, delete_conversation, conversation_id=turn.conversation_id)

    await socket.say('{"type": "resume", "after": 1}')

    assert await socket.close_code() == CLOSE_NOT_FOUND


async def test_a_member_removed_from_the_organization_is_cut_off(owner):
    turn = await off_loop(send_message)(owner)
    socket = await enter(owner, turn.conversation_id)
    assert await socket.numbers(1) == [1]

    await off_loop(owner.membership.delete)()

    assert await socket.close_code() == CLOSE_ACCESS_CHANGED
    again, _ = await knock(owner, turn.conversation_id)
    assert await again.close_code() == CLOSE_NOT_FOUND


async def test_logging_out_closes_the_sockets(owner):
    client = await off_loop(lambda: owner.client)()
    turn = await off_loop(send_message)(owner)
    socket = await enter(owner, turn.conversation_id)
    assert await socket.numbers(1) == [1]

    await off_loop(client.post)("/logout/")

    assert await socket.close_code() == CLOSE_ACCESS_CHANGED


async def test_an_attempt_after_a_failure_is_heard_under_its_own_turn(owner):
    turn = await off_loop(send_message)(owner)
    socket = await enter(owner, turn.conversation_id)
    assert await socket.numbers(1) == [1]

    await off_loop(fail)(owner, turn)
    retried = await off_loop(within)(owner, retry_turn, turn_id=turn.id)

    failed, accepted = await socket.hear(), await socket.hear()
    assert (failed["payload"]["turn"], failed["payload"]["state"]) == (str(turn.id), "failed")
    assert (accepted["payload"]["turn"], accepted["payload"]["state"]) == (str(retried.id), "accepted")
    await socket.leave()


def fail(person, turn):
    with tenant(person.organization.id):
        end_turn(turn, Turn.State.FAILED, error_code="deadline")
