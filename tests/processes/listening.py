"""What a page's socket hears, in a thread of its own: it never asks again by itself, the product has to tell."""

import json
import threading
from contextlib import suppress
from functools import partial
from typing import Any

from websockets.sync.client import connect

from tests.processes.instance import Instance, Member


class Listener:
    def __init__(self, instance: Instance, member: Member, conversation: str, after: int = 0) -> None:
        self.events: list[dict[str, Any]] = []
        self._knock = partial(
            connect,
            instance.socket_address(conversation, after),
            additional_headers={"Cookie": member.cookie},
            origin=instance.address,
            open_timeout=60,
        )
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        with self._knock() as socket:
            while not self._left.is_set():
                with suppress(TimeoutError):
                    self.events.append(json.loads(socket.recv(timeout=0.2)))

    @property
    def numbers(self) -> list[int]:
        """Of the stored events, as they came."""
        return [event["number"] for event in list(self.events) if event["number"] is not None]

    def states(self, turn: str) -> list[str]:
        told = [event["payload"] for event in list(self.events) if event["type"] == "turn.state"]
        return [payload["state"] for payload in told if payload["turn"] == turn]

    def leave(self) -> None:
        self._left.set()
        self._thread.join()
