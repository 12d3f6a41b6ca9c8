"""Requests that no view understands: a page for people, JSON for clients, never a server error."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

ADDRESSES = ("/chat/", "/crm/companies/", "/admin/conversations/message/", "/knowledge/", "/api/v1/conversations/")


def failing(request):
    raise RuntimeError("broken")


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("parameter", ["search", "q", "page", "cursor", "order"])
def test_a_null_character_in_an_address_is_refused(admin, address, parameter):
    response = admin.client.get(f"{address}?{parameter}=%00")

    assert response.status_code == 400


@pytest.mark.parametrize(("path", "words"), [("nope/", "Not found."), ("conversations/not-an-id/", "Not found.")])
def test_an_unknown_api_address_is_answered_in_json(owner, path, words):
    response = owner.client.get(f"/api/v1/{path}")

    assert (response.status_code, response.json()) == (404, {"detail": words, "code": "not_found"})


def test_an_unknown_page_is_a_page(owner):
    response = owner.client.get("/nope/")

    assert response.status_code == 404
    assert b"<h1>" in response.content


@pytest.mark.parametrize("body", ["[" * 3_000, '{"title":' * 3_000])
def test_json_of_any_depth_is_the_clients_fault(owner, body):
    response = owner.client.post("/api/v1/conversations/", body, content_type="application/json")

    assert (response.status_code, response["Content-Type"]) == (400, "application/json")


def test_a_body_that_is_too_large_is_answered_in_json(owner, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100

    response = owner.client.post("/api/v1/conversations/", {"title": "x" * 200}, content_type="application/json")

    assert (response.status_code, response.json()["code"]) == (413, "too_large")


def test_a_fault_of_ours_is_answered_in_json(owner, monkeypatch):
    client = owner.client
    client.raise_request_exception = False
    monkeypatch.setattr("chat.api.views.list_conversations", lambda *_args, **_more: failing(None))

    response = client.get("/api/v1/conversations/")

    assert (response.status_code, response.json()["code"]) == (500, "server_error")


def test_a_session_without_its_csrf_token_is_refused_in_json(owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)

    response = client.post("/api/v1/conversations/", {"title": "x"}, content_type="application/json")

    assert (response.status_code, response["Content-Type"]) == (403, "application/json")


def test_who_has_no_right_is_not_told_to_try_again(admin):
    response = admin.client.get("/admin/runs/definition/add/")

    assert response.status_code == 403
    assert "You do not have the right to see or do this." in response.content.decode()
    assert "try once more" not in response.content.decode()
