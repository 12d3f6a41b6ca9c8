"""What is found, for whom, and at what price."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from agencycore.ai.ports import get_embedder
from agencycore.ai.types import ModelError
from agencycore.tenancy import tenant
from knowledge import candidates, search_sql
from knowledge.models import KnowledgeSource
from knowledge.platform_docs import sync_platform_docs
from knowledge.search import search
from tests.knowledge.documents import find, ingested, texts
from tests.people import Person

RAIL = "Second class tickets are refunded within fourteen days when the receipt is attached."


def test_a_question_finds_its_passage_with_label_position_and_address(owner: Person) -> None:
    source = ingested(owner)

    result = find(owner, "When are second class tickets refunded?")

    assert result.state == "ok"
    best = result.hits[0]
    assert best.text == RAIL
    assert (best.label, best.position) == ("Travel handbook", "Travel handbook › Rail travel")
    assert best.url == f"/knowledge/{source.id}/#chunk-2"
    assert best.score == pytest.approx(1.0, abs=0.05)
    assert best.is_platform is False


@pytest.mark.parametrize(
    "question",
    ["What is the weather in Bergen?", "who won the world cup", "tell me a joke", "hello", "", "?!", "the and of"],
)
def test_an_off_topic_question_finds_nothing(owner: Person, question: str) -> None:
    ingested(owner)

    result = find(owner, question)

    assert (result.hits, result.state) == ([], "empty")


def test_a_teammate_finds_what_a_member_uploaded(owner: Person, teammate: Person) -> None:
    ingested(owner)

    assert RAIL in texts(find(teammate, "second class tickets refunded").hits)


def test_a_stranger_finds_nothing_of_it(owner: Person, stranger: Person) -> None:
    ingested(owner)

    assert find(stranger, "second class tickets refunded").hits == []


def test_a_stranger_finds_nothing_of_it_even_without_the_filter(
    owner: Person, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingested(owner)
    unfiltered = search_sql.ALL_SOURCES.replace("organization_id = %(organization)s", "true")
    assert unfiltered != search_sql.ALL_SOURCES
    monkeypatch.setattr(candidates, "ALL_SOURCES", unfiltered)

    assert RAIL in texts(find(owner, "second class tickets refunded").hits)
    assert find(stranger, "second class tickets refunded").hits == []


def test_a_search_is_one_statement(owner: Person) -> None:
    ingested(owner)
    organization_id = owner.actor.organization_id

    with tenant(organization_id), CaptureQueriesContext(connection) as captured:
        search(actor_organization_id=organization_id, query="second class tickets")

    assert len(captured) == 1


def test_chosen_sources_narrow_the_search(owner: Person) -> None:
    handbook = ingested(owner)
    other = ingested(owner, b"# Trains\n\nSecond class tickets are blue and refunded never.", "trains.md")

    assert {hit.source_id for hit in find(owner, "second class tickets refunded").hits} == {handbook.id, other.id}
    assert {hit.source_id for hit in find(owner, "second class tickets refunded", source_ids=[other.id]).hits} == {
        other.id
    }
    assert find(owner, "second class tickets refunded", source_ids=[]).hits == []


def test_the_platforms_pages_can_be_kept_beside_the_chosen_sources(owner: Person, tmp_path: Path) -> None:
    ingested(owner)
    chosen = ingested(owner, b"# Trains\n\nSecond class tickets are blue and refunded never.", "trains.md")
    (tmp_path / "tickets.md").write_text("# Tickets\n\nSecond class tickets are refunded by the platform.")
    sync_platform_docs(tmp_path)

    narrowed = find(owner, "second class tickets refunded", source_ids=[chosen.id])
    kept = find(owner, "second class tickets refunded", source_ids=[chosen.id], with_platform=True)

    assert {hit.source_id for hit in narrowed.hits} == {chosen.id}
    assert {hit.source_id for hit in kept.hits if not hit.is_platform} == {chosen.id}
    assert [hit.label for hit in kept.hits if hit.is_platform] == ["Tickets"]


def test_a_strangers_source_cannot_be_chosen(owner: Person, stranger: Person) -> None:
    handbook = ingested(owner)

    assert find(stranger, "second class tickets refunded", source_ids=[handbook.id]).hits == []


class BrokenEmbedder:
    name = "wordllama-l2-256"
    dense_weight = 0.3
    relevance_floor = 0.45

    def embed(self, texts: object) -> object:
        raise ModelError("unreachable", "Connection refused.", retryable=True, reached_vendor=False)


class OtherEmbedder:
    name = "other"
    dense_weight = 0.5
    relevance_floor = 0.3

    def embed(self, texts: list[str]) -> npt.NDArray[np.float32]:
        return np.full((len(texts), 256), 1 / 16, dtype=np.float32)


def test_without_vectors_words_alone_find_and_the_result_says_so(owner: Person, settings: Settings) -> None:
    ingested(owner)
    settings.EMBEDDER = "tests.knowledge.test_search.BrokenEmbedder"
    get_embedder.cache_clear()
    try:
        result = find(owner, "When are second class tickets refunded?")
        off_topic = find(owner, "What is the weather in Bergen?")
    finally:
        get_embedder.cache_clear()

    assert (result.state, result.hits[0].text) == ("degraded", RAIL)
    assert off_topic.state == "empty"


def test_vectors_of_another_embedder_are_not_compared(owner: Person, settings: Settings) -> None:
    ingested(owner)
    settings.EMBEDDER = "tests.knowledge.test_search.OtherEmbedder"
    get_embedder.cache_clear()
    try:
        result = find(owner, "When are second class tickets refunded?")
    finally:
        get_embedder.cache_clear()

    assert (result.state, result.hits[0].text, result.hits[0].similarity) == ("degraded", RAIL, 0.0)


def test_only_a_ready_source_is_found(owner: Person) -> None:
    source = ingested(owner)
    with tenant(owner.actor.organization_id):
        KnowledgeSource.objects.filter(id=source.id).update(state="deleting")

    assert find(owner, "second class tickets refunded").hits == []


def test_a_german_document_is_found_by_its_inflected_words(owner: Person) -> None:
    ingested(
        owner,
        "Die Kündigungsfristen der Verträge betragen drei Monate und sind in den Anlagen zu finden.".encode(),
        "vertrag.txt",
    )

    assert len(find(owner, "Welche Kündigungsfrist hat der Vertrag?").hits) == 1


def test_a_chinese_document_is_found_by_a_part_of_its_words(owner: Person) -> None:
    ingested(owner, "员工每年享有十五天带薪年假，需要提前两周申请。".encode(), "leave.txt")

    assert len(find(owner, "带薪年假有几天").hits) == 1
