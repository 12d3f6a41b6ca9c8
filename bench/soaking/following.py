"""Sockets of the soak: each follows one conversation as a page does, and comes back where it was when it is cut."""

import asyncio
import json
import random
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.processes.instance import Instance, Member

COME_BACK_SECONDS = 0.5
OPEN_SECONDS = 120
LEAVE_SECONDS = 120


class Follower:
    """``cut_every`` events it loses its connection, roughly; 0: never."""

    def __init__(self, site: Instance, member: Member, conversation: str, cut_every: int = 0) -> None:
        self.conversation = conversation
        self.last = 0
        self.gaps: list[str] = []
        self.final: set[str] = set()
        self.text: dict[str, str] = {}
        self.deltas = 0
        self.times_cut = 0
        self._site = site
        self._member = member
        self._cut_every = cut_every
        self._random = random.Random(conversation)  # noqa: S311 -- a repeatable soak, no secret

    async def follow(self, opened: asyncio.Semaphore) -> None:
        while True:
            with suppress(ConnectionClosed, InvalidHandshake, OSError, TimeoutError):
                async with opened:
                    socket = await self._open()
                async with socket:
                    await self._listen(socket)
            await asyncio.sleep(COME_BACK_SECONDS)

    async def _open(self) -> ClientConnection:
        return await connect(
            self._site.socket_address(self.conversation, self.last),
            additional_headers={"Cookie": self._member.cookie},
            origin=self._site.address,  # type: ignore[arg-type]
            open_timeout=OPEN_SECONDS,
            ping_timeout=None,
        )

    async def _listen(self, socket: ClientConnection) -> None:
        patience = self._random.randint(1, 2 * self._cut_every) if self._cut_every else None
        heard = 0
        async for text in socket:
            self._take(json.loads(text))
            heard += 1
            if patience is not None and heard >= patience:
                self.times_cut += 1
                return

    def _take(self, event: dict[str, Any]) -> None:
        payload = event["payload"]
        if event["type"] == "turn.delta":
            self._take_delta(payload)
        if event["number"] is None:
            return
        if event["number"] != self.last + 1:
            self.gaps.append(f"{event['number']} after {self.last} in {self.conversation}")
        self.last = max(self.last, event["number"])
        if event["type"] == "message.created" and payload.get("kind") == "reply":
            self.final.add(payload["turn"])

    def _take_delta(self, payload: dict[str, Any]) -> None:
        self.deltas += 1
        shown = self.text.get(payload["turn"], "")
        if payload["at"] == len(shown):
            self.text[payload["turn"]] = shown + payload["text"]


class Crowd:
    """Followers in an event loop of their own, until the block ends."""

    def __init__(self, followers: Sequence[Follower]) -> None:
        self.followers = followers
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> "Crowd":
        self._thread.start()
        opened = asyncio.Semaphore(20)
        for follower in self.followers:
            asyncio.run_coroutine_threadsafe(follower.follow(opened), self._loop)
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(_leave_all(), self._loop).result(LEAVE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def gaps(self) -> list[str]:
        return [gap for follower in self.followers for gap in follower.gaps]

    def have_all(self, lasts: dict[str, int]) -> bool:
        """Whether everybody is where their conversation's stream is."""
        return all(follower.last == lasts[follower.conversation] for follower in self.followers)


async def _leave_all() -> None:
    """Cancel whoever follows; sockets are closed on the way out."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
