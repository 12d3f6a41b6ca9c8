"""The chat page as a member reads it: conversations, sources, records, exports."""

import json
import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.models import Message
from tests.chat.conversations import answer, ask, citation, turn_of
from tests.chat.pages import FETCH, body

pytestmark = pytest.mark.django_db


# --- reading ----------------------------------------------------------------------------------


def test_a_new_chat_shows_an_empty_composer_and_the_own_conversations(owner, teammate):
    ask(owner, "About renewals")
    ask(teammate, "Private to Tom")

    shown = body(owner.client.get("/"))

    assert 'action="/chat/messages/"' in shown
    assert "About renewals" in shown
    assert "Private to Tom" not in shown


def test_a_visitor_is_sent_to_the_log_in(client):
    response = client.get("/")

    assert (response.status_code, response["Location"]) == (302, "/login/?next=/")


def test_a_conversation_shows_question_answer_sources_and_what_is_missing(owner):
    question = ask(owner, "What is <b>lifecycle</b> stage?")
    reply = answer(owner, question, unresolved=["No ready document covers refunds."])
    with tenant(owner.organization.id):
        source = reply.citations.get()

    shown = body(owner.client.get(f"/chat/{question.conversation_id}/"))

    assert "What is &lt;b&gt;lifecycle&lt;/b&gt; stage?" in shown
    assert f'href="/chat/citations/{source.pk}/"' in shown
    assert "Could not answer: No ready document covers refunds." in shown
    assert "data-running" not in shown


def test_every_number_of_citations_looks_the_same_after_a_reload(owner):
    first = ask(owner, "Two")
    answer(owner, first, "A [1] b [2] a [1]", [citation(1, "r4"), citation(2, "r1")])
    second = ask(owner, "None", conversation=first.conversation)
    answer(owner, second, "No source.", [])
    third = ask(owner, "Three", conversation=first.conversation)
    answer(owner, third, "[1][2][3]", [citation(1, "r9"), citation(2, "r2"), citation(3, "r3")])

    pages = [owner.client.get(f"/chat/{first.conversation_id}/").content.decode() for _ in range(2)]
    partial = owner.client.get(f"/chat/messages/{third.id}/exchange/").content.decode()

    assert [page.count('class="source"') for page in pages] == [5, 5]
    assert [page.count('class="marker"') for page in pages] == [6, 6]
    assert partial.count('class="source"') == 3


def test_the_page_and_the_update_render_the_same_exchange(owner):
    question = ask(owner)
    answer(owner, question)
    tokens = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')

    page = tokens.sub("", body(owner.client.get(f"/chat/{question.conversation_id}/")))
    partial = tokens.sub("", body(owner.client.get(f"/chat/messages/{question.id}/exchange/")))

    assert partial.strip() in page


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (Turn.State.ACCEPTED, "Stop"),
        (Turn.State.CHECKING_CONTEXT, "Checking what I know"),
        (Turn.State.FAILED, "Retry"),
        (Turn.State.CANCELLED, "You stopped this answer."),
    ],
)
def test_an_unanswered_question_shows_its_state(owner, state, expected):
    question = ask(owner)
    turn_of(owner, question, state)

    assert expected in body(owner.client.get(f"/chat/{question.conversation_id}/"))


def test_a_turn_past_its_deadline_offers_retry_though_no_worker_lives(owner):
    question = ask(owner)
    turn_of(owner, question, Turn.State.THINKING, deadline_at=question.created_at)

    shown = body(owner.client.get(f"/chat/{question.conversation_id}/"))

    assert "Retry" in shown
    assert "data-running" not in shown


def test_the_page_takes_a_fixed_number_of_statements(owner, company):
    counts = []
    for length in (1, 12):
        conversation = None
        for _ in range(length):
            question = ask(owner, conversation=conversation, refs=[ResourceRef("company", str(company.pk))])
            conversation = question.conversation
            answer(owner, question)
        client = owner.client
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/chat/{question.conversation_id}/").status_code == 200
        counts.append(len(captured))

    assert counts[0] == counts[1]


