"""A source through its states, and what is left when it fails on the way."""

import datetime
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from django.core.files.base import ContentFile
from django.utils import timezone
from pytest_django import Settings

from agencycore.ai.ports import get_embedder
from agencycore.ai.types import ModelError
from agencycore.dispatch.models import Dispatch
from agencycore.dispatch.queue import claim, enqueue
from agencycore.dispatch.sweeper import sweep
from agencycore.streams.models import Event
from agencycore.tenancy import tenant
from knowledge import ingestion
from knowledge.actions import delete_source, retry_ingestion
from knowledge.extraction.port import ExtractionFailed
from knowledge.ingestion import ingest
from knowledge.models import ChunkIndex, KnowledgeChunk, KnowledgeSource, TermStats
from knowledge.tasks import ingest_source
from knowledge.terms import term_id
from tests.knowledge.documents import HANDBOOK, find, ingested, reload, take, upload
from tests.people import Person


def rows(person: Person) -> tuple[int, int, int]:
    """Chunks, index rows and terms of the person's organization."""
    with tenant(person.actor.organization_id):
        return KnowledgeChunk.objects.count(), ChunkIndex.objects.count(), TermStats.objects.count()


def test_an_upload_becomes_ready_with_everything_known_about_it(owner: Person) -> None:
    source = upload(owner)
    assert (source.state, source.title, source.size) == ("uploaded", "handbook", len(HANDBOOK))

    ingest_source(str(owner.actor.organization_id), str(source.id))

    source = reload(owner, source.id)
    assert (source.state, source.stage, source.kind, source.language) == ("ready", "", "markdown", "english")
    assert (source.title, source.chunk_count, source.generation) == ("Travel handbook", 3, 1)
    assert source.indexed_as == "4:wordllama-l2-256"
    assert rows(owner)[:2] == (3, 3)
    assert Dispatch.objects.count() == 0


def test_every_state_is_an_event_of_the_organizations_stream(owner: Person) -> None:
    source = ingested(owner)

    with tenant(owner.actor.organization_id):
        events = list(Event.objects.filter(stream__name=f"knowledge:{owner.organization.id}").order_by("number"))
    assert {event.payload["id"] for event in events} == {str(source.id)}
    assert [(event.payload["state"], event.payload["stage"]) for event in events] == [
        ("uploaded", None),
        ("processing", "extracting"),
        ("processing", "chunking"),
        ("processing", "embedding"),
        ("ready", None),
    ]


def test_a_title_given_by_the_member_stays(owner: Person) -> None:
    assert ingested(owner, title="Our travel rules").title == "Our travel rules"


