"""The platform's pages: incremental, for everyone, beside the organization's own documents."""

import uuid
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, transaction

from agencycore.tenancy import platform_writer, tenant
from knowledge import platform_docs
from knowledge.candidates import Hit
from knowledge.models import ChunkIndex, KnowledgeChunk, KnowledgeSource, TermStats
from knowledge.platform_docs import sync_platform_docs
from knowledge.search import share_out
from tests.knowledge.documents import find, ingested
from tests.people import Person

LIMITS = "# Limits\n\nA message may have at most eight thousand characters.\n"
STAGES = "# Lifecycle stages\n\nA lifecycle stage says how far a company has come towards being a customer.\n"


@pytest.fixture
def folder(tmp_path: Path, db: None) -> Path:
    pages = tmp_path / "handbook"
    pages.mkdir()
    (pages / "limits.md").write_text(LIMITS)
    (pages / "stages.md").write_text(STAGES)
    return pages


def changes(folder: Path) -> dict[str, str]:
    return {result.path.rsplit("/", 1)[-1]: result.change for result in sync_platform_docs(folder)}


def test_only_changed_pages_are_read_again_and_vanished_ones_removed(folder: Path) -> None:
    assert changes(folder) == {"limits.md": "added", "stages.md": "added"}
    assert changes(folder) == {"limits.md": "unchanged", "stages.md": "unchanged"}

    (folder / "limits.md").write_text(LIMITS + "\nAnd one image.\n")
    (folder / "stages.md").unlink()
    assert changes(folder) == {"limits.md": "updated", "stages.md": "removed"}

    with platform_writer():
        assert [source.title for source in KnowledgeSource.objects.all()] == ["Limits"]
        assert KnowledgeChunk.objects.count() == ChunkIndex.objects.count() == 1
        (folder / "limits.md").unlink()
    assert changes(folder) == {"limits.md": "removed"}
    with platform_writer():
        assert TermStats.objects.count() == 0


def test_a_change_of_the_index_reads_every_page_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes(folder)
    monkeypatch.setattr(platform_docs, "indexed_as", lambda name: f"99:{name}")

    assert changes(folder) == {"limits.md": "updated", "stages.md": "updated"}


def test_every_organization_finds_the_pages_beside_its_own(folder: Path, owner: Person, stranger: Person) -> None:
    changes(folder)
    ingested(owner, b"Lifecycle stages of our customers: a lead becomes a customer after signing.", "ours.txt")

    assert [hit.is_platform for hit in find(stranger, "What is a lifecycle stage?").hits][:1] == [True]
    assert {hit.is_platform for hit in find(owner, "What is a lifecycle stage?").hits} == {True, False}


def test_a_member_cannot_write_platform_rows(folder: Path, owner: Person) -> None:
    changes(folder)

    with tenant(owner.actor.organization_id):
        assert KnowledgeSource.objects.filter(organization__isnull=True).update(title="Mine") == 0
        assert KnowledgeSource.objects.filter(organization__isnull=True).delete()[0] == 0
        with pytest.raises(ProgrammingError), transaction.atomic():
            KnowledgeSource.objects.create(title="Mine", size=1, content_hash="x")


def hit(number: int, score: float, is_platform: bool) -> Hit:
    identifier = uuid.UUID(int=number)
    return Hit(identifier, identifier, "", "", "", score, "", is_platform, "", 1, 0.0, 0.0)


def test_neither_arm_crowds_out_the_other() -> None:
    own = [hit(n, 1.0 - n / 100, False) for n in range(20)]
    platform = [hit(100, 0.6, True), hit(101, 0.55, True), hit(102, 0.54, True), hit(103, 0.1, True)]

    shared = share_out(sorted([*own, *platform], key=lambda found: -found.score), 8)

    assert [found.is_platform for found in shared] == [False] * 6 + [True] * 2
    assert share_out(own, 3) == own[:3]
    assert share_out([], 8) == []


def test_the_command_says_what_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("ingest_docs", str(folder))
    call_command("ingest_docs", str(folder))

    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 pages, 0 changed."
    assert [line.split()[0] for line in lines[:2]] == ["added", "added"]
    with pytest.raises(CommandError, match="is not a folder"):
        call_command("ingest_docs", str(folder / "none"))


def test_a_page_without_words_is_an_error_of_the_command(folder: Path) -> None:
    (folder / "empty.md").write_text("---\n")

    with pytest.raises(CommandError, match="could not be read"):
        call_command("ingest_docs", str(folder))
