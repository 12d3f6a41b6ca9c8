"""One reader's place in one stream: join the group, replay from the database, then live."""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from redis.exceptions import RedisError

from agencycore.streams.events import REPLAY_LIMIT, StreamEvent
from agencycore.streams.groups import group_name, socket_layer, user_subject

logger = logging.getLogger(__name__)

# Redis announces no reconnect: while something is live, numbers are compared this often.
POLL_SECONDS = 5.0
IDLE_POLL_SECONDS = 30.0
JOIN_TIMEOUT_SECONDS = 2.0
REJOIN_SECONDS_MAX = 60.0

LayerMessage = Mapping[str, object]
CATCH_UP: LayerMessage = {"type": "catch.up"}


@dataclass(frozen=True, slots=True)
class StreamAddress:
    stream: str
    organization_id: uuid.UUID
    user_id: int

    @property
    def groups(self) -> tuple[str, str]:
        return (
            group_name(self.organization_id, self.stream),
            group_name(self.organization_id, user_subject(self.user_id)),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What the database says to a reader whose rights were just checked.

    ``events`` are at most REPLAY_LIMIT, in order. ``is_live``: more is expected soon; ``is_over``:
    for this reader nothing comes after them.
    """

    address: StreamAddress
    events: tuple[StreamEvent, ...]
    is_live: bool = False
    is_over: bool = False


# Reads what lies beyond a number; raises agencycore.errors.NotFound when the reader may not.
Read = Callable[[int], Awaitable[Reading]]


class AccessChanged(Exception):
    """The reader's membership changed: whoever they are now, they have to knock again."""


class Subscription:
    """Gives every event beyond ``after`` once and in order, whatever Redis does."""

    poll_seconds = POLL_SECONDS
    idle_poll_seconds = IDLE_POLL_SECONDS

    def __init__(self, address: StreamAddress, after: int, read: Read) -> None:
        self._address = address
        self._read = read
        self._last = after
        self._inbox: asyncio.Queue[LayerMessage] = asyncio.Queue()
        self._joined = asyncio.Event()
        self._is_live = True
        self._is_over = False

    def rewind(self, after: int) -> None:
        """Give what lies beyond ``after`` again: the client knows best what it has."""
        self._last = after
        self._inbox.put_nowait(CATCH_UP)

    async def events(self) -> AsyncGenerator[StreamEvent]:
        """Ends where a reading is over. Raises NotFound or AccessChanged when the reader has to go."""
        listener = asyncio.create_task(self._listen())
        try:
            while not self._is_over:
                async for event in self._next():
                    yield event
        finally:
            listener.cancel()
            with suppress(asyncio.CancelledError):
                await listener

    async def _next(self) -> AsyncGenerator[StreamEvent]:
        """What one message of the layer, or the silence of one poll interval, brings."""
        try:
            message = await asyncio.wait_for(self._inbox.get(), self._patience())
        except TimeoutError:
            message = CATCH_UP
        if message["type"] == "access.changed":
            raise AccessChanged
        if message["type"] == "catch.up":
            async for event in self._replay():
                yield event
            return
        for event in _stream_events(message):
            async for due in self._in_order(event):
                yield due

    async def _in_order(self, event: StreamEvent) -> AsyncGenerator[StreamEvent]:
        if event.number is None:
            yield event
        elif event.number == self._last + 1:
            self._last = event.number
            self._is_live = True  # until the database says otherwise
            yield event
        elif event.number > self._last:
            async for missed in self._replay():
                yield missed

    async def _replay(self) -> AsyncGenerator[StreamEvent]:
        while True:
            reading = await self._read(self._last)
            self._is_live = reading.is_live
            for event in reading.events:
                self._last = self._last if event.number is None else event.number
                yield event
            if len(reading.events) < REPLAY_LIMIT:
                self._is_over = reading.is_over
                return

    def _patience(self) -> float:
        return self.poll_seconds if self._is_live or not self._joined.is_set() else self.idle_poll_seconds

    async def _listen(self) -> None:
        """Keep hearing the groups. While Redis is away the poll goes on without us."""
        pause = 1.0
        while True:
            try:
                channel = await asyncio.wait_for(self._join(), JOIN_TIMEOUT_SECONDS)
                self._joined.set()
                # What was published before we joined is in the database.
                self._inbox.put_nowait(CATCH_UP)
                pause = 1.0
                await self._hear(channel)
            except (RedisError, OSError, TimeoutError) as error:
                self._inbox.put_nowait(CATCH_UP)
                logger.warning("Not hearing %s, polling: %s", self._address.stream, error)
            finally:
                self._joined.clear()
            await asyncio.sleep(pause)
            pause = min(pause * 2, REJOIN_SECONDS_MAX)

    async def _join(self) -> str:
        layer = socket_layer()
        channel: str = await layer.new_channel()
        for group in self._address.groups:
            await layer.group_add(group, channel)
        return channel

    async def _hear(self, channel: str) -> None:
        layer = socket_layer()
        try:
            while True:
                self._inbox.put_nowait(await layer.receive(channel))
        finally:
            for group in self._address.groups:
                with suppress(RedisError, OSError):
                    await layer.group_discard(group, channel)


def _stream_events(message: LayerMessage) -> list[StreamEvent]:
    events = cast(list[dict[str, object]], message["events"])
    return [
        StreamEvent(cast(int | None, event["number"]), str(event["type"]), cast(Mapping[str, object], event["payload"]))
        for event in events
    ]
