"""Sources for tests: uploaded by a person, ingested in this process."""

import uuid

from django.core.files.base import ContentFile

from agencycore.dispatch.queue import Claim, claim
from agencycore.tenancy import tenant
from knowledge.actions import create_upload
from knowledge.candidates import Hit
from knowledge.ingestion import ingest
from knowledge.models import KnowledgeSource
from knowledge.search import SearchResult, search
from tests.people import Person

HANDBOOK = b"""# Travel handbook

Travel is booked by the office.

## Rail travel

Second class tickets are refunded within fourteen days when the receipt is attached.

## Hotels

A hotel night may cost up to 140 euros in Lisbon and 180 euros in Oslo.

| City | Limit |
|---|---|
| Lisbon | 140 |
| Oslo | 180 |
"""


def upload(person: Person, data: bytes = HANDBOOK, filename: str = "handbook.md", title: str = "") -> KnowledgeSource:
    with tenant(person.actor.organization_id):
        return create_upload(actor=person.actor, file=ContentFile(data, name=filename), filename=filename, title=title)


def take(source: KnowledgeSource) -> Claim:
    taken = claim(kind="ingestion", object_id=source.id)
    assert taken is not None
    return taken


def ingested(person: Person, data: bytes = HANDBOOK, filename: str = "handbook.md", title: str = "") -> KnowledgeSource:
    source = upload(person, data, filename, title)
    ingest(take(source))
    return reload(person, source.id)


def reload(person: Person, source_id: uuid.UUID) -> KnowledgeSource:
    with tenant(person.actor.organization_id):
        return KnowledgeSource.objects.get(id=source_id)


def find(person: Person, words: str, **options: object) -> SearchResult:
    with tenant(person.actor.organization_id):
        return search(actor_organization_id=person.actor.organization_id, query=words, **options)  # type: ignore[arg-type]


def texts(hits: list[Hit]) -> list[str]:
    return [hit.text for hit in hits]
