"""Deleting: gone from the index at once, from storage after the commit, and proven."""

import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage
from pytest_django import Settings

from agencycore.errors import NotFound, Refused
from agencycore.tenancy import tenant
from knowledge.actions import delete_source
from knowledge.models import ChunkIndex, DeletionReceipt, KnowledgeChunk, KnowledgeSource, TermStats
from tests.knowledge.documents import find, ingested, reload
from tests.people import Person

CaptureCommit = Callable[..., AbstractContextManager[object]]
heard: list[tuple[uuid.UUID, uuid.UUID, int]] = []


def listener(*, organization_id: uuid.UUID, source_id: uuid.UUID, chunk_ids: Sequence[uuid.UUID]) -> dict[str, int]:
    heard.append((organization_id, source_id, len(chunk_ids)))
    return {"briefs": 7}


def delete(person: Person, source_id: uuid.UUID) -> DeletionReceipt:
    with tenant(person.actor.organization_id):
        return delete_source(actor=person.actor, source_id=source_id)


def test_a_deleted_source_is_gone_from_everywhere_and_the_receipt_proves_it(
    owner: Person, media: Path, django_capture_on_commit_callbacks: CaptureCommit
) -> None:
    source = ingested(owner)

    with django_capture_on_commit_callbacks(execute=True):
        delete(owner, source.id)

    with tenant(owner.actor.organization_id):
        counts = [model.objects.count() for model in (KnowledgeSource, KnowledgeChunk, ChunkIndex, TermStats)]
        receipt = DeletionReceipt.objects.get()
    assert counts == [0, 0, 0, 0]
    assert (receipt.chunks_removed, receipt.index_rows_removed, receipt.rows_remaining) == (3, 3, 0)
    assert (receipt.source_id, receipt.deleted_by_id, receipt.file_removed) == (source.id, owner.user.id, True)
    assert not list(media.rglob("original"))
    assert find(owner, "second class tickets refunded").hits == []


def test_nothing_is_found_as_soon_as_the_action_returns(owner: Person) -> None:
    source = ingested(owner)

    delete(owner, source.id)

    assert reload(owner, source.id).state == "deleting"
    assert find(owner, "second class tickets refunded").hits == []


def test_other_rooms_are_told_in_the_same_transaction(owner: Person, settings: Settings) -> None:
    settings.KNOWLEDGE_LISTENERS = ["tests.knowledge.test_deletion.listener"]
    source = ingested(owner)
    heard.clear()

    receipt = delete(owner, source.id)

    assert heard == [(owner.organization.id, source.id, 3)]
    assert receipt.redactions == {"briefs": 7}


def test_a_file_that_cannot_be_removed_leaves_a_source_that_says_so(
    owner: Person, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: CaptureCommit
) -> None:
    source = ingested(owner)

    def refuse(storage: FileSystemStorage, name: str) -> None:
        raise OSError("read-only")

    with monkeypatch.context() as patched:
        patched.setattr(FileSystemStorage, "delete", refuse)
        with django_capture_on_commit_callbacks(execute=True):
            delete(owner, source.id)
    assert reload(owner, source.id).state == "deleting"

    with django_capture_on_commit_callbacks(execute=True):
        delete(owner, source.id)

    with tenant(owner.actor.organization_id):
        assert KnowledgeSource.objects.count() == 0
        assert [receipt.file_removed for receipt in DeletionReceipt.objects.all()] == [True, True]


def test_an_admin_deletes_what_a_member_uploaded(owner: Person, admin: Person) -> None:
    source = ingested(owner)

    assert delete(admin, source.id).chunks_removed == 3


def test_another_member_is_refused_and_nothing_changes(owner: Person, teammate: Person) -> None:
    source = ingested(owner)

    with pytest.raises(Refused):
        delete(teammate, source.id)

    assert reload(owner, source.id).state == "ready"
    assert len(find(owner, "second class tickets refunded").hits) == 3


def test_a_stranger_finds_nothing_to_delete(owner: Person, stranger: Person) -> None:
    source = ingested(owner)

    with pytest.raises(NotFound) as foreign:
        delete(stranger, source.id)
    with pytest.raises(NotFound) as unknown:
        delete(stranger, uuid.uuid4())

    assert str(foreign.value) == str(unknown.value)
    assert reload(owner, source.id).state == "ready"