@pytest.mark.parametrize(
    ("data", "filename", "code", "word"),
    [
        (b" \n\t\n ", "blank.txt", "no_text", "No readable text"),
        (b"<html><body><img src=a.png></body></html>", "picture.html", "no_text", "No readable text"),
        (b"***\n---\n", "rules.md", "no_text", "No readable text"),
        (b"%PDF-1.7 ...", "notes.txt", "unsupported_kind", "PDF documents"),
        (b"PK\x03\x04....", "notes.md", "unsupported_kind", "Office documents"),
        (b"\x89PNG\r\n\x1a\n", "picture.png", "unsupported_kind", "Images"),
        (b"{\\rtf1 hello}", "letter.rtf", "unsupported_kind", "RTF"),
        (b"<?xml version='1.0'?><a>b</a>", "data.txt", "unsupported_kind", "XML"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: g\n\nHello", "mail.txt", "unsupported_kind", "E-mail"),
        (b"a,b\n1,2\n", "table.csv", "unsupported_kind", "Tables"),
        (b"text \x00\x00 text" * 40, "text.txt", "binary", "binary data"),
        (b"start " + b"\xff\xfe\xfd\x81\x8d\x8f\x90\x9d" * 90, "text.txt", "bad_encoding", "UTF-8"),
    ],
)
def test_what_cannot_be_read_fails_with_a_reason_a_member_understands(
    owner: Person, data: bytes, filename: str, code: str, word: str
) -> None:
    source = ingested(owner, data, filename)

    assert (source.state, source.failure_code) == ("failed", code)
    assert word in source.failure_reason
    assert rows(owner) == (0, 0, 0)
    assert Dispatch.objects.count() == 0


def fail(*args: object, **kwargs: object) -> None:
    raise RuntimeError("killed here")


@pytest.mark.parametrize("stage", ["extract_in_child", "prepare", "embed_passages", "swap_generation", "finish"])
def test_a_fault_in_any_stage_leaves_nothing_to_be_found_and_is_tried_again(
    owner: Person, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    source = upload(owner)
    with monkeypatch.context() as patched:
        patched.setattr(ingestion, stage, fail)
        ingest(take(source))

    assert reload(owner, source.id).state == "processing"
    assert rows(owner) == (0, 0, 0)
    due_again = Dispatch.objects.get(object_id=source.id)
    assert (due_again.lease_until, due_again.attempts) == (None, 1)

    Dispatch.objects.update(due_at=timezone.now())
    ingest(take(source))

    ready = reload(owner, source.id)
    assert (ready.state, ready.chunk_count, ready.attempts) == ("ready", 3, 2)


def test_a_fault_that_stays_ends_in_failed_and_retry_works(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    source = upload(owner)
    with monkeypatch.context() as patched:
        patched.setattr(ingestion, "prepare", fail)
        for _ in range(3):
            Dispatch.objects.update(due_at=timezone.now())
            ingest(take(source))

    failed = reload(owner, source.id)
    assert (failed.state, failed.failure_code) == ("failed", "internal")
    with tenant(owner.actor.organization_id):
        retry_ingestion(actor=owner.actor, source_id=source.id)
    ingest(take(source))
    assert reload(owner, source.id).state == "ready"


def test_a_source_whose_worker_dies_three_times_is_given_up_by_the_sweeper(owner: Person) -> None:
    source = upload(owner)
    for _ in range(3):
        take(source)
        Dispatch.objects.update(lease_until=timezone.now() - datetime.timedelta(seconds=1))

    sweep()

    given_up = reload(owner, source.id)
    assert (given_up.state, given_up.failure_code) == ("failed", "stopped")
    assert given_up.failure_reason == "Processing stopped repeatedly. Try again."
    assert Dispatch.objects.count() == 0


def test_a_worker_that_lost_its_lease_writes_nothing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    source = upload(owner)
    slow = take(source)
    Dispatch.objects.update(lease_until=timezone.now() - datetime.timedelta(seconds=1))
    ingest(take(source))
    before = reload(owner, source.id)

    ingest(slow)

    after = reload(owner, source.id)
    assert (after.generation, after.updated_at) == (1, before.updated_at)
    assert rows(owner)[:2] == (3, 3)


STAGES = ["extract_in_child", "prepare", "embed_passages", "swap_generation"]


@pytest.mark.parametrize("stage", STAGES)
def test_deleting_while_a_stage_runs_stops_the_work(owner: Person, monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    source = upload(owner)
    original: Callable[..., object] = getattr(ingestion, stage)

    def delete_first(*args: object, **kwargs: object) -> object:
        if stage != "swap_generation":  # that one holds the source's lock: a delete waits for it
            with tenant(owner.actor.organization_id):
                delete_source(actor=owner.actor, source_id=source.id)
        return original(*args, **kwargs)

    monkeypatch.setattr(ingestion, stage, delete_first)
    ingest(take(source))
    if stage == "swap_generation":
        with tenant(owner.actor.organization_id):
            delete_source(actor=owner.actor, source_id=source.id)

    assert reload(owner, source.id).state == "deleting"
    assert rows(owner) == (0, 0, 0)
    assert Dispatch.objects.count() == 0


def test_a_fault_at_chunk_500_of_1000_leaves_nothing(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(f"## Part {n}\n\nThe rule of part {n} is {n}." for n in range(1000))
    source = upload(owner, text.encode(), "rules.md")
    embedder = get_embedder()
    calls = []

    class Failing:
        name, dense_weight, relevance_floor = embedder.name, 0.3, 0.45

        def embed(self, texts: list[str]) -> npt.NDArray[np.float32]:
            calls.append(len(texts))
            if sum(calls) > 500:
                raise ModelError("rejected", "no", retryable=False, reached_vendor=True)
            return embedder.embed(texts)

    monkeypatch.setattr(ingestion, "get_embedder", Failing)
    ingest(take(source))

    failed = reload(owner, source.id)
    assert (failed.state, failed.failure_code) == ("failed", "embedder")
    assert rows(owner) == (0, 0, 0)
    assert find(owner, "rule of part 12").hits == []


def test_progress_counts_passages(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingestion, "PROGRESS_SECONDS", 0)
    shown: list[tuple[int, int]] = []
    monkeypatch.setattr(
        ingestion, "publish_progress", lambda source: shown.append((source.done_steps, source.total_steps))
    )
    text = "\n\n".join(f"## Part {n}\n\nThe rule of part {n} is {n}." for n in range(150))

    ingested(owner, text.encode(), "rules.md")

    assert shown == [(64, 150), (128, 150), (150, 150)]


def test_ingesting_again_replaces_the_generation_and_keeps_unchanged_passages(owner: Person) -> None:
    source = ingested(owner)
    with tenant(owner.actor.organization_id):
        before = dict(KnowledgeChunk.objects.values_list("ordinal", "id"))
        terms = dict(TermStats.objects.values_list("term", "df"))
        again = KnowledgeSource.objects.get(id=source.id)
        again.file.delete(save=False)
        again.file.save("x", ContentFile(HANDBOOK.replace(b"within fourteen days", b"within thirty days")))
        enqueue(kind="ingestion", object_id=source.id, organization_id=owner.actor.organization_id)
    ingest(take(source))

    with tenant(owner.actor.organization_id):
        after = dict(KnowledgeChunk.objects.values_list("ordinal", "id"))
        changed = dict(TermStats.objects.values_list("term", "df"))
    assert (after[1], after[3]) == (before[1], before[3])
    assert after[2] != before[2]
    assert reload(owner, source.id).generation == 2
    assert len(changed) == len(terms)
    assert "within thirty days" in find(owner, "When are second class tickets refunded?").hits[0].text


def test_a_source_stays_found_while_and_after_its_next_generation_fails(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = ingested(owner)
    with tenant(owner.actor.organization_id):
        enqueue(kind="ingestion", object_id=source.id, organization_id=owner.actor.organization_id)
    found_meanwhile = []

    def refuse(*args: object, **kwargs: object) -> None:
        found_meanwhile.append(len(find(owner, "second class tickets refunded").hits))
        raise ExtractionFailed("unreadable", "no")

    monkeypatch.setattr(ingestion, "extract_in_child", refuse)
    ingest(take(source))

    assert found_meanwhile == [3]
    after = reload(owner, source.id)
    assert (after.state, after.stage, after.failure_code) == ("ready", "", "")
    assert len(find(owner, "second class tickets refunded").hits) == 3


def test_term_statistics_are_exactly_those_of_the_chunks(owner: Person) -> None:
    first = ingested(owner)
    with tenant(owner.actor.organization_id):
        alone = dict(TermStats.objects.values_list("term", "df"))
    second = ingested(owner, b"# Tickets\n\nTickets are blue. Tickets are refunded in Lisbon.", "tickets.md")
    with tenant(owner.actor.organization_id):
        both = dict(TermStats.objects.values_list("term", "df"))
        delete_source(actor=owner.actor, source_id=second.id)
        again = dict(TermStats.objects.values_list("term", "df"))
        counted: dict[int, int] = {}
        for index in ChunkIndex.objects.all():
            for term in index.lexical.indices():
                counted[term + 1] = counted.get(term + 1, 0) + 1

    assert sum(both.values()) > sum(alone.values())
    assert again == alone
    assert alone == counted | {term_id("", "english"): first.chunk_count}


def test_a_missing_original_is_a_reason(owner: Person, settings: Settings) -> None:
    source = upload(owner)
    source.file.delete(save=False)

    ingest(take(source))

    failed = reload(owner, source.id)
    assert (failed.state, failed.failure_code) == ("failed", "file_missing")


def test_a_claim_that_is_gone_is_no_work(owner: Person) -> None:
    source = ingested(owner)

    assert claim(kind="ingestion", object_id=source.id) is None
    ingest_source(str(owner.actor.organization_id), str(source.id))
    assert reload(owner, source.id).generation == 1
