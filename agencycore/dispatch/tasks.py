from celery import shared_task

from agencycore.dispatch import sweeper


@shared_task(name="dispatch.sweep")
def sweep() -> None:
    sweeper.sweep()
