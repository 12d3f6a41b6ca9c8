import uuid

from celery import shared_task

from chat import reports, turns


@shared_task(name="chat.process_turn")
def process_turn(organization_id: str, turn_id: str) -> None:
    turns.process_turn(organization_id=uuid.UUID(organization_id), turn_id=uuid.UUID(turn_id))


@shared_task(name="chat.write_report")
def write_report(organization_id: str, run_id: str) -> None:
    reports.process_report(organization_id=uuid.UUID(organization_id), run_id=uuid.UUID(run_id))
