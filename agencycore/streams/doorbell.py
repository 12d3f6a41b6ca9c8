"""Waking sockets from any process: one long-lived Redis connection, the pub/sub layer's own wire format.

The layer's ``group_send`` needs an event loop, and from synchronous code opens a connection per call.
"""

import logging
import time
from collections.abc import Mapping
from functools import cache

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from agencycore.streams.groups import socket_layer

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 1.0
# After a failure nothing is tried for a while: sockets poll, and a turn must not wait at every event.
SILENCE_SECONDS = 5.0


class Doorbell:
    def __init__(self, url: str) -> None:
        # One retry: the first use of a connection that Redis closed at its restart fails.
        self._redis = redis.Redis.from_url(
            url,
            socket_timeout=TIMEOUT_SECONDS,
            socket_connect_timeout=TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )
        self._silent_until = 0.0

    def ring(self, group: str, message: Mapping[str, object]) -> None:
        """Send ``message`` to the sockets of ``group``. A failure is logged, never raised."""
        if time.monotonic() < self._silent_until:
            return
        try:
            self._redis.publish(_redis_channel(group), socket_layer().serialize(dict(message)))
        except (redis.RedisError, OSError) as error:
            self._silent_until = time.monotonic() + SILENCE_SECONDS
            logger.warning("Sockets could not be woken, they will poll: %s", error)


@cache
def get_doorbell() -> Doorbell:
    return Doorbell(settings.REDIS_URL)


def _redis_channel(group: str) -> str:
    return f"{settings.CHANNEL_PREFIX}__group__{group}"
