"""How many requests of the API a person may make in a minute, counted in Redis: by all processes together.

The message limit is counted in the database, for it is a promise. This one is a guard against programs that have run
wild: without Redis nothing is refused.
"""

import logging
from functools import cache
from math import ceil
from time import monotonic, time

from django.conf import settings
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

logger = logging.getLogger(__name__)

WINDOW_SECONDS = 60
KEY_PREFIX = "api_requests"
TIMEOUT_SECONDS = 0.5
# After a failure nothing is counted for a while, so that no request waits for a Redis that hangs.
SILENCE_SECONDS = 5.0


class RequestThrottle(BaseThrottle):
    """For the views that are DRF's; whoever is nobody is known by their address."""

    _wait: int | None = None

    def allow_request(self, request: Request, view: object) -> bool:
        self._wait = _counter().seconds_to_wait(_who(request))
        return self._wait is None

    def wait(self) -> float | None:
        return self._wait


def count_request(user_id: int) -> None:
    """For the views that are none of DRF's. Raises Throttled."""
    wait = _counter().seconds_to_wait(f"user:{user_id}")
    if wait is not None:
        raise Throttled(wait=wait)


class RequestCounter:
    """Requests by clock minutes: one key for each person and minute, counted up by Redis itself."""

    def __init__(self, url: str) -> None:
        options = {
            "socket_timeout": TIMEOUT_SECONDS,
            "socket_connect_timeout": TIMEOUT_SECONDS,
            # One retry: the first use of a connection that Redis closed at its restart fails.
            "retry": Retry(NoBackoff(), 1),
        }
        self._cache = RedisCache(url, {"OPTIONS": options})
        self._silent_until = 0.0

    def seconds_to_wait(self, who: str) -> int | None:
        """Count one request of ``who``; None while they may make it. A failure is logged, never raised."""
        if monotonic() < self._silent_until:
            return None
        now = time()
        try:
            count = self._count(f"{KEY_PREFIX}:{who}:{int(now // WINDOW_SECONDS)}")
        except (RedisError, OSError) as error:
            self._silent_until = monotonic() + SILENCE_SECONDS
            logger.warning("Requests of the API could not be counted, so none is refused: %s", error)
            return None
        return None if count <= settings.API_REQUESTS_PER_MINUTE else ceil(WINDOW_SECONDS - now % WINDOW_SECONDS)

    def _count(self, key: str) -> int:
        self._cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
        try:
            return self._cache.incr(key)
        except ValueError:  # Redis was emptied between the two
            return 1


@cache
def _counter() -> RequestCounter:
    return RequestCounter(settings.REDIS_URL)


def _who(request: Request) -> str:
    if request.user.is_authenticated:
        return f"user:{request.user.pk}"
    return f"address:{request.META.get('REMOTE_ADDR', '')}"
