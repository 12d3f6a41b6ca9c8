"""Carrying claimed work to its end: under a renewed lease, with every fault met."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import Error

from agencycore.connections import give_back_connection
from agencycore.dispatch import queue
from agencycore.dispatch.heartbeat import holding
from agencycore.dispatch.sweeper import give_up

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2


def carry(held: queue.Claim, carry_out: Callable[[queue.Claim], None]) -> None:
    """Do the work. Stopped or taken over: nothing more; any other fault: given back, or given up at last."""
    with holding(held):
        try:
            carry_out(held)
        except queue.LostLease:
            logger.info("%s %s was stopped or taken over.", held.kind, held.object_id)
        except Exception:
            logger.exception("%s %s failed in attempt %d.", held.kind, held.object_id, held.attempt)
            _recover(held)


def _recover(held: queue.Claim) -> None:
    give_back_connection()  # where the fault was the database's, this one is broken
    faults = held.faults + 1
    if faults >= settings.MAX_ATTEMPTS:
        give_up(kind=held.kind, object_id=held.object_id, organization_id=held.organization_id)
        return
    try:
        queue.release(held, retry_in_seconds=RETRY_SECONDS * faults)
    except Error as error:
        logger.warning("%s %s could not be given back; its lease will end: %s", held.kind, held.object_id, error)
