"""Documents of other people's test suites: each ends ready with words, or failed with a reason."""

import csv
from pathlib import Path

import pytest

from agencycore.tenancy import tenant
from knowledge.models import KnowledgeChunk
from tests.corpora import corpus
from tests.knowledge.documents import find, ingested
from tests.people import Person

TEXT_KINDS = {"html", "md", "txt"}
REASONS = {"unsupported_kind", "no_text", "binary", "bad_encoding", "unreadable", "too_complex", "too_slow"}


def documents(kinds: set[str]) -> list[Path]:
    folder = corpus("docs")
    with (folder / "manifest.tsv").open(encoding="utf-8") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t"))
    return [folder / row["path"] for row in rows if row["kind"] in kinds]


def test_every_text_markdown_and_html_file_ends_ready_or_with_a_reason(owner: Person) -> None:
    outcomes = {}
    for path in documents(TEXT_KINDS):
        data = path.read_bytes()
        if data:
            source = ingested(owner, data, path.name)
            outcomes[path.name] = source.failure_code or source.state
            assert source.state in {"ready", "failed"}, path
            assert (source.state == "failed") == bool(source.failure_reason), path
            assert source.state == "failed" or source.chunk_count > 0, path

    assert set(outcomes.values()) <= REASONS | {"ready"}
    assert sum(outcome == "ready" for outcome in outcomes.values()) >= 0.7 * len(outcomes)
    with tenant(owner.actor.organization_id):
        assert not KnowledgeChunk.objects.filter(text__contains="\ufffd\ufffd").exists()


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "pptx", "epub", "rtf", "zip", "doc", "xls", "msg", "eml"])
def test_kinds_that_are_not_read_yet_say_so(owner: Person, kind: str) -> None:
    for path in documents({kind})[:3]:
        data = path.read_bytes()
        if data:
            source = ingested(owner, data, path.name)
            assert (source.state, source.failure_code) == ("failed", "unsupported_kind"), path


def test_a_members_few_passages_are_found_among_thousands_of_others(owner: Person, stranger: Person) -> None:
    others = sorted(corpus("kb/prefect").rglob("*.mdx"))[:6]
    for path in others:
        ingested(stranger, path.read_bytes(), path.name)
    ingested(owner)

    hits = find(owner, "When are second class tickets refunded?").hits

    assert hits[0].position == "Travel handbook › Rail travel"
    assert {hit.label for hit in hits} == {"Travel handbook"}
