import uuid

from celery import shared_task

from agencycore.dispatch.seats import get_seats
from chat import reports, turns


@shared_task(name="chat.process_turn")
def process_turn(organization_id: str, turn_id: str) -> None:
    with get_seats().taken():  # before the claim: what waits here is anybody's
        turns.process_turn(organization_id=uuid.UUID(organization_id), turn_id=uuid.UUID(turn_id))


@shared_task(name="chat.write_report")
def write_report(organization_id: str, run_id: str) -> None:
    with get_seats().taken():
        reports.process_report(organization_id=uuid.UUID(organization_id), run_id=uuid.UUID(run_id))
