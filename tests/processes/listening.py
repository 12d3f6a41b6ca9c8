"""What a page's socket hears, in a thread of its own: it never asks again by itself, the product has to tell."""

import json
import threading
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.processes.instance import Instance, Member


class Listener:
    def __init__(self, instance: Instance, member: Member, conversation: str, after: int = 0) -> None:
        self.events: list[dict[str, Any]] = []
        self._socket = connect(
            instance.socket_address(conversation, after),
            additional_headers={"Cookie": member.cookie},
            origin=instance.address,  # type: ignore[arg-type]
            open_timeout=60,
            legacy=True,
        )
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        try:
            for text in self._socket:
                self.events.append(json.loads(text))
        except ConnectionClosed:
            return

    @property
    def numbers(self) -> list[int]:
        """Of the stored events, as they came."""
        return [event["number"] for event in list(self.events) if event["number"] is not None]

    def states(self, turn: str) -> list[str]:
        told = [event["payload"] for event in list(self.events) if event["type"] == "turn.state"]
        return [payload["state"] for payload in told if payload["turn"] == turn]

    def leave(self) -> None:
        self._socket.close()
        self._thread.join()
