"""The chat page over HTTP: what a member sees and does, with and without script."""

import json
import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.actions import MAX_REFS
from chat.models import Turn
from chat.urls import urlpatterns
from conversations.models import Conversation, Feedback, Message
from crm.models import Company
from tests.chat.conversations import answer, ask, citation, turn_of

pytestmark = pytest.mark.django_db

FETCH = {"HTTP_X_REQUESTED_WITH": "fetch"}


def body(response):
    return re.sub(r"\s+", " ", response.content.decode())


@pytest.fixture
def company(owner):
    with tenant(owner.organization.id):
        return Company.objects.create(organization=owner.organization, name="Larch & Sons", domain="larch.example")


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


# --- sending ----------------------------------------------------------------------------------


def message(**fields):
    return {"text": "What is lifecycle stage?", "client_message_id": str(uuid.uuid4())} | fields


def test_a_first_message_gives_the_script_its_exchange_and_address(owner):
    response = owner.client.post("/chat/messages/", message(), **FETCH)

    with tenant(owner.organization.id):
        kept = Message.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"/chat/{kept.conversation_id}/#m-{kept.id}"
    assert f'id="m-{kept.id}"' in response.content.decode()
    assert "data-running" in response.content.decode()


def test_without_script_a_message_leads_to_its_conversation(owner):
    question = ask(owner)

    response = owner.client.post(f"/chat/{question.conversation_id}/messages/", message(text="And then?"))

    with tenant(owner.organization.id):
        kept = Message.objects.get(text="And then?")
    assert (response.status_code, response["Location"]) == (302, f"/chat/{question.conversation_id}/#m-{kept.id}")


def test_a_message_sent_twice_is_one_message(owner):
    sent = message()

    responses = [owner.client.post("/chat/messages/", sent, **FETCH) for _ in range(2)]

    with tenant(owner.organization.id):
        assert Message.objects.count() == Conversation.objects.count() == 1
    assert responses[0]["Location"] == responses[1]["Location"]


def test_records_and_page_are_kept_with_the_message(owner, company):
    ref = f"company:{company.pk}"

    owner.client.post("/chat/messages/", message(ref=[ref, ""], page=ref), **FETCH)

    with tenant(owner.organization.id):
        kept = Message.objects.get()
    assert [(each["kind"], each["id"]) for each in kept.refs] == [("company", str(company.pk))]
    assert kept.page == {"kind": "company", "id": str(company.pk), "label": ""}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"text": "  \n "}, 400),
        ({"text": "x" * 8001}, 400),
        ({"client_message_id": ""}, 400),
        ({"ref": ["galaxy:1"]}, 400),
        ({"ref": ["no-colon"]}, 400),
        ({"page": "galaxy:1"}, 400),
        ({"ref": [f"company:{number}" for number in range(MAX_REFS + 1)]}, 400),
    ],
)
def test_a_refused_message_is_explained_and_keeps_its_text(owner, fields, status):
    sent = message(**fields)

    with_script = owner.client.post("/chat/messages/", sent, **FETCH)
    without = owner.client.post("/chat/messages/", sent)

    assert with_script.status_code == without.status_code == status
    words = json.loads(with_script.content)["detail"]
    assert len(words) > 10
    shown = body(without)
    assert 'role="alert" hidden' not in shown
    assert sent["text"].strip() in shown
    with tenant(owner.organization.id):
        assert not Message.objects.exists()


def test_too_many_messages_say_when_to_come_back(owner, settings):
    settings.MESSAGES_PER_MINUTE = 1
    owner.client.post("/chat/messages/", message(), **FETCH)

    response = owner.client.post("/chat/messages/", message(), **FETCH)

    assert (response.status_code, response["Retry-After"]) == (429, "30")
    assert "in a minute" in json.loads(response.content)["detail"]


def test_an_option_is_sent_with_its_record(owner, company):
    question = ask(owner, "Tell me about Larch")
    answer(owner, question, "Which one?", [], options=[{"label": "Larch & Sons", "ref": f"company:{company.pk}"}])

    shown = body(owner.client.get(f"/chat/{question.conversation_id}/"))

    assert '<input type="hidden" name="text" value="Larch &amp; Sons">' in shown
    assert f'<input type="hidden" name="ref" value="company:{company.pk}">' in shown


def test_posting_needs_the_token_of_the_page(owner):
    from_elsewhere = owner.client
    from_elsewhere.handler.enforce_csrf_checks = True

    assert from_elsewhere.post("/chat/messages/", message()).status_code == 403
    with tenant(owner.organization.id):
        assert not Message.objects.exists()


# --- stop, retry, feedback --------------------------------------------------------------------


