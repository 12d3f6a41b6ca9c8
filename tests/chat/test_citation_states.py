"""What became of a cited passage: on the page, in the panel, over the API, in an export."""

import hashlib
import json
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agencycore.tenancy import platform_writer, tenant
from chat.models import Turn
from conversations.models import Citation
from knowledge.models import KnowledgeChunk, KnowledgeSource
from tests.chat.conversations import answer, ask, citation, turn_of
from tests.chat.pages import FETCH, body

pytestmark = pytest.mark.django_db

TEXT = "The trial is 14 days."


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def document(organization, text=TEXT):
    source = KnowledgeSource.objects.create(
        organization=organization, title="Terms", content_hash=digest(text), size=len(text), state="ready"
    )
    return KnowledgeChunk.objects.create(
        source=source,
        organization=organization,
        generation=1,
        ordinal=1,
        text=text,
        tokens=5,
        content_hash=digest(text),
        language="english",
    )


def passage(chunk, marker=1, key="r1", **fields):
    stored = {
        "kind": "knowledge_chunk",
        "resource_id": str(chunk.id),
        "label": "Terms",
        "position": "",
        "excerpt": chunk.text,
        "content_hash": chunk.content_hash,
        "url": chunk.url,
    }
    return citation(marker, key, **(stored | fields))


@pytest.fixture
def chunk(owner):
    with tenant(owner.organization.id):
        return document(owner.organization)


@pytest.fixture
def cited(owner, chunk):
    question = ask(owner, "How long is the trial?")
    answer(owner, question, "14 days. [1]", [passage(chunk)])
    with tenant(owner.organization.id):
        return Citation.objects.select_related("message").get()


def page_of(person, cited):
    return body(person.client.get(f"/chat/{cited.message.conversation_id}/"))


def panel_of(person, cited):
    return body(person.client.get(f"/chat/citations/{cited.pk}/", **FETCH))


def told_over_the_api(person, cited):
    messages = person.client.get(f"/api/v1/conversations/{cited.message.conversation_id}/messages/").json()
    told = messages["results"][1]["citations"][0]
    return told["state"], told["excerpt"], told["is_deleted"]


def exported(person, cited, form):
    response = person.client.get(f"/chat/{cited.message.conversation_id}/export.{form}")
    return response.content.decode()


def test_a_passage_that_stands_is_as_cited(owner, cited):
    assert "changed since" not in page_of(owner, cited)
    assert TEXT in panel_of(owner, cited)
    assert told_over_the_api(owner, cited) == ("as cited", TEXT, False)


def replaced(chunk):
    KnowledgeChunk.objects.all().delete()
    KnowledgeChunk.objects.create(
        source=chunk.source,
        organization=chunk.organization,
        generation=2,
        ordinal=1,
        text="The trial is 30 days.",
        tokens=5,
        content_hash=digest("The trial is 30 days."),
        language="english",
    )


def rewritten(chunk):
    KnowledgeChunk.objects.update(text="The trial is 30 days.", content_hash=digest("The trial is 30 days."))


@pytest.mark.parametrize("change", [replaced, rewritten])
def test_a_passage_of_a_document_that_changed_shows_as_it_was_cited(owner, chunk, cited, change):
    with tenant(owner.organization.id):
        change(chunk)

    assert "changed since" in page_of(owner, cited)
    panel = panel_of(owner, cited)
    assert "The document has changed since this answer." in panel
    assert TEXT in panel
    assert f'href="/knowledge/{chunk.source_id}/"' in panel
    assert told_over_the_api(owner, cited) == ("changed since", TEXT, False)
    assert f"[1] Terms (changed since)\n\n> {TEXT}" in exported(owner, cited, "md")


def test_a_passage_whose_document_is_gone_without_a_word_is_not_told(owner, cited):
    with tenant(owner.organization.id):
        KnowledgeSource.objects.all().delete()

    assert "is-gone" in page_of(owner, cited)
    panel = panel_of(owner, cited)
    assert "You can no longer open this source." in panel
    assert TEXT not in panel
    assert told_over_the_api(owner, cited) == ("withdrawn", "", False)
    assert "[1] Terms\n\n> *This source can no longer be opened.*" in exported(owner, cited, "md")


