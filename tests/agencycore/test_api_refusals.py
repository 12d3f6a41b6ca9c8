"""Every refusal of the API has one shape, whoever refuses: the view, the framework, or no view at all."""

import json
from dataclasses import dataclass, field

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from tests.chat.conversations import ask

pytestmark = pytest.mark.django_db

UNKNOWN = "6f2d3c1a-0000-4000-8000-00000000abcd"
JSON = "application/json"


@dataclass(frozen=True)
class Refused:
    method: str
    path: str
    status: int
    code: str
    body: str = ""
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)


REFUSALS = [
    Refused("GET", "nowhere/", 404, "not_found"),
    Refused("GET", "conversations/abc/", 404, "not_found"),
    Refused("GET", f"conversations/{UNKNOWN}/", 404, "not_found"),
    Refused("GET", f"turns/{UNKNOWN}/events", 404, "not_found"),
    Refused("GET", "conversations/", 404, "not_found", headers={"X-Organization": "birch"}),
    Refused("GET", f"turns/{UNKNOWN}/events", 404, "not_found", headers={"X-Organization": "birch"}),
    Refused("POST", "chat/", 404, "not_found", "{}", headers={"X-Organization": "birch"}),
    Refused(
        "POST", "chat/", 404, "not_found", json.dumps({"text": "x", "client_message_id": "x", "conversation": UNKNOWN})
    ),
    Refused("DELETE", "conversations/", 405, "method_not_allowed"),
    Refused("GET", "chat/", 405, "method_not_allowed"),
    Refused("POST", f"turns/{UNKNOWN}/events", 405, "method_not_allowed", "{}"),
    Refused("GET", "conversations/", 406, "not_acceptable", headers={"Accept": "image/png"}),
    Refused("POST", "conversations/", 415, "unsupported_media_type", "<a/>", "application/xml"),
    Refused("POST", "chat/", 415, "unsupported_media_type", "<a/>", "application/xml"),
    Refused("POST", "knowledge/", 415, "unsupported_media_type", "{}"),
    Refused("POST", "conversations/", 400, "parse_error", "{"),
    Refused("POST", "chat/", 400, "parse_error", "{"),
    Refused("POST", "conversations/", 400, "parse_error", "[" * 3_000),
    Refused("POST", "chat/", 400, "parse_error", '{"page": "\\ud83d"}'),
    Refused("POST", "conversations/", 400, "invalid", "[]"),
    Refused("POST", "chat/", 400, "invalid", "{}"),
    Refused("GET", "conversations/?cursor=cD0%3D", 400, "invalid_cursor"),
    Refused("GET", "conversations/?search=%00", 400, "bad_request"),
    Refused("PUT", f"messages/{UNKNOWN}/feedback/", 404, "not_found", '{"rating": "helpful"}'),
]


@pytest.fixture(autouse=True)
def in_this_transaction(monkeypatch):
    """The views that stream would leave it."""
    monkeypatch.setattr(
        "agencycore.streams.database.database_sync_to_async",
        lambda read, **_: sync_to_async(read, thread_sensitive=True),
    )


def told(response) -> tuple[int, str]:
    """Status and code of a refusal, whose shape is checked."""
    assert response["Content-Type"] == JSON
    refusal = response.json()
    assert isinstance(refusal["detail"], str)
    assert refusal["detail"]
    return response.status_code, refusal["code"]


@pytest.mark.parametrize(
    "refused", REFUSALS, ids=lambda each: f"{each.method}-{each.path[:24]}-{each.code}-{each.status}"
)
def test_a_refusal_tells_words_and_a_code(owner, other_organization, refused):
    response = owner.client.generic(
        refused.method, f"/api/v1/{refused.path}", refused.body, refused.content_type, headers=refused.headers
    )

    assert told(response) == (refused.status, refused.code)
    assert refused.status != 405 or response["Allow"]


@pytest.mark.parametrize("path", ["conversations/", f"turns/{UNKNOWN}/events", "chat/", "knowledge/", "capabilities/"])
@pytest.mark.parametrize("token", ["", "Token nobody's", "Token"])
def test_who_is_nobody_is_told_so_in_the_same_shape(db, path, token):
    headers = {"Authorization": token} if token else {}

    response = Client().generic("POST" if path == "chat/" else "GET", f"/api/v1/{path}", "{}", JSON, headers=headers)

    assert told(response) == (401, "authentication_failed" if token else "not_authenticated")
    assert response["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("path", ["conversations/", "chat/"])
def test_a_session_without_its_csrf_token_is_forbidden(owner, path):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)

    assert told(client.post(f"/api/v1/{path}", "{}", JSON)) == (403, "permission_denied")


def test_too_many_messages_tell_when_to_come_back(owner, settings):
    settings.MESSAGES_PER_MINUTE = 0
    conversation = ask(owner).conversation_id

    for path in (f"conversations/{conversation}/messages/", "chat/"):
        response = owner.client.post(f"/api/v1/{path}", {"text": "x", "client_message_id": "x"}, JSON)
        assert told(response) == (429, "rate_limited")
        assert response["Retry-After"] == "30"


def test_a_refused_field_is_named_beside_the_words(owner):
    response = owner.client.post("/api/v1/chat/", {"text": ""}, JSON)

    refusal = response.json()
    assert refusal["text"] == ["This field may not be blank."]
    assert refusal["client_message_id"] == ["This field is required."]
    assert refusal["detail"] == ("text: This field may not be blank.; client_message_id: This field is required.")
