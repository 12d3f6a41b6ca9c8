"""Database reads of sockets and SSE: off the one thread that all of Channels' own calls share."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

from channels.db import database_sync_to_async

Result = TypeVar("Result")

READER_THREADS = 4
_readers = ThreadPoolExecutor(READER_THREADS, thread_name_prefix="stream-reader")


def off_loop(read: Callable[..., Result]) -> Callable[..., Awaitable[Result]]:
    """``read`` on one of a few threads of our own, its connection closed after it."""
    return cast(
        Callable[..., Awaitable[Result]], database_sync_to_async(read, thread_sensitive=False, executor=_readers)
    )