def test_a_deleted_source_stays_in_exports_and_over_the_api_as_a_tombstone(owner, cited):
    with tenant(owner.organization.id):
        Citation.objects.update(deleted_at=cited.message.created_at, excerpt="")

    assert "is-gone" in page_of(owner, cited)
    assert told_over_the_api(owner, cited) == ("deleted", "", True)
    assert "[1] Terms\n\n> *This source was deleted.*" in exported(owner, cited, "md")
    [source] = json.loads(exported(owner, cited, "json"))["messages"][1]["citations"]
    assert (source["label"], source["excerpt"], source["state"]) == ("Terms", "", "deleted")


def test_another_organizations_passage_is_never_told(owner, stranger, cited):
    with tenant(stranger.organization.id):
        foreign = document(stranger.organization)
    with tenant(owner.organization.id):
        Citation.objects.update(resource_id=foreign.id, url=foreign.url)

    assert told_over_the_api(owner, cited) == ("withdrawn", "", False)


def test_a_platform_page_that_changed_is_marked_as_well(owner):
    with platform_writer():
        page = document(None)
    question = ask(owner)
    answer(owner, question, "14 days. [1]", [passage(page)])
    with platform_writer():
        rewritten(page)

    assert "changed since" in body(owner.client.get(f"/chat/{question.conversation_id}/"))


def test_a_passage_cited_again_is_as_cited_while_it_is_there(owner, chunk):
    answer(owner, ask(owner), "14 days. [1]", [passage(chunk, content_hash="")])

    with tenant(owner.organization.id):
        cited = Citation.objects.select_related("message").get()
    assert told_over_the_api(owner, cited) == ("as cited", TEXT, False)


def test_the_page_takes_a_fixed_number_of_statements_for_its_sources(owner, chunk):
    counts = []
    for length in (1, 6):
        conversation = None
        for _ in range(length):
            question = ask(owner, conversation=conversation)
            conversation = question.conversation
            moved = passage(chunk, 2, "r2", resource_id=str(uuid.uuid4()))
            answer(owner, question, "14 days. [1] [2]", [passage(chunk), moved])
        client = owner.client
        with CaptureQueriesContext(connection) as captured:
            assert body(client.get(f"/chat/{conversation.id}/")).count("changed since") == length
        counts.append(len(captured))

    assert counts[0] == counts[1]


# --- what a reply was made without ------------------------------------------------------------


def report(name, state, reason=""):
    return {"name": name, "state": state, "reason": reason, "milliseconds": 5, "items": 0, "dropped": 0, "tokens": 0}


def reply_with(owner, text="As far as I know.", fallback="", sources=()):
    question = ask(owner)
    answer(owner, question, text, [])
    with tenant(owner.organization.id):
        Turn.objects.update(brief={"sources": list(sources)}, fallback=fallback)
    return body(owner.client.get(f"/chat/{question.conversation_id}/"))


def test_a_reply_says_which_sources_could_not_be_read(owner):
    shown = reply_with(
        owner,
        sources=[
            report("conversation", "ok"),
            report("application", "unavailable", "It took too long."),
            report("runs", "unavailable"),
            report("knowledge", "degraded", "Documents were searched by their words alone."),
            report("memory", "skipped"),
        ],
    )

    assert "Could not be read for this answer: the records and recent runs." in shown
    assert "Documents were searched by their words alone." in shown
    assert shown.count("reply-note") == 2


def test_a_reply_with_every_source_says_nothing_of_them(owner):
    assert "reply-note" not in reply_with(owner, sources=[report("knowledge", "ok"), report("runs", "empty")])


def test_a_reply_made_at_the_days_limit_says_so_once(owner):
    limit = "Today’s limit for the language model is reached, so this reply was made without it."

    assert reply_with(owner, fallback="limit").count(limit) == 1
    assert reply_with(owner, text=f"Fine.\n\n{limit}", fallback="limit").count(limit) == 1


def test_a_failed_turn_without_a_brief_shows_no_note(owner):
    question = ask(owner)
    turn_of(owner, question, Turn.State.FAILED)

    assert "reply-note" not in body(owner.client.get(f"/chat/{question.conversation_id}/"))
