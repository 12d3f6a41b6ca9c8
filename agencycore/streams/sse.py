"""The one server-sent events response: numbered, resumable, no transaction held between events."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress

from django.http import HttpRequest, StreamingHttpResponse

from agencycore.errors import NotFound
from agencycore.streams.events import StreamEvent
from agencycore.streams.subscription import AccessChanged, Read, Reading, Subscription

# Proxies cut silent connections, often after a minute.
KEEP_ALIVE_SECONDS = 15.0

# What of an event is sent, and whether the response ends after it.
Select = Callable[[StreamEvent], tuple[bool, bool]]


def last_event_id(request: HttpRequest) -> int:
    """The number the client has, from ``Last-Event-ID``; 0 when it has none."""
    value = request.headers.get("Last-Event-ID", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) <= 15 else 0


def event_response(reading: Reading, after: int, read: Read, select: Select) -> StreamingHttpResponse:
    """Send the selected events of the stream that ``reading`` names, until ``select`` ends it."""
    return frame_response(event_frames(reading, after, read, select))


def event_frames(reading: Reading, after: int, read: Read, select: Select) -> AsyncGenerator[str]:
    return _frames(Subscription(reading.address, after, read), select)


def frame_response(frames: AsyncGenerator[str]) -> StreamingHttpResponse:
    response = StreamingHttpResponse(frames, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _frames(subscription: Subscription, select: Select) -> AsyncGenerator[str]:
    events = subscription.events()
    upcoming: asyncio.Future[StreamEvent] | None = None
    try:
        with suppress(NotFound, AccessChanged, StopAsyncIteration):
            while True:
                upcoming = upcoming or asyncio.ensure_future(anext(events))
                done, _ = await asyncio.wait([upcoming], timeout=KEEP_ALIVE_SECONDS)
                if not done:
                    yield ": still here\n\n"
                    continue
                event, upcoming = upcoming.result(), None
                wanted, is_last = select(event)
                if wanted:
                    yield frame(event)
                if is_last:
                    return
    finally:
        if upcoming is not None:
            upcoming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, NotFound, AccessChanged):
                await upcoming
        await events.aclose()


def frame(event: StreamEvent) -> str:
    """One event in the wire form; a live one carries no id, so that a resume never skips stored ones."""
    lines: Iterable[str] = (
        *((f"id: {event.number}",) if event.number is not None else ()),
        f"event: {event.type}",
        f"data: {json.dumps(dict(event.payload))}",
    )
    return "\n".join(lines) + "\n\n"
