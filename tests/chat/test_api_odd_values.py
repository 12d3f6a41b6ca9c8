"""Whatever a client sends in any field, parameter or header of the API or of chat's forms: never a fault of ours."""

import json
import uuid
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import urlencode

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agencycore.tenancy import tenant
from conversations.models import Conversation
from tests.chat.conversations import answer, ask
from tests.people import Person

pytestmark = pytest.mark.django_db

HALF = "\ud83d"
PARAMETERS = ("cursor", "search", "page", "page_size", "limit", "offset", "format", "ordering")
IN_PARTS = ("conversations/", "knowledge/", "conversations/{conversation}/messages/")
LISTS = (*IN_PARTS, "capabilities/")
FIELDS = {
    "conversations/": ("title", "documents"),
    "conversations/{conversation}/": ("title", "documents"),
    "conversations/{conversation}/messages/": ("text", "client_message_id", "refs", "page", "run", "for_chat"),
    "chat/": ("text", "client_message_id", "refs", "page", "run", "for_chat", "conversation"),
    "messages/{reply}/feedback/": ("rating", "comment"),
}
METHODS = {"conversations/{conversation}/": "PATCH", "messages/{reply}/feedback/": "PUT"}
VALID = {"text": "Hello", "client_message_id": "c1", "rating": "helpful"}
FORMS = {
    "/chat/messages/": ("text", "client_message_id", "ref", "page", "run", "to", "document", "page_organization"),
    "/chat/{conversation}/messages/": ("text", "client_message_id", "ref", "page", "run", "to"),
    "/chat/{conversation}/recipient/": ("text", "ref"),
    "/chat/{conversation}/documents/": ("document", "remove", "form"),
    "/chat/{conversation}/rename/": ("title",),
    "/chat/messages/{reply}/feedback/": ("rating", "comment"),
}

characters = st.characters(exclude_categories=())  # surrogates, too
odd_texts = st.one_of(
    st.text(characters, max_size=40),
    st.sampled_from(["", "\x00", HALF, f"company:{HALF}", "company:\x00", "company:", "a" * 9_000, "1" * 400, "null"]),
    st.uuids().map(str),
)
odd_values = st.recursive(
    st.one_of(odd_texts, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(odd_texts, inner, max_size=2)),
    max_leaves=5,
)
CURSORS = ("p=", "p=x", "p=\x00", "o=-1", "r=x", "p=0001-01-01", f"p={10**40}", "p=9999-12-31 23:59:59+23:59", "p=NaN")
cursors = st.one_of(st.sampled_from(CURSORS), odd_texts.map(lambda words: f"p={words}"))

many = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Desk:
    """A member's client that is answered 500 and not raised at, and what they have."""

    client: Client
    ids: dict[str, str]

    def fill(self, address: str) -> str:
        return address.format(**self.ids)

    def send(self, method: str, address: str, body: object) -> int:
        response = self.client.generic(
            method, f"/api/v1/{self.fill(address)}", json.dumps(body), content_type="application/json"
        )
        return checked(response)


def checked(response) -> int:
    """The status; a refusal of the API is in its one shape."""
    if response.status_code >= 400 and response.request["PATH_INFO"].startswith("/api/"):
        assert response["Content-Type"] == "application/json", response.content[:500]
        refusal = response.json()
        assert isinstance(refusal["detail"], str), refusal
        assert refusal["detail"], refusal
        assert isinstance(refusal["code"], str), refusal
    return int(response.status_code)


@pytest.fixture
def desk(owner: Person, settings, monkeypatch, tmp_path) -> Desk:
    settings.MESSAGES_PER_MINUTE = 1_000_000
    settings.MEDIA_ROOT = str(tmp_path)
    question = ask(owner)
    reply = answer(owner, question)
    # The views that stream would leave this test's transaction.
    monkeypatch.setattr(
        "agencycore.streams.database.database_sync_to_async",
        lambda read, **_: sync_to_async(read, thread_sensitive=True),
    )
    client = owner.client
    client.raise_request_exception = False
    return Desk(client, {"conversation": str(question.conversation_id), "reply": str(reply.id)})


