"""What a socket receives: everything once and in order, whatever Redis does."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.test import override_settings

from agencycore.errors import NotFound
from agencycore.streams import consumer
from agencycore.streams.database import off_loop
from agencycore.streams.doorbell import get_doorbell
from agencycore.streams.events import events_after
from agencycore.streams.groups import group_name, socket_layer
from agencycore.streams.publisher import NewEvent, announce_access_change, publish, publish_live
from agencycore.streams.subscription import Reading, StreamAddress, Subscription
from agencycore.tenancy import tenant
from organizations.models import Membership
from tests.sockets import Socket

STREAM = "conversation:0192"

pytestmark = pytest.mark.django_db(transaction=True)


class PatientSubscription(Subscription):
    """Polls so rarely that what a test receives came another way."""

    poll_seconds = idle_poll_seconds = 3600.0


class EagerSubscription(Subscription):
    poll_seconds = idle_poll_seconds = 0.05


def consumer_for(person, subscription=PatientSubscription):
    class Consumer(consumer.StreamConsumer):
        subscription_class = subscription

        def read(self, after):
            if not Membership.objects.filter(user=person.user).exists():
                raise NotFound
            with tenant(person.organization.id):
                address = StreamAddress(STREAM, person.organization.id, person.user.id)
                return Reading(address, events_after(STREAM, after), is_live=True)

    return Consumer.as_asgi()


async def connect(application, after=0):
    socket = Socket(application, f"/ws/?after={after}")
    assert await socket.open() == "websocket.accept"
    return socket


def publish_now(organization, *types):
    with tenant(organization.id):
        publish(stream=STREAM, organization_id=organization.id, events=[NewEvent(name) for name in types])


def write_unheard(organization, *types):
    """Events whose wake-up is lost on the way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(get_doorbell(), "ring", lambda group, message: None)
        publish_now(organization, *types)


async def test_what_was_missed_is_replayed_before_what_is_live(owner, organization):
    await off_loop(publish_now)(organization, "a", "b", "c")
    socket = await connect(consumer_for(owner), after=1)

    assert await socket.numbers(2) == [2, 3]

    await off_loop(publish_now)(organization, "d")
    assert await socket.hear() == {"number": 4, "type": "d", "payload": {}}
    assert await socket.is_quiet()
    await socket.leave()


async def test_a_gap_is_filled_from_the_database(owner, organization):
    await off_loop(publish_now)(organization, "a")
    socket = await connect(consumer_for(owner))
    assert await socket.numbers(1) == [1]

    await off_loop(write_unheard)(organization, "b", "c")
    await off_loop(publish_now)(organization, "d")

    assert await socket.numbers(3) == [2, 3, 4]
    await socket.leave()


async def test_numbers_already_sent_and_out_of_order_are_dropped(owner, organization):
    await off_loop(publish_now)(organization, "a", "b")
    socket = await connect(consumer_for(owner))
    assert await socket.numbers(2) == [1, 2]

    late = {"type": "stream.events", "events": [{"number": 1, "type": "a", "payload": {}}]}
    get_doorbell().ring(group_name(organization.id, STREAM), late)
    await off_loop(publish_now)(organization, "c")

    assert await socket.numbers(1) == [3]
    await socket.leave()


async def test_an_event_published_between_authorisation_and_joining_is_not_lost(owner, organization, monkeypatch):
    layer = socket_layer()
    join = layer.new_channel

    async def publish_then_join():
        await off_loop(publish_now)(organization, "between")
        return await join()

    monkeypatch.setattr(layer, "new_channel", publish_then_join, raising=False)
    socket = await connect(consumer_for(owner))

    assert await socket.numbers(1) == [1]
    await socket.leave()


async def test_a_socket_that_hears_nothing_compares_numbers_itself(owner, organization):
    socket = await connect(consumer_for(owner, EagerSubscription))

    await off_loop(write_unheard)(organization, "a", "b")

    assert await socket.numbers(2) == [1, 2]
    await socket.leave()


async def test_a_socket_opened_while_redis_is_away_works_by_polling(owner, organization, tmp_path):
    away = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [f"unix://{tmp_path}/nobody-listens.sock"], "prefix": "agencycore"},
        }
    }
    with override_settings(CHANNEL_LAYERS=away):
        await off_loop(publish_now)(organization, "a")
        socket = await connect(consumer_for(owner, EagerSubscription))
        assert await socket.numbers(1) == [1]

        await off_loop(publish_now)(organization, "b")
        assert await socket.numbers(1) == [2]
        await socket.leave()


