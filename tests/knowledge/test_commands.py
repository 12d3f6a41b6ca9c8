"""``ingest`` and ``search``: the contract of their JSON, and their exit."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agencycore.dispatch.models import Dispatch
from tests.knowledge.documents import HANDBOOK, find, ingested
from tests.people import Person


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "deep").mkdir(parents=True)
    (folder / "handbook.md").write_bytes(HANDBOOK)
    (folder / "deep" / "note.txt").write_text("Taxis need a receipt.")
    return folder


def test_files_are_read_in_this_process_and_reported(
    owner: Person, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("ingest", str(files), "--org", "acorn", "--json")

    results = json.loads(capsys.readouterr().out)
    assert [list(result) for result in results] == [["path", "source", "state", "reason", "chunks", "ms"]] * 2
    assert [(result["path"], result["state"], result["reason"], result["chunks"]) for result in results] == [
        (str(files / "deep" / "note.txt"), "ready", None, 1),
        (str(files / "handbook.md"), "ready", None, 3),
    ]
    assert Dispatch.objects.count() == 0
    assert len(find(owner, "taxis need a receipt").hits) >= 1


def test_the_same_file_again_is_the_source_that_is_there(
    owner: Person, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = ingested(owner)

    call_command("ingest", str(files / "handbook.md"), "--org", "acorn", "--json")

    assert json.loads(capsys.readouterr().out)[0]["source"] == str(source.id)


def test_a_file_that_fails_is_reported_and_ends_the_command_badly(
    owner: Person, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "b.txt").write_bytes(b"")

    with pytest.raises(CommandError):
        call_command("ingest", str(tmp_path / "a.pdf"), str(tmp_path / "b.txt"), "--org", "acorn", "--json")

    pdf, empty = json.loads(capsys.readouterr().out)
    assert (pdf["state"], pdf["chunks"]) == ("failed", 0)
    assert pdf["reason"].startswith("PDF documents cannot be read yet.")
    assert (empty["source"], empty["state"], empty["reason"]) == (None, "failed", "The file is empty.")


@pytest.mark.parametrize("command", [("ingest", "."), ("search", "words")])
def test_an_unknown_organization_ends_the_command(db: None, command: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match="There is no organization"):
        call_command(*command, "--org", "nowhere")


def test_an_unknown_path_ends_the_command(owner: Person) -> None:
    with pytest.raises(CommandError, match="is not a file or folder"):
        call_command("ingest", "/no/such/file", "--org", "acorn")


def test_search_gives_hits_as_json(owner: Person, capsys: pytest.CaptureFixture[str]) -> None:
    source = ingested(owner)

    call_command("search", "When are second class tickets refunded?", "--org", "acorn", "--json")

    best = json.loads(capsys.readouterr().out)[0]
    assert list(best) == ["chunk", "source", "label", "position", "score", "text"]
    assert (best["source"], best["label"], best["position"]) == (
        str(source.id),
        "Travel handbook",
        "Travel handbook › Rail travel",
    )


def test_search_for_something_off_topic_is_an_empty_list(owner: Person, capsys: pytest.CaptureFixture[str]) -> None:
    ingested(owner)

    call_command("search", "What is the weather in Bergen?", "--org", "acorn", "--json")

    assert json.loads(capsys.readouterr().out) == []


def test_search_stays_inside_the_organization(
    owner: Person, stranger: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    ingested(owner)

    call_command("search", "second class tickets refunded", "--org", "birch", "--json")

    assert json.loads(capsys.readouterr().out) == []
