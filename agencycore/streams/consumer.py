"""The one socket: authorise, join, replay, forward."""

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import ClassVar
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer

from agencycore.errors import NotFound
from agencycore.streams.database import off_loop
from agencycore.streams.subscription import AccessChanged, Reading, Subscription

logger = logging.getLogger(__name__)

# The same for what is unknown, foreign, deleted, or asked for without a log-in.
CLOSE_NOT_FOUND = 4404
# The person's membership changed; knocking again gives them what they may see now.
CLOSE_ACCESS_CHANGED = 4409
CLOSE_MALFORMED = 4400
CLOSE_TRY_AGAIN = 1011


class StreamConsumer(AsyncWebsocketConsumer, ABC):
    """Forwards one stream to one socket.

    ``?after=N`` names the last number the client has; ``{"type": "resume", "after": N}`` says it
    again at any time. A subclass says in ``read`` what the person may see.
    """

    # No such layer: Channels would refuse the socket while Redis is away. The Subscription joins.
    channel_layer_alias = "none"
    subscription_class = Subscription
    # What a client may say, by its type; each answers whether it was well-formed.
    commands: ClassVar[Mapping[str, Callable[["StreamConsumer", Mapping[str, object]], bool]]] = {
        "resume": lambda socket, said: socket.resume(said)
    }

    _subscription: Subscription | None = None
    _forwarding: asyncio.Task[None] | None = None

    @abstractmethod
    def read(self, after: int) -> Reading:
        """Check the person's rights and read what lies beyond ``after``; raises NotFound."""

    async def connect(self) -> None:
        await self.accept()  # a socket refused before this shows no close code to the page
        after = _number(parse_qs(self.scope["query_string"].decode("latin-1")).get("after", ["0"])[0])
        if after is None:
            await self.close(CLOSE_MALFORMED)
            return
        try:
            reading = await off_loop(self.read)(after)
        except NotFound:
            await self.close(CLOSE_NOT_FOUND)
            return
        self._subscription = self.subscription_class(reading.address, after, off_loop(self.read))
        self._forwarding = asyncio.create_task(self._forward(self._subscription))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        said = _command(text_data)
        act = self.commands.get(str(said.get("type")))
        if act is None or not act(self, said):
            await self.close(CLOSE_MALFORMED)

    def resume(self, said: Mapping[str, object]) -> bool:
        after = _number(said.get("after"))
        if after is not None and self._subscription is not None:
            self._subscription.rewind(after)
        return after is not None

    async def disconnect(self, code: int) -> None:
        if self._forwarding is not None:
            self._forwarding.cancel()
            with suppress(asyncio.CancelledError):
                await self._forwarding

    async def _forward(self, subscription: Subscription) -> None:
        try:
            async for event in subscription.events():
                await self.send(text_data=json.dumps(event.as_json()))
        except NotFound:
            await self.close(CLOSE_NOT_FOUND)
        except AccessChanged:
            await self.close(CLOSE_ACCESS_CHANGED)
        except Exception:
            # The page reconnects and replays; the task has nobody else to raise to.
            logger.exception("A socket's subscription failed")
            await self.close(CLOSE_TRY_AGAIN)


def _command(text: str | None) -> Mapping[str, object]:
    """What a client said; empty for anything that is no JSON object."""
    try:
        said = json.loads(text or "")
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _number(value: object) -> int | None:
    """A stream number as a client sends it; None for anything else."""
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None
