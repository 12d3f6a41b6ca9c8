"""Passages as records."""

import uuid
from pathlib import Path

from agencycore.tenancy import tenant
from knowledge.models import KnowledgeChunk, KnowledgeSource
from knowledge.platform_docs import sync_platform_docs
from knowledge.readers import KnowledgeChunkReader
from tests.knowledge.documents import ingested
from tests.people import Person

reader = KnowledgeChunkReader()


def read(person: Person, ids: list[str]) -> list[str]:
    with tenant(person.actor.organization_id):
        return [projection.ref.id for projection in reader.read(person.actor, ids)]


def chunk_ids(person: Person, source: KnowledgeSource) -> list[str]:
    with tenant(person.actor.organization_id):
        return [str(chunk.id) for chunk in KnowledgeChunk.objects.filter(source=source)]


def test_a_passage_is_read_with_its_text_position_and_address(owner: Person, teammate: Person) -> None:
    source = ingested(owner)
    ids = chunk_ids(owner, source)

    with tenant(owner.actor.organization_id):
        (projection,) = reader.read(teammate.actor, [ids[1]])

    assert (projection.title, projection.url) == ("Travel handbook", f"/knowledge/{source.id}/#chunk-2")
    assert {field.name: field.value for field in projection.fields} == {
        "position": "Travel handbook › Rail travel",
        "text": "Second class tickets are refunded within fourteen days when the receipt is attached.",
    }
    assert reader.in_scope is False


def test_a_stranger_reads_nothing(owner: Person, stranger: Person) -> None:
    ids = chunk_ids(owner, ingested(owner))

    assert read(owner, ids) == ids
    assert read(stranger, [*ids, str(uuid.uuid4()), "malformed"]) == []


def test_a_stranger_reads_nothing_even_without_the_filter(owner: Person, stranger: Person) -> None:
    source = ingested(owner)

    with tenant(stranger.actor.organization_id):
        assert KnowledgeChunk.objects.filter(source_id=source.id).count() == 0
        assert KnowledgeSource.objects.count() == 0


def test_passages_of_a_source_that_is_not_ready_are_absent(owner: Person) -> None:
    source = ingested(owner)
    ids = chunk_ids(owner, source)
    with tenant(owner.actor.organization_id):
        KnowledgeSource.objects.filter(id=source.id).update(state="deleting")

    assert read(owner, ids) == []


def test_everybody_reads_the_platforms_passages(owner: Person, stranger: Person, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Limits\n\nA message has at most 8,000 characters.")
    sync_platform_docs(tmp_path)
    with tenant(owner.actor.organization_id):
        ids = [str(chunk.id) for chunk in KnowledgeChunk.objects.filter(organization__isnull=True)]

    assert len(ids) == 1
    assert read(owner, ids) == read(stranger, ids) == ids