def test_a_long_conversation_shows_its_newest_part_and_leads_to_the_rest(owner):
    first = ask(owner, "question 1")
    for number in range(2, 62):
        ask(owner, f"question {number}", conversation=first.conversation)

    newest = body(owner.client.get(f"/chat/{first.conversation_id}/"))
    earlier = re.findall(r'href="(\?before=\d+)"', newest)[0]
    older = body(owner.client.get(f"/chat/{first.conversation_id}/{earlier}"))

    assert newest.count("said-text") == 50
    assert older.count("said-text") == 11
    assert "question 1<" in older
    assert 'id="composer"' not in older


@pytest.mark.parametrize("before", ["x", "-1", "9" * 30, ""])
def test_a_malformed_place_in_a_conversation_is_not_found(owner, before):
    question = ask(owner)

    assert owner.client.get(f"/chat/{question.conversation_id}/?before={before}").status_code == 404


def test_the_list_is_searched_by_title_and_by_words(owner):
    answer(owner, ask(owner, "About renewals"), "The term is annual.", [])
    ask(owner, "Hello")

    assert "About renewals" in body(owner.client.get("/chat/list/?q=ANNUAL"))
    assert "Hello" not in body(owner.client.get("/chat/list/?q=annual"))
    assert "No chat contains “&lt;zebra”." in body(owner.client.get("/chat/list/?q=<zebra"))


# --- records in front of a question -----------------------------------------------------------


def test_a_record_in_the_address_becomes_a_chip_with_the_readers_label(owner, company):
    shown = body(owner.client.get(f"/?ref=company:{company.pk}"))

    assert "Larch &amp; Sons" in shown
    assert f'name="page" value="company:{company.pk}"' in shown


@pytest.mark.parametrize("ref", ["company:0192", "nonsense", "galaxy:1", "company:"])
def test_an_unknown_record_is_left_out_and_said_so(owner, ref):
    shown = body(owner.client.get(f"/?ref={ref}"))

    assert "A record could not be found, so it was left out." in shown
    assert 'name="page"' not in shown


def test_a_strangers_record_is_left_out_like_an_unknown_one(stranger, company):
    foreign = body(stranger.client.get(f"/?ref=company:{company.pk}"))
    unknown = body(stranger.client.get(f"/?ref=company:{uuid.uuid4()}"))

    assert "Larch" not in foreign
    assert _without_noise(foreign) == _without_noise(unknown)


def _without_noise(shown):
    """Tokens and generated ids differ from page to page."""
    return re.sub(r'value="[^"]+"', "", shown)


# --- sources ----------------------------------------------------------------------------------


def test_a_source_opens_the_passage_as_cited(owner):
    source = citation(url="/knowledge/", excerpt="First line.\n<b>Second</b> line.", claim="So it is.")
    answer(owner, ask(owner), "So it is. [1]", [source])

    panel, page = (owner.client.get(f"/chat/citations/{source.pk}/", **headers) for headers in (FETCH, {}))

    for shown in (body(panel), body(page)):
        assert "Lifecycle stages" in shown
        assert "What a stage is" in shown
        assert "First line.<br>&lt;b&gt;Second&lt;/b&gt; line." in shown
        assert 'href="/knowledge/"' in shown
    assert "<html" not in body(panel)
    assert "Back to the answer" in body(page)


def test_each_citation_opens_its_own_passage(owner):
    sources = [citation(1, "r4", excerpt="The fourth."), citation(2, "r1", excerpt="The first.")]
    answer(owner, ask(owner), "A [1] b [2]", sources)

    shown = [body(owner.client.get(f"/chat/citations/{source.pk}/", **FETCH)) for source in sources]

    assert "The fourth." in shown[0]
    assert "The first." not in shown[0]
    assert "The first." in shown[1]


def test_a_deleted_source_is_a_tombstone(owner):
    source = citation(deleted_at="2026-10-03T10:00Z", excerpt="gone")
    answer(owner, ask(owner), "A [1]", [source])

    shown = body(owner.client.get(f"/chat/citations/{source.pk}/", **FETCH))

    assert "This source was deleted on 3 October 2026." in shown
    assert "gone.</p>" in shown
    assert "blockquote" not in shown


def test_a_cited_record_that_can_no_longer_be_read_is_a_tombstone(owner, company):
    source = citation(kind="company", resource_id=str(company.pk), label="Larch & Sons", excerpt="Owner: Maya")
    answer(owner, ask(owner), "A [1]", [source])
    address = f"/chat/citations/{source.pk}/"
    assert "Owner: Maya" in body(owner.client.get(address))

    with tenant(owner.organization.id):
        company.delete()

    shown = body(owner.client.get(address))
    assert "You can no longer open this source." in shown
    assert "Owner: Maya" not in shown