async def test_a_backlog_longer_than_one_reading_arrives_whole(owner, organization):
    await off_loop(publish_now)(organization, *["tick"] * 450)
    socket = await connect(consumer_for(owner))

    assert await socket.numbers(450) == list(range(1, 451))
    await socket.leave()


async def test_live_text_passes_without_a_number(owner, organization):
    await off_loop(publish_now)(organization, "a")
    socket = await connect(consumer_for(owner))
    assert await socket.numbers(1) == [1]

    publish_live(stream=STREAM, organization_id=organization.id, event=NewEvent("turn.delta", {"text": "Hel"}))

    assert await socket.hear() == {"number": None, "type": "turn.delta", "payload": {"text": "Hel"}}
    await socket.leave()


async def test_a_client_may_ask_again_for_what_it_lost(owner, organization):
    await off_loop(publish_now)(organization, "a", "b")
    socket = await connect(consumer_for(owner))
    assert await socket.numbers(2) == [1, 2]

    await socket.say('{"type": "resume", "after": 1}')

    assert await socket.numbers(1) == [2]
    await socket.leave()


@pytest.mark.parametrize(
    "text", ["", "no json", "[]", '{"type": "publish"}', '{"type": "resume", "after": "-1"}', '{"type": "resume"}']
)
async def test_a_malformed_command_closes_the_socket(owner, text):
    socket = await connect(consumer_for(owner))

    await socket.say(text)

    assert await socket.close_code() == consumer.CLOSE_MALFORMED


@pytest.mark.parametrize("after", ["-1", "x", "1e3", "9" * 30])
async def test_a_malformed_number_closes_the_socket(owner, after):
    socket = await connect(consumer_for(owner), after=after)

    assert await socket.close_code() == consumer.CLOSE_MALFORMED


async def test_a_removed_member_is_cut_off_at_once_and_sees_nothing_later(owner, organization):
    socket = await connect(consumer_for(owner))
    await off_loop(publish_now)(organization, "a")
    assert await socket.numbers(1) == [1]

    await sync_to_async(owner.membership.delete)()

    assert await socket.close_code() == consumer.CLOSE_ACCESS_CHANGED
    again = await connect(consumer_for(owner))
    assert await again.close_code() == consumer.CLOSE_NOT_FOUND


async def test_a_member_removed_while_redis_is_silent_is_cut_off_by_the_next_reading(owner, monkeypatch):
    socket = await connect(consumer_for(owner, EagerSubscription))
    monkeypatch.setattr(get_doorbell(), "ring", lambda group, message: None)

    await sync_to_async(owner.membership.delete)()

    assert await socket.close_code() == consumer.CLOSE_NOT_FOUND


async def test_a_changed_role_closes_the_sockets_of_that_member_only(owner, teammate, organization):
    mine, theirs = await connect(consumer_for(owner)), await connect(consumer_for(teammate))
    await off_loop(publish_now)(organization, "a")
    assert (await mine.numbers(1), await theirs.numbers(1)) == ([1], [1])

    owner.membership.role = Membership.Role.ADMIN
    await sync_to_async(owner.membership.save)()

    assert await mine.close_code() == consumer.CLOSE_ACCESS_CHANGED
    assert await theirs.is_quiet()
    await theirs.leave()


async def test_a_stranger_with_the_same_stream_name_hears_nothing(owner, stranger, organization):
    socket = await connect(consumer_for(stranger))
    mine = await connect(consumer_for(owner))

    await off_loop(publish_now)(organization, "secret")
    await off_loop(announce_access_change)(organization_id=organization.id, user_id=stranger.user.id)

    assert await mine.numbers(1) == [1]
    assert await socket.is_quiet()
    await socket.leave()
    await mine.leave()


async def test_fifty_sockets_miss_nothing_of_two_hundred_events(owner, organization):
    sockets = [await connect(consumer_for(owner)) for _ in range(50)]

    for _ in range(40):
        await off_loop(publish_now)(organization, *["tick"] * 5)

    received = await asyncio.gather(*(socket.numbers(200) for socket in sockets))
    assert received == [list(range(1, 201))] * 50
    for socket in sockets:
        await socket.leave()
