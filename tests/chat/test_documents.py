"""Documents chosen for a conversation: by dialog, by dropped file, over the API; and what is then read."""

import uuid
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from agencycore.errors import NotFound, ProductError
from agencycore.streams.models import Event
from agencycore.tenancy import tenant
from chat.context.builder import build_context
from chat.documents import add_documents, choose_documents
from chat.models import Turn
from conversations.actions import start_conversation
from conversations.models import Conversation
from knowledge.actions import delete_source
from knowledge.models import KnowledgeSource
from tests.chat.pages import FETCH, body
from tests.knowledge.documents import ingested, upload

pytestmark = pytest.mark.django_db

TRIAL = b"# Trial\n\nThe trial takes fourteen days and ends by itself."
OFFER = b"# Offer\n\nThe trial takes a whole year for partners."


@pytest.fixture(autouse=True)
def _files(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def conversation(owner):
    with tenant(owner.organization.id):
        return start_conversation(actor=owner.actor, title="Trial")


@pytest.fixture
def trial(owner):
    return ingested(owner, TRIAL, "trial.md")


@pytest.fixture
def offer(owner):
    return ingested(owner, OFFER, "offer.md")


def choose(person, conversation, *sources, act=choose_documents):
    with tenant(person.organization.id):
        ids = [source.id for source in sources]
        return act(actor=person.actor, conversation_id=conversation.id, documents=ids)


def chosen(person):
    with tenant(person.organization.id):
        return Conversation.objects.get().documents


# --- the actions ------------------------------------------------------------------------------


def test_a_choice_is_kept_in_order_and_announced_once(owner, conversation, trial, offer):
    for _ in range(2):
        choose(owner, conversation, offer, trial, offer)

    assert chosen(owner) == [str(offer.id), str(trial.id)]
    with tenant(owner.organization.id):
        events = Event.objects.filter(stream__name=conversation.stream_name)
        assert [(event.type, event.payload) for event in events] == [
            ("conversation.documents", {"documents": [str(offer.id), str(trial.id)]})
        ]


def test_added_documents_stand_beside_the_chosen_ones(owner, conversation, trial, offer):
    choose(owner, conversation, trial)
    choose(owner, conversation, offer, act=add_documents)

    assert chosen(owner) == [str(trial.id), str(offer.id)]


def test_choosing_none_reads_all_again(owner, conversation, trial):
    choose(owner, conversation, trial)
    choose(owner, conversation)

    assert chosen(owner) == []


@pytest.mark.parametrize("act", [choose_documents, add_documents])
def test_a_strangers_document_is_one_that_does_not_exist(owner, stranger, conversation, trial, act):
    foreign = ingested(stranger, OFFER, "offer.md")
    choose(owner, conversation, trial)

    with pytest.raises(NotFound, match="There is no such document"):
        choose(owner, conversation, foreign, act=act)
    assert chosen(owner) == [str(trial.id)]


@pytest.mark.parametrize("act", [choose_documents, add_documents])
@pytest.mark.parametrize("who", ["stranger", "teammate"])
def test_nobody_else_chooses_for_a_conversation(owner, request, conversation, trial, who, act):
    with pytest.raises(NotFound, match="This conversation does not exist"):
        choose(request.getfixturevalue(who), conversation, trial, act=act)
    assert chosen(owner) == []


def test_more_than_twenty_documents_are_refused(owner, conversation, trial):
    with tenant(owner.organization.id), pytest.raises(ProductError, match="At most 20 documents"):
        choose_documents(
            actor=owner.actor, conversation_id=conversation.id, documents=[uuid.uuid4() for _ in range(21)]
        )


def test_a_deleted_document_leaves_the_choice(owner, conversation, trial, offer):
    choose(owner, conversation, trial, offer)

    with tenant(owner.organization.id):
        receipt = delete_source(actor=owner.actor, source_id=trial.id)

    assert receipt.redactions["choices"] == 1
    assert chosen(owner) == [str(offer.id)]


# --- what is then read ------------------------------------------------------------------------


def test_only_chosen_documents_are_read(owner, trial, offer):
    read = {}
    for name, sources in {"all": [], "trial": [trial], "offer": [offer]}.items():
        response = owner.client.post(
            "/chat/messages/",
            {"text": "How long does the trial take?", "client_message_id": name, "document": [s.id for s in sources]},
            **FETCH,
        )
        assert response.status_code == 201
        with tenant(owner.organization.id):
            turn = Turn.objects.select_related("message", "conversation").latest("created_at")
        brief = build_context(turn=turn, actor=owner.actor)
        read[name] = {item.label for item in brief.of("knowledge")}

    assert read == {"all": {"Trial", "Offer"}, "trial": {"Trial"}, "offer": {"Offer"}}


# --- the page ---------------------------------------------------------------------------------


def test_the_dialog_lists_own_ready_documents_with_the_chosen_ones_first(owner, stranger, conversation, trial, offer):
    ingested(stranger, b"# Secret\n\nNobody else reads this.", "secret.md")
    upload(owner, b"# Waiting\n\nNot ready yet.", "waiting.md")
    choose(owner, conversation, trial)

    shown = body(owner.client.get(f"/chat/{conversation.id}/documents/", **FETCH))

    assert shown.index(f'value="{trial.id}" checked') < shown.index(f'value="{offer.id}">')
    assert "Waiting" not in shown
    assert "Secret" not in shown
    assert "<html" not in shown


def test_the_dialog_is_searched_and_keeps_what_is_checked(owner, trial, offer):
    shown = body(owner.client.get(f"/chat/documents/?part=options&chosen=1&q=zebra&document={trial.id}", **FETCH))

    assert f'value="{trial.id}" checked' in shown
    assert str(offer.id) not in shown
    assert "No other ready document’s title holds “zebra”." in shown


def test_the_chosen_documents_are_chips_of_the_composer(owner, conversation, trial):
    response = owner.client.post(f"/chat/{conversation.id}/documents/", {"document": [trial.id]}, **FETCH)
    page = owner.client.get(f"/chat/{conversation.id}/")

    for shown in (body(response), body(page)):
        assert f'data-document="{trial.id}" data-title="Trial" data-state="ready"' in shown
        assert 'aria-label="Do not read Trial"' in shown


def test_a_chip_is_removed(owner, conversation, trial, offer):
    choose(owner, conversation, trial, offer)

    ids = [trial.id, offer.id]
    owner.client.post(f"/chat/{conversation.id}/documents/", {"document": ids, "remove": trial.id}, **FETCH)

    assert chosen(owner) == [str(offer.id)]


def test_a_dropped_file_is_an_ordinary_upload_chosen_for_the_chat(owner, conversation, trial):
    choose(owner, conversation, trial)
    file = SimpleUploadedFile("notes.md", b"# Notes\n\nFresh.")

    shown = body(owner.client.post(f"/chat/{conversation.id}/documents/", {"file": file}, **FETCH))

    with tenant(owner.organization.id):
        source = KnowledgeSource.objects.get(filename="notes.md")
        assert (source.state, source.uploaded_by_id) == ("uploaded", owner.user.id)
    assert chosen(owner) == [str(trial.id), str(source.id)]
    assert "data-in-progress" in shown
    assert "waiting" in shown


def test_a_file_dropped_before_the_first_message_is_chosen_with_it(owner):
    file = SimpleUploadedFile("notes.md", b"# Notes\n\nFresh.")
    owner.client.post("/chat/documents/", {"file": file}, **FETCH)
    with tenant(owner.organization.id):
        source = KnowledgeSource.objects.get()
        assert not Conversation.objects.exists()

    message = {"text": "What is new?", "client_message_id": "c1", "document": [source.id, uuid.uuid4()]}
    owner.client.post("/chat/messages/", message, **FETCH)

    assert chosen(owner) == [str(source.id)]


def test_an_empty_file_is_refused_in_words(owner, conversation):
    response = owner.client.post(
        f"/chat/{conversation.id}/documents/", {"file": SimpleUploadedFile("empty.md", b"")}, **FETCH
    )

    assert (response.status_code, response.json()["detail"]) == (400, "The file is empty.")
    assert chosen(owner) == []


def test_without_script_the_choice_is_a_page_that_leads_back(owner, conversation, trial):
    page = body(owner.client.get("/chat/documents/"))
    first = owner.client.post("/chat/documents/", {"form": "1", "document": [trial.id]})
    later = owner.client.post(f"/chat/{conversation.id}/documents/", {"form": "1", "document": [trial.id]})

    assert "Documents of this chat" in page
    assert first["Location"] == f"/?document={trial.id}"
    assert f'name="document" value="{trial.id}"' in body(owner.client.get(first["Location"]))
    assert later["Location"] == f"/chat/{conversation.id}/"
    assert chosen(owner) == [str(trial.id)]


def test_an_unknown_document_in_the_address_is_left_out_and_said_so(owner, stranger):
    foreign = ingested(stranger, OFFER, "offer.md")

    for document in (foreign.id, uuid.uuid4(), "nonsense"):
        shown = body(owner.client.get(f"/?document={document}"))
        assert "A document could not be found, so it was left out." in shown
        assert "Offer" not in shown


@pytest.mark.parametrize("document", ["nonsense", "0190a1b2-0000-7000-8000-000000000000"])
def test_a_choice_of_no_document_is_not_found(owner, conversation, document):
    response = owner.client.post(f"/chat/{conversation.id}/documents/", {"document": [document]}, **FETCH)

    assert (response.status_code, response.json()["detail"]) == (404, "There is no such document.")


# --- the API ----------------------------------------------------------------------------------


def test_the_api_chooses_documents_and_leaves_the_rest_as_it_is(owner, conversation, trial):
    address = f"/api/v1/conversations/{conversation.id}/"

    changed = owner.client.patch(address, {"documents": [str(trial.id)]}, content_type="application/json").json()
    renamed = owner.client.patch(address, {"title": "New"}, content_type="application/json").json()

    assert (changed["title"], changed["documents"]) == ("Trial", [str(trial.id)])
    assert (renamed["title"], renamed["documents"]) == ("New", [str(trial.id)])


def test_the_api_starts_a_conversation_with_documents(owner, trial):
    content = {"title": "Trial", "documents": [str(trial.id)]}

    response = owner.client.post("/api/v1/conversations/", content, content_type="application/json")

    assert (response.status_code, response.json()["documents"]) == (201, [str(trial.id)])


def test_the_api_changes_both_or_nothing(owner, stranger, conversation):
    foreign = ingested(stranger, OFFER, "offer.md")
    address = f"/api/v1/conversations/{conversation.id}/"

    answers = []
    for document in (foreign.id, uuid.uuid4()):
        content = {"title": "Changed", "documents": [str(document)]}
        answers.append(owner.client.patch(address, content, content_type="application/json"))

    assert [response.status_code for response in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    with tenant(owner.organization.id):
        assert Conversation.objects.get().title == "Trial"
    refused = {"title": " ", "documents": []}
    assert owner.client.patch(address, refused, content_type="application/json").status_code == 400


@pytest.mark.parametrize("documents", ["x", ["x"], [str(uuid.uuid4())] * 21])
def test_the_api_refuses_what_is_no_list_of_documents(owner, conversation, documents):
    response = owner.client.patch(
        f"/api/v1/conversations/{conversation.id}/", {"documents": documents}, content_type="application/json"
    )

    assert response.status_code == 400
    assert "documents" in response.json()
