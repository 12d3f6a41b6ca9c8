"""Waking a worker: one short attempt, then silence for a while.

A person waits for the request that rings, so nothing is tried twice here, and a broker that is away or hangs costs
them a second at most. Whoever was not rung for is found by the sweeper.
"""

import logging
import time
import uuid
from collections.abc import Mapping
from functools import cache

from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError
from kombu.pools import producers
from redis.exceptions import RedisError

from agencycore.celery import app

logger = logging.getLogger(__name__)

# A doorbell that nobody hears in this time is useless: the sweeper has rung again by then.
RING_EXPIRES_SECONDS = 120
TIMEOUT_SECONDS = 1.0
# As long as the sockets' doorbell is silent after a failure.
SILENCE_SECONDS = 5.0
# Workers are patient with the broker; whoever rings is not.
IMPATIENT: Mapping[str, object] = {
    "socket_timeout": TIMEOUT_SECONDS,
    "socket_connect_timeout": TIMEOUT_SECONDS,
    "max_retries": 0,
}


class WorkDoorbell:
    def __init__(self, url: str) -> None:
        self._broker = Connection(url, transport_options=dict(IMPATIENT))
        self._silent_until = 0.0

    def ring(self, *, kind: str, object_id: uuid.UUID, organization_id: uuid.UUID) -> None:
        """Send the task of ``kind``; never raises."""
        if time.monotonic() < self._silent_until:
            return
        try:
            with producers[self._broker].acquire(block=True) as producer:
                app.send_task(
                    settings.DISPATCH_TASKS[kind],
                    args=[str(organization_id), str(object_id)],
                    expires=RING_EXPIRES_SECONDS,
                    retry=False,
                    producer=producer,
                )
        except (OperationalError, RedisError, OSError) as error:
            self._silent_until = time.monotonic() + SILENCE_SECONDS
            logger.warning("Could not ring for %s %s, the sweeper will: %s", kind, object_id, error)
        except Exception:
            logger.exception("Could not ring for %s %s; the sweeper will.", kind, object_id)


@cache
def get_work_doorbell() -> WorkDoorbell:
    return WorkDoorbell(settings.CELERY_BROKER_URL)