@pytest.mark.parametrize("address", IN_PARTS)
@pytest.mark.parametrize("position", CURSORS)
def test_a_broken_cursor_is_refused_in_words(desk, address, position):
    cursor = b64encode(position.encode()).decode()

    response = desk.client.get(f"/api/v1/{desk.fill(address)}?{urlencode({'cursor': cursor})}")

    assert (checked(response), response.json()["code"]) == (400, "invalid_cursor")


def test_the_cursors_of_an_answer_are_taken(desk, owner):
    with tenant(owner.organization.id):
        for number in range(120):
            Conversation.objects.create(organization=owner.organization, starter=owner.user, title=str(number))

    seen, address = [], "/api/v1/conversations/"
    while address:
        page = desk.client.get(address).json()
        seen += [each["id"] for each in page["results"]]
        back, address = page["previous"], page["next"]
        assert back is None or desk.client.get(back).status_code == 200

    assert len(seen) == len(set(seen)) == 121


@many
@given(address=st.sampled_from(LISTS), name=st.sampled_from(PARAMETERS), value=odd_texts, position=cursors)
def test_no_parameter_is_a_fault_of_ours(desk, address, name, value, position):
    written = position if name == "cursor" else value
    raw = written.encode("utf-8", "surrogatepass")
    query = urlencode({name: b64encode(raw) if name == "cursor" else raw})

    assert checked(desk.client.get(f"/api/v1/{desk.fill(address)}?{query}")) < 500


@many
@given(target=st.sampled_from([(path, name) for path, names in FIELDS.items() for name in names]), value=odd_values)
@example(target=("chat/", "page"), value=HALF)
@example(target=("chat/", "refs"), value=[f"company:{HALF}"])
@example(target=("conversations/{conversation}/messages/", "refs"), value=[HALF])
@example(target=("conversations/", "title"), value={HALF: 1})
def test_no_field_is_a_fault_of_ours(desk, target, value):
    address, name = target
    body = {**VALID, "client_message_id": str(uuid.uuid4()), name: value}

    assert desk.send(METHODS.get(address, "POST"), address, body) < 500


@many
@given(address=st.sampled_from(sorted(FIELDS)), body=odd_values)
def test_no_body_is_a_fault_of_ours(desk, address, body):
    assert desk.send(METHODS.get(address, "POST"), address, body) < 500


@many
@given(target=st.sampled_from([(path, name) for path, names in FORMS.items() for name in names]), value=odd_texts)
@example(target=("/chat/messages/", "client_message_id"), value="a\x00")
@example(target=("/chat/messages/", "page"), value=HALF)
def test_no_form_field_of_chat_is_a_fault_of_ours(desk, target, value):
    address, name = target
    fields = {**VALID, "client_message_id": str(uuid.uuid4()), name: value.encode("utf-8", "surrogatepass")}

    response = desk.client.post(desk.fill(address), urlencode(fields), content_type="application/x-www-form-urlencoded")

    assert response.status_code < 500


@many
@given(filename=odd_texts, title=odd_texts)
def test_no_upload_is_a_fault_of_ours(desk, filename, title):
    fields = [('name="title"', title), (f'name="file"; filename="{filename}"', "Some words.")]
    parts = [f"--cut\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n" for head, value in fields]
    body = "".join([*parts, "--cut--\r\n"]).encode("utf-8", "surrogatepass")

    response = desk.client.post("/api/v1/knowledge/", body, content_type="multipart/form-data; boundary=cut")

    assert checked(response) < 500


@pytest.mark.parametrize("charset", ["utf-7", "utf-16", "unicode_escape", "latin-1", "nonsense"])
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
def test_what_is_not_written_in_utf_8_is_refused(desk, charset, kind):
    for method in ("GET", "POST"):
        address, content_type = "/api/v1/conversations/?search=%41", f"{kind}; charset={charset}"
        response = desk.client.generic(method, address, "title=x", content_type=content_type)
        assert (checked(response), response.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize("name", ["slug", "\x00", "é", "0" * 300, "../..", "%00"])
def test_no_name_of_an_organization_is_a_fault_of_ours(desk, name):
    assert checked(desk.client.get("/api/v1/conversations/", headers={"X-Organization": name})) == 404
