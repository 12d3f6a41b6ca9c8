from celery import shared_task

from agencycore import warm_up
from agencycore.dispatch import sweeper

__all__ = ["sweep", "warm_up"]  # a worker that has read its tasks warms up


@shared_task(name="dispatch.sweep")
def sweep() -> None:
    sweeper.sweep()
