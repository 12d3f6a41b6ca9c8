import uuid

from celery import shared_task

from chat import turns


@shared_task(name="chat.process_turn")
def process_turn(organization_id: str, turn_id: str) -> None:
    turns.process_turn(organization_id=uuid.UUID(organization_id), turn_id=uuid.UUID(turn_id))
