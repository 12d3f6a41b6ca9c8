"""Uploading: what is taken, once, under which name."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from pytest_django import Settings

from agencycore.dispatch.models import Dispatch
from agencycore.errors import NotFound, Refused
from agencycore.tenancy import tenant
from knowledge.actions import create_upload, delete_source, retry_ingestion
from knowledge.models import KnowledgeChunk, KnowledgeSource
from knowledge.uploads import EmptyFile, FileTooLarge, clean_filename
from tests.knowledge.documents import HANDBOOK, find, ingested, reload, upload
from tests.people import Person


def test_an_upload_is_stored_in_the_organizations_folder_and_queued(owner: Person, media: Path) -> None:
    source = upload(owner)

    assert source.file.name == f"knowledge/{owner.organization.id}/{source.id}/original"
    assert (media / source.file.name).read_bytes() == HANDBOOK
    assert source.uploaded_by_id == owner.user.id
    assert Dispatch.objects.get().object_id == source.id


def test_the_same_file_twice_is_one_source(owner: Person, teammate: Person) -> None:
    first = upload(owner)
    second = upload(teammate, filename="copy.md")

    assert second.id == first.id
    with tenant(owner.actor.organization_id):
        assert KnowledgeSource.objects.count() == 1
    assert Dispatch.objects.count() == 1


def test_two_organizations_may_hold_the_same_file(owner: Person, stranger: Person) -> None:
    assert ingested(owner).id != ingested(stranger).id


def test_the_same_file_twice_gives_one_set_of_passages(owner: Person) -> None:
    ingested(owner)
    upload(owner)

    with tenant(owner.actor.organization_id):
        assert KnowledgeChunk.objects.count() == 3


def test_uploading_a_failed_file_again_tries_it_again(owner: Person) -> None:
    failed = ingested(owner, b" ", "blank.txt")
    assert failed.state == "failed"

    again = upload(owner, b" ", "blank.txt")

    assert (again.id, again.state, again.failure_code) == (failed.id, "uploaded", "")
    assert Dispatch.objects.get().object_id == failed.id


def test_the_same_file_is_taken_again_after_its_deletion(owner: Person) -> None:
    first = ingested(owner)
    with tenant(owner.actor.organization_id):
        delete_source(actor=owner.actor, source_id=first.id)

    second = ingested(owner)

    assert second.id != first.id
    assert second.state == "ready"
    assert len(find(owner, "second class tickets refunded").hits) == 3


@pytest.mark.parametrize(("data", "error"), [(b"", EmptyFile), (b"x" * 101, FileTooLarge)])
def test_an_empty_or_oversized_file_is_refused_and_nothing_is_kept(
    owner: Person, settings: Settings, media: Path, data: bytes, error: type[Exception]
) -> None:
    settings.UPLOAD_MAX_BYTES = 100

    with pytest.raises(error), tenant(owner.actor.organization_id):
        create_upload(actor=owner.actor, file=ContentFile(data), filename="x.txt")

    with tenant(owner.actor.organization_id):
        assert KnowledgeSource.objects.count() == 0
    assert not media.exists()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\price list.html", "price list.html"),
        ("a\x00b\n\u202ecod.exe.txt", "abcod.exe.txt"),
        ("..", "document"),
        ("", "document"),
        ("x" * 300 + ".md", "x" * 252 + ".md"),
    ],
)
def test_a_file_name_is_cleaned(sent: str, kept: str) -> None:
    assert clean_filename(sent) == kept


def test_any_member_retries_a_failed_source_and_nobody_a_ready_one(owner: Person, teammate: Person) -> None:
    failed = ingested(owner, b" ", "blank.txt")
    ready = ingested(owner)

    with tenant(owner.actor.organization_id):
        assert retry_ingestion(actor=teammate.actor, source_id=failed.id).state == "uploaded"
        with pytest.raises(Refused):
            retry_ingestion(actor=teammate.actor, source_id=ready.id)

    assert reload(owner, ready.id).state == "ready"


def test_a_stranger_cannot_retry(owner: Person, stranger: Person) -> None:
    failed = ingested(owner, b" ", "blank.txt")

    with pytest.raises(NotFound), tenant(stranger.actor.organization_id):
        retry_ingestion(actor=stranger.actor, source_id=failed.id)

    assert reload(owner, failed.id).state == "failed"