# --- rename, delete, export -------------------------------------------------------------------


def test_a_conversation_is_renamed(owner):
    question = ask(owner)

    response = owner.client.post(f"/chat/{question.conversation_id}/rename/", {"title": "  Stages  "})

    assert response["Location"] == f"/chat/{question.conversation_id}/"
    assert "<title>Stages" in body(owner.client.get(response["Location"]))


def test_an_empty_name_is_refused_in_words(owner):
    question = ask(owner)

    response = owner.client.post(f"/chat/{question.conversation_id}/rename/", {"title": " "}, follow=True)

    assert "Give the conversation a name." in body(response)


def test_a_deleted_conversation_is_gone(owner):
    question = ask(owner)
    answer(owner, question)

    response = owner.client.post(f"/chat/{question.conversation_id}/delete/")

    assert response["Location"] == "/"
    assert owner.client.get(f"/chat/{question.conversation_id}/").status_code == 404
    with tenant(owner.organization.id):
        assert not Message.objects.exists()


def test_an_export_carries_every_citation(owner):
    question = ask(owner)
    answer(owner, question, "So it is. [1] And so. [2]", [citation(1, "r4"), citation(2, "r1", label="Owners")])
    address = f"/chat/{question.conversation_id}/export"

    markdown = owner.client.get(f"{address}.md")
    exported = json.loads(owner.client.get(f"{address}.json").content)

    assert markdown["Content-Disposition"] == (f'attachment; filename="conversation-{question.conversation_id}.md"')
    text = markdown.content.decode()
    assert "[1] Lifecycle stages, What a stage is\n\n> A lifecycle stage says" in text
    assert "[2] Owners" in text
    assert [each["key"] for each in exported["messages"][1]["citations"]] == ["r4", "r1"]
    assert exported["messages"][0]["text"] == "What is lifecycle stage?"


def test_an_export_names_the_records_sent_with_a_message(owner, company):
    gone = str(uuid.uuid4())
    question = ask(owner, refs=[ResourceRef("company", str(company.pk)), ResourceRef("deal", gone)])
    answer(owner, question)
    address = f"/chat/{question.conversation_id}/export"

    text = owner.client.get(f"{address}.md").content.decode()
    exported = json.loads(owner.client.get(f"{address}.json").content)

    assert "What is lifecycle stage?\n\n- Company: Larch & Sons\n- Deal: No longer available\n\n## AgencyCore" in text
    assert exported["messages"][0]["refs"] == [
        {"kind": "company", "id": str(company.pk), "label": "Larch & Sons"},
        {"kind": "deal", "id": gone, "label": ""},
    ]
    assert exported["messages"][1]["refs"] == []


def test_an_export_tells_a_foreign_record_as_one_that_nobody_has(stranger, company):
    def exported(record: str) -> tuple[str, str, int]:
        question = ask(stranger, "Who is it?", refs=[ResourceRef("company", record)])
        address = f"/chat/{question.conversation_id}/export"
        with CaptureQueriesContext(connection) as captured:
            texts = [stranger.client.get(f"{address}.{form}").content.decode() for form in ("md", "json")]
        refs = json.loads(texts[1])["messages"][0]["refs"]
        return texts[0].split("UTC", 1)[1], refs[0]["label"], len(captured)

    assert exported(str(company.pk)) == exported(str(uuid.uuid4()))
    assert exported(str(company.pk))[1] == ""


def test_an_export_costs_the_same_statements_however_many_records(owner, company):
    question = ask(owner, refs=[ResourceRef("company", str(company.pk))])
    address = f"/chat/{question.conversation_id}/export.md"

    def statements() -> int:
        client = owner.client
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    few = statements()
    for _ in range(5):
        ask(owner, "More", question.conversation, [ResourceRef("company", str(uuid.uuid4()))])

    assert statements() == few


def test_an_unknown_form_of_export_is_not_found(owner):
    question = ask(owner)

    assert owner.client.get(f"/chat/{question.conversation_id}/export.pdf").status_code == 404
