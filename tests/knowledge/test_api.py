"""The knowledge API."""

import uuid

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.knowledge.documents import HANDBOOK, ingested, reload
from tests.people import Person

SOURCES = "/api/v1/knowledge/"


def test_a_file_is_uploaded_and_listed(owner: Person) -> None:
    created = owner.client.post(SOURCES, {"file": SimpleUploadedFile("a.md", HANDBOOK), "title": "Rules"})

    assert created.status_code == 201
    assert (created.json()["title"], created.json()["state"]) == ("Rules", "uploaded")
    assert [source["id"] for source in owner.client.get(SOURCES).json()["results"]] == [created.json()["id"]]


def test_a_source_is_read_with_its_state(owner: Person) -> None:
    source = ingested(owner)

    answer = owner.client.get(f"{SOURCES}{source.id}/").json()

    assert (answer["state"], answer["chunks"], answer["kind"], answer["failure_code"]) == ("ready", 3, "markdown", "")


def test_an_empty_file_is_refused_with_its_code(owner: Person) -> None:
    answer = owner.client.post(SOURCES, {"file": SimpleUploadedFile("a.md", b"")})

    assert (answer.status_code, answer.json()) == (400, {"code": "empty", "detail": "The file is empty."})


def test_a_failed_source_is_retried(owner: Person) -> None:
    source = ingested(owner, b" ", "blank.txt")

    assert owner.client.post(f"{SOURCES}{source.id}/retry/").json()["state"] == "uploaded"


def test_a_source_is_deleted_and_the_answer_is_the_receipt(owner: Person) -> None:
    source = ingested(owner)

    receipt = owner.client.delete(f"{SOURCES}{source.id}/").json()

    assert (receipt["chunks_removed"], receipt["rows_remaining"]) == (3, 0)


def test_a_teammate_reads_it_and_may_not_delete_it(owner: Person, teammate: Person) -> None:
    source = ingested(owner)

    assert teammate.client.get(f"{SOURCES}{source.id}/").status_code == 200
    refused = teammate.client.delete(f"{SOURCES}{source.id}/")
    assert (refused.status_code, refused.json()["code"]) == (409, "refused")


def test_a_stranger_gets_the_answer_of_an_id_that_does_not_exist(owner: Person, stranger: Person) -> None:
    source = ingested(owner)

    assert stranger.client.get(SOURCES).json()["results"] == []
    for method, path in (("get", ""), ("delete", ""), ("post", "retry/")):
        foreign = getattr(stranger.client, method)(f"{SOURCES}{source.id}/{path}")
        unknown = getattr(stranger.client, method)(f"{SOURCES}{uuid.uuid4()}/{path}")
        assert (foreign.status_code, foreign.json()) == (404, unknown.json())
    assert reload(owner, source.id).state == "ready"
