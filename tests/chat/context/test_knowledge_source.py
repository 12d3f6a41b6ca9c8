"""Passages in the brief: found with the self-contained query, inside the walls, cited again for a rework."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from agencycore.ai.ports import get_embedder
from agencycore.ai.types import ContextBrief, ModelError, SourceState
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.context.builder import build_context
from tests.chat.context.talk import Talk
from tests.knowledge.documents import ingested
from tests.people import Person

pytestmark = pytest.mark.django_db

QUESTION = "When are second class tickets refunded?"
RAIL = "Second class tickets are refunded within fourteen days when the receipt is attached."
TRAINS = b"# Trains\n\nSecond class tickets are blue and refunded never."


class BrokenEmbedder:
    name = "wordllama-l2-256"
    dense_weight = 0.3
    relevance_floor = 0.45
    calls_out = False

    def embed(self, texts: object) -> object:
        raise ModelError("unreachable", "Connection refused.", retryable=True, reached_vendor=False)


class RemoteEmbedder(BrokenEmbedder):
    calls_out = True


@pytest.fixture(autouse=True)
def _files(settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path)


@pytest.fixture
def embedder(settings: Settings) -> Iterator[type]:
    def use(kind: type) -> None:
        settings.EMBEDDER = f"{__name__}.{kind.__name__}"
        get_embedder.cache_clear()

    yield use  # type: ignore[misc]
    get_embedder.cache_clear()


def state(brief: ContextBrief) -> SourceState:
    return next(source.state for source in brief.sources if source.name == "knowledge")


def test_a_passage_is_evidence_with_its_place_and_address(owner: Person) -> None:
    source = ingested(owner)

    brief = Talk(owner).ask(QUESTION)

    item = next(item for item in brief.of("knowledge") if item.text == RAIL)
    assert (item.kind, item.label, item.position) == (
        "knowledge_chunk",
        "Travel handbook",
        "Travel handbook › Rail travel",
    )
    assert (item.evidence, item.key, item.url) == (True, "r1", f"/knowledge/{source.id}/#chunk-2")
    assert item.payload["source_id"] == str(source.id)
    assert item.payload["content_hash"]
    assert state(brief) == "ok"


@pytest.mark.parametrize("message", ["What is the weather in Bergen?", "hello"])
def test_where_nothing_is_known_there_is_no_evidence_also_right_after_a_hit(owner: Person, message: str) -> None:
    ingested(owner)
    talk = Talk(owner)
    talk.exchange(QUESTION, RAIL)

    assert talk.ask(message).evidence == ()


def test_a_short_follow_up_finds_what_its_question_found(owner: Person) -> None:
    ingested(owner)
    talk = Talk(owner)
    talk.exchange(QUESTION, RAIL)

    brief = talk.ask("any more?")

    assert RAIL in [item.text for item in brief.of("knowledge")]


def test_a_topic_change_and_return_after_the_summary_rolled_finds_the_topic(owner: Person) -> None:
    ingested(owner)
    talk = Talk(owner)
    talk.exchange(QUESTION, RAIL)
    for number in range(8):
        talk.exchange(f"What is a deal, part {number}?")
    talk.conversation.summary, talk.conversation.summary_message_count = "They talked about tickets.", 14
    with tenant(owner.organization.id):
        talk.conversation.save(update_fields=["summary", "summary_message_count"])

    brief = talk.ask("Back to second class tickets: when are they refunded?")

    assert RAIL in [item.text for item in brief.of("knowledge")]
    assert brief.of("conversation")[0].text == "They talked about tickets."


def test_a_strangers_document_is_not_there(owner: Person, stranger: Person) -> None:
    ingested(owner)

    brief = Talk(stranger).ask(QUESTION)

    assert (brief.of("knowledge"), state(brief)) == ((), "empty")


def test_chosen_documents_narrow_the_search(owner: Person) -> None:
    ingested(owner)
    trains = ingested(owner, TRAINS, "trains.md")
    talk = Talk(owner)
    talk.conversation.documents = [str(trains.id)]
    with tenant(owner.organization.id):
        talk.conversation.save(update_fields=["documents"])

    brief = talk.ask(QUESTION)

    assert {item.payload["source_id"] for item in brief.of("knowledge")} == {str(trains.id)}


def test_a_rework_of_the_last_reply_brings_back_what_it_cited(owner: Person) -> None:
    ingested(owner)
    talk = Talk(owner)
    first = talk.ask(QUESTION)
    cited = next(item for item in first.of("knowledge") if item.text == RAIL)
    talk.exchange(QUESTION, "They are refunded within fourteen days.", cites=[cited.ref])

    brief = talk.ask("make it shorter")

    (again,) = brief.evidence
    assert (brief.message_class, brief.query) == ("conversation", "")
    assert (again.ref, again.text, again.position, again.key) == (cited.ref, RAIL, cited.position, "r1")


def test_a_strangers_passage_is_not_brought_back(owner: Person, stranger: Person) -> None:
    ingested(owner)
    cited = next(item for item in Talk(owner).ask(QUESTION).of("knowledge") if item.text == RAIL)
    talk = Talk(stranger)
    talk.exchange(QUESTION, "They are refunded.", cites=[ResourceRef(cited.kind, cited.id, "Travel handbook")])

    brief = talk.ask("make it shorter")

    assert brief.evidence == ()
    assert "Travel" not in repr(brief.items)


def test_without_vectors_the_source_is_degraded_and_says_so(owner: Person, embedder) -> None:
    ingested(owner)
    embedder(BrokenEmbedder)

    brief = Talk(owner).ask(QUESTION)

    report = next(source for source in brief.sources if source.name == "knowledge")
    assert (report.state, report.reason) == ("degraded", "Documents were searched by their words alone.")
    assert RAIL in [item.text for item in brief.of("knowledge")]


@pytest.mark.django_db(transaction=True)
def test_with_a_remote_embedder_the_search_runs_beside_the_other_sources(owner: Person, embedder) -> None:
    ingested(owner)
    embedder(RemoteEmbedder)

    brief = Talk(owner).ask(QUESTION)

    assert state(brief) == "degraded"
    assert RAIL in [item.text for item in brief.of("knowledge")]


def test_the_number_of_statements_does_not_grow_with_the_corpus(owner: Person) -> None:
    talk = Talk(owner)
    ingested(owner)
    talk.ask(QUESTION)
    few = count_statements(talk, owner)
    for number in range(5):
        ingested(owner, TRAINS + str(number).encode(), f"trains{number}.md")

    assert count_statements(talk, owner) == few


def count_statements(talk: Talk, person: Person) -> int:
    turn = talk.say(QUESTION)
    with CaptureQueriesContext(connection) as captured:
        build_context(turn=turn, actor=person.actor)
    return len(captured)