def test_stop_shows_the_stopped_question(owner):
    question = ask(owner)
    turn = turn_of(owner, question, Turn.State.THINKING)

    response = owner.client.post(f"/chat/turns/{turn.id}/stop/", **FETCH)

    assert response.status_code == 200
    assert "You stopped this answer." in body(response)


def test_retry_shows_the_question_at_work_again(owner):
    question = ask(owner)
    turn = turn_of(owner, question, Turn.State.FAILED)

    response = owner.client.post(f"/chat/turns/{turn.id}/retry/", **FETCH)

    assert "data-running" in body(response)
    with tenant(owner.organization.id):
        assert list(question.turns.order_by("attempt").values_list("attempt", "state")) == [
            (1, "failed"),
            (2, "accepted"),
        ]


def test_feedback_is_kept_once_and_shown(owner):
    reply = answer(owner, ask(owner))
    address = f"/chat/messages/{reply.id}/feedback/"

    owner.client.post(address, {"rating": "helpful"}, **FETCH)
    response = owner.client.post(address, {"rating": "unhelpful", "comment": " Too long. "}, **FETCH)

    with tenant(owner.organization.id):
        given = Feedback.objects.get()
    assert (given.rating, given.comment, given.user_id) == ("unhelpful", "Too long.", owner.user.id)
    assert re.search(r'aria-label="Not helpful"[^>]*aria-pressed="true"', body(response))


def test_feedback_without_a_known_rating_is_refused(owner):
    reply = answer(owner, ask(owner))

    response = owner.client.post(f"/chat/messages/{reply.id}/feedback/", {"rating": "superb"}, **FETCH)

    assert response.status_code == 400
    with tenant(owner.organization.id):
        assert not Feedback.objects.exists()


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


def test_an_unknown_form_of_export_is_not_found(owner):
    question = ask(owner)

    assert owner.client.get(f"/chat/{question.conversation_id}/export.pdf").status_code == 404


# --- strangers --------------------------------------------------------------------------------


def addresses(conversation, message, turn, reply, source):
    yield "get", reverse("conversation", args=[conversation])
    yield "get", reverse("manage_conversation", args=[conversation])
    yield "get", reverse("export_conversation", args=[conversation, "md"])
    yield "get", reverse("export_conversation", args=[conversation, "json"])
    yield "post", reverse("send_message", args=[conversation])
    yield "post", reverse("rename_conversation", args=[conversation])
    yield "post", reverse("delete_conversation", args=[conversation])
    yield "get", reverse("exchange", args=[message])
    yield "get", reverse("feedback", args=[reply]) + "?rating=helpful"
    yield "post", reverse("feedback", args=[reply])
    yield "post", reverse("stop_turn", args=[turn])
    yield "post", reverse("retry_turn", args=[turn])
    yield "get", reverse("citation", args=[source])


FIELDS = {"text": "Hello", "client_message_id": "c1", "title": "Mine now", "rating": "helpful"}


@pytest.mark.parametrize("headers", [FETCH, {}], ids=["script", "no script"])
@pytest.mark.parametrize("who", ["stranger", "teammate"])
def test_what_belongs_to_somebody_else_does_not_exist(owner, request, who, headers):
    asker = request.getfixturevalue(who)
    question = ask(owner)
    reply = answer(owner, question)
    with tenant(owner.organization.id):
        turn, source = question.turns.get(), reply.citations.get()
    foreign = addresses(question.conversation_id, question.id, turn.id, reply.id, source.pk)
    unknown = addresses(uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), 2**40)

    for (method, theirs), (_, nobodys) in zip(foreign, unknown, strict=True):
        answers = []
        for address in (theirs, nobodys):
            client = asker.client
            with CaptureQueriesContext(connection) as captured:
                response = getattr(client, method)(address, FIELDS, **headers)
            answers.append((response.status_code, response.content, len(captured)))
        assert answers[0] == answers[1], theirs
        assert answers[0][0] == 404, theirs

    with tenant(owner.organization.id):
        assert Message.objects.count() == 2
        assert Conversation.objects.get().title == "What is lifecycle stage?"
        assert not Feedback.objects.exists()


def test_every_chat_address_is_in_the_strangers_test():
    with_ids = {each.name for each in urlpatterns if "<" in str(each.pattern)}
    tested = {"conversation", "manage_conversation", "export_conversation", "send_message", "rename_conversation"}
    tested |= {"delete_conversation", "exchange", "feedback", "stop_turn", "retry_turn", "citation"}
    assert with_ids == tested


def test_a_stranger_is_offered_none_of_our_records(owner, stranger, company):
    assert "Larch &amp; Sons" in body(owner.client.get("/chat/records/?q=lar"))
    assert "Larch" not in body(stranger.client.get("/chat/records/?q=lar"))
