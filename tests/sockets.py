"""A client for one socket, in the test's own event loop.

``channels.testing`` would need a second web server installed for its live-server class.
"""

import asyncio
import json

from asgiref.testing import ApplicationCommunicator

PATIENCE_SECONDS = 10


class Socket(ApplicationCommunicator):
    def __init__(self, application, path, headers=(), **scope):
        path, _, query = path.partition("?")
        super().__init__(
            application,
            {
                "type": "websocket",
                "path": path,
                "query_string": query.encode(),
                "headers": list(headers),
                "subprotocols": [],
                **scope,
            },
        )

    async def open(self):
        """Knock; returns the first answer's type, websocket.accept or websocket.close."""
        await self.send_input({"type": "websocket.connect"})
        return (await self.receive_output(PATIENCE_SECONDS))["type"]

    async def say(self, text):
        await self.send_input({"type": "websocket.receive", "text": text})

    async def hear(self):
        """The next event; fails if the socket is closed instead."""
        message = await self.receive_output(PATIENCE_SECONDS)
        assert message["type"] == "websocket.send", message
        return json.loads(message["text"])

    async def numbers(self, count):
        return [(await self.hear())["number"] for _ in range(count)]

    async def close_code(self):
        message = await self.receive_output(PATIENCE_SECONDS)
        assert message["type"] == "websocket.close", message
        return message["code"]

    async def leave(self):
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(PATIENCE_SECONDS)

    async def is_quiet(self):
        await asyncio.sleep(0)
        return await self.receive_nothing()
