"""The knowledge page, the page of one document, the file, and their actions."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from agencycore.tenancy import tenant
from knowledge.models import KnowledgeSource
from tests.knowledge.documents import HANDBOOK, ingested, reload, upload
from tests.people import Person

SCRIPT = {"X-Requested-With": "fetch"}


def test_the_page_lists_documents_with_state_and_reason(owner: Person) -> None:
    ingested(owner)
    ingested(owner, b" ", "blank.txt")
    upload(owner, b"Waiting text.", "later.txt")

    page = owner.client.get(reverse("knowledge")).content.decode()

    assert "Travel handbook" in page
    assert "3 passages" in page
    assert "No readable text was found in this document." in page
    assert "Waiting" in page
    assert 'data-in-progress="1"' in page


def test_the_script_gets_the_list_alone(owner: Person) -> None:
    ingested(owner)

    response = owner.client.get(reverse("knowledge"), headers=SCRIPT)

    assert response["Cache-Control"] == "no-store"
    assert "Travel handbook" in response.content.decode()
    assert "<html" not in response.content.decode()


def test_the_list_is_searched_by_title(owner: Person) -> None:
    ingested(owner)
    ingested(owner, b"Fees are listed here.", "fees.txt")

    page = owner.client.get(reverse("knowledge"), {"q": "travel"}, headers=SCRIPT).content.decode()

    assert "Travel handbook" in page
    assert "fees" not in page


def test_a_stranger_sees_none_of_it(owner: Person, stranger: Person) -> None:
    source = ingested(owner)

    assert "Travel handbook" not in stranger.client.get(reverse("knowledge")).content.decode()
    for name in ("knowledge_source", "knowledge_file"):
        foreign = stranger.client.get(reverse(name, args=[source.id]))
        unknown = stranger.client.get(reverse(name, args=[uuid.uuid4()]))
        assert (foreign.status_code, foreign.content) == (404, unknown.content)
    for name in ("knowledge_retry", "knowledge_delete"):
        assert stranger.client.post(reverse(name, args=[source.id])).status_code == 404
        answer = stranger.client.post(reverse(name, args=[source.id]), headers=SCRIPT)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert reload(owner, source.id).state == "ready"


@pytest.mark.parametrize("name", ["knowledge", "knowledge_source", "knowledge_file"])
def test_nobody_sees_anything_without_logging_in(db: None, name: str) -> None:
    arguments = [] if name == "knowledge" else [uuid.uuid4()]

    assert Client().get(reverse(name, args=arguments)).status_code == 302


def test_files_are_uploaded_together(owner: Person) -> None:
    files = [SimpleUploadedFile("a.md", HANDBOOK), SimpleUploadedFile("b.txt", b"Second text.")]

    response = owner.client.post(reverse("knowledge_upload"), {"files": files}, headers=SCRIPT)

    assert response.status_code == 201
    with tenant(owner.actor.organization_id):
        assert sorted(KnowledgeSource.objects.values_list("filename", flat=True)) == ["a.md", "b.txt"]


def test_a_refused_upload_is_explained_to_script_and_browser(owner: Person) -> None:
    empty = {"files": SimpleUploadedFile("a.md", b"")}

    script = owner.client.post(reverse("knowledge_upload"), empty, headers=SCRIPT)
    browser = owner.client.post(reverse("knowledge_upload"), {"files": SimpleUploadedFile("a.md", b"")}, follow=True)

    assert (script.status_code, script.json()) == (400, {"code": "empty", "detail": "The file is empty."})
    assert "The file is empty." in browser.content.decode()


def test_a_document_is_shown_by_passages_with_anchors(owner: Person) -> None:
    source = ingested(owner)

    page = owner.client.get(reverse("knowledge_source", args=[source.id])).content.decode()

    assert 'id="chunk-1"' in page
    assert 'id="chunk-3"' in page
    assert "Second class tickets are refunded within fourteen days when the receipt is attached." in page
    assert "<td>Lisbon</td><td>140</td>" in page


def test_text_of_a_document_is_never_markup(owner: Person) -> None:
    source = ingested(owner, b"Hello <script>alert(1)</script> and <b>bold</b> words.", "x.txt")

    page = owner.client.get(reverse("knowledge_source", args=[source.id])).content.decode()

    assert "Hello &lt;script&gt;alert(1)&lt;/script&gt; and &lt;b&gt;bold&lt;/b&gt; words." in page


def test_a_passage_beyond_the_first_page_has_an_address_that_opens_it(owner: Person) -> None:
    text = "\n\n".join(f"## Part {n}\n\nThe rule of part {n} is {n}." for n in range(1, 131))
    source = ingested(owner, text.encode(), "rules.md")
    with tenant(owner.actor.organization_id):
        address = source.chunks.get(ordinal=120).url

    assert address == f"/knowledge/{source.id}/?page=2#chunk-120"
    assert 'id="chunk-120"' in owner.client.get(address).content.decode()


def test_the_original_is_served_as_an_attachment_the_browser_does_not_run(owner: Person) -> None:
    source = ingested(owner, b"<html><body><h1>Fees</h1><script>alert(1)</script></body></html>", "fees.html")

    response = owner.client.get(reverse("knowledge_file", args=[source.id]))

    assert b"".join(response.streaming_content).startswith(b"<html>")  # type: ignore[attr-defined]
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="fees.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox"


@pytest.mark.parametrize("code", ["embedder", "internal", "stopped", "too_slow"])
def test_a_document_that_failed_for_a_passing_reason_is_retried_from_the_page(owner: Person, code: str) -> None:
    source = ingested(owner, b" ", "blank.txt")
    with tenant(owner.organization.id):
        KnowledgeSource.objects.filter(id=source.id).update(failure_code=code)
    address = reverse("knowledge_retry", args=[source.id])
    assert address in owner.client.get(reverse("knowledge")).content.decode()

    assert owner.client.post(address).status_code == 302

    assert reload(owner, source.id).state == "uploaded"


def test_a_document_that_cannot_be_read_is_not_offered_for_another_try(owner: Person) -> None:
    source = ingested(owner, b"%PDF-1.7 and more", "report.pdf")

    page = owner.client.get(reverse("knowledge")).content.decode()

    assert "cannot be read yet" in page
    assert reverse("knowledge_retry", args=[source.id]) not in page


def test_a_document_is_deleted_from_the_page_by_its_uploader_only(owner: Person, teammate: Person) -> None:
    source = ingested(owner)

    refused = teammate.client.post(reverse("knowledge_delete", args=[source.id]), follow=True)
    assert "Only the person who uploaded a document, or an admin, can delete it." in refused.content.decode()
    assert "Delete for everyone" not in teammate.client.get(reverse("knowledge")).content.decode()
    assert reload(owner, source.id).state == "ready"

    deleted = owner.client.post(reverse("knowledge_delete", args=[source.id]), follow=True)
    assert "“Travel handbook” and its 3 passages were deleted." in deleted.content.decode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b" ", "“blank” was deleted."),
        (b"One short passage about travel.", "“blank” and its one passage were deleted."),
    ],
)
def test_what_was_deleted_is_said_in_words_that_fit_its_passages(owner: Person, content, words) -> None:
    source = ingested(owner, content, "blank.txt")

    shown = owner.client.post(reverse("knowledge_delete", args=[source.id]), follow=True).content.decode()

    assert words in shown
