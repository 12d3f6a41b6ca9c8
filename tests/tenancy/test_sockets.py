"""Whatever id of somebody else a socket is opened with or told: same frames and statements as for an unknown one.

The sockets come from the routing, their commands from each consumer's own table, and the names in a command are those
that it reads. A socket that no row opens for its own people, and a consumer that listens past its table, fail the walk.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Iterator
from functools import partial
from typing import Any, cast

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.urls import URLPattern

from agencycore.asgi import application
from agencycore.streams.consumer import CLOSE_MALFORMED, CLOSE_NOT_FOUND, StreamConsumer
from agencycore.streams.events import StreamEvent
from agencycore.streams.subscription import Subscription
from agencycore.urls import websocket_urlpatterns
from tests.sockets import PATIENCE_SECONDS, Socket
from tests.tenancy.addresses import Address
from tests.tenancy.asking import Nobodys, Outcome, outcome_of, unknown_like
from tests.tenancy.recording import Noted
from tests.tenancy.walking import Walk
from tests.tenancy.world import World

pytestmark = pytest.mark.django_db

ORIGIN = (b"origin", b"http://127.0.0.1")
# Where a stream is read from: a number says a place in the asker's own stream, whoever else has such an id.
POSITIONS = {"after"}
ROWS_TRIED = 2
SOCKETS = {pattern: cast(Any, pattern.callback).consumer_class for pattern in websocket_urlpatterns}


def test_every_socket_listens_to_the_commands_of_its_table_alone():
    assert SOCKETS
    for consumer in SOCKETS.values():
        assert consumer.receive is StreamConsumer.receive
        assert consumer.connect is StreamConsumer.connect
        assert consumer.commands


@pytest.mark.parametrize("pattern", SOCKETS, ids=str)
def test_every_socket_closes_for_a_foreign_id_as_for_an_unknown_one(walk: Walk, pattern: URLPattern):
    for theirs, asker in walk.askers:
        _find_own(asker, pattern)
        visit = _Visits(asker)
        for ids in theirs.ids.values():
            for path, nowhere in _paths(pattern, ids[:ROWS_TRIED]):
                one, none = (visit(each, *_well_formed(pattern)) for each in (path, nowhere))
                assert one.difference_to(none) == "", path
                assert one.status == ("websocket.accept", CLOSE_NOT_FOUND)


@pytest.mark.parametrize("pattern", SOCKETS, ids=str)
def test_every_command_takes_a_foreign_id_as_an_unknown_one(walk: Walk, pattern: URLPattern, monkeypatch):
    monkeypatch.setattr(SOCKETS[pattern], "subscription_class", Silent)
    for theirs, asker in walk.askers:
        visit, path = _Visits(asker), _find_own(asker, pattern)
        for command, name in _names(pattern):
            nobodys = Nobodys(partial(_say, visit, path, command, name))
            for foreign in theirs.first_ids():
                if not (foreign.isdigit() and name in POSITIONS):
                    assert nobodys.difference(foreign) == "", (command, name, foreign)


class Silent(Subscription):
    """It reads nothing by itself, so that the statements are those of the commands."""

    async def events(self) -> AsyncGenerator[StreamEvent]:
        await asyncio.Event().wait()
        yield StreamEvent(None, "never", {})


def _find_own(world: World, pattern: URLPattern) -> str:
    """The path of a socket that a row of the asker's own opens."""
    visit = _Visits(world)
    for ids in world.ids.values():
        for path, _ in _paths(pattern, ids[:ROWS_TRIED]):
            if visit(path).status == ("websocket.accept", CLOSE_MALFORMED):
                return path
    raise AssertionError(f"no row of the world opens {pattern}; make one in tests/tenancy/world.py")


def _paths(pattern: URLPattern, ids: list[str]) -> Iterator[tuple[str, str]]:
    """The path with each of ``ids`` that fits, and that with an unknown one."""
    address = Address(f"/{pattern.pattern}", "", None)
    for values in address.fillings(ids):
        unknown = {name: unknown_like(value) if value in ids else value for name, value in values.items()}
        yield f"{address.fill(values)}?after=0", f"{address.fill(unknown)}?after=0"


def _names(pattern: URLPattern) -> Iterator[tuple[str, str]]:
    """Each command, with each name that it reads."""
    for command, act in SOCKETS[pattern].commands.items():
        read: dict[object, None] = {}
        act(SOCKETS[pattern](), Noted({"type": command}, lambda name, read=read: read.setdefault(name)))
        yield from ((command, str(name)) for name in read)


def _well_formed(pattern: URLPattern) -> Iterator[dict[str, object]]:
    """Each command with a position in what it reads."""
    for command in SOCKETS[pattern].commands:
        yield {"type": command} | {name: 0 for each, name in _names(pattern) if each == command}


def _say(visit: "_Visits", path: str, command: str, name: str, value: str) -> Outcome:
    return visit(path, {"type": command, name: value})


class _Visits:
    """Knocks as one person, says it, and hears all there is: how it began and ended, the frames, the statements."""

    def __init__(self, world: World) -> None:
        name = settings.SESSION_COOKIE_NAME
        self._cookie = f"{name}={world.person.client.cookies[name].value}"

    def __call__(self, path: str, *said: object) -> Outcome:
        return outcome_of(lambda: async_to_sync(_conversation)(path, self._cookie, said))


async def _conversation(path: str, cookie: str, said: Iterable[object]) -> tuple[object, str]:
    """The last word is malformed, so that every socket is closed in the end."""
    socket = Socket(application, path, [ORIGIN, (b"cookie", cookie.encode())])
    begun = await socket.open()
    frames = []
    for each in (*map(json.dumps, said), ""):
        await socket.say(each)
    while (message := await socket.receive_output(PATIENCE_SECONDS))["type"] == "websocket.send":
        frames.append(message["text"])
    await socket.leave()
    return (begun, message["code"]), "\n".join(frames)
