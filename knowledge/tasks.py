import uuid

from celery import shared_task

from agencycore.dispatch.queue import claim
from knowledge.ingestion import ingest


@shared_task(name="knowledge.ingest_source")
def ingest_source(organization_id: str, object_id: str) -> None:
    taken = claim(kind="ingestion", object_id=uuid.UUID(object_id))
    if taken is not None:
        ingest(taken)
