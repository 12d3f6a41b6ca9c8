"""What a person does at the product and finds in it: documents, the page, passages, files, the API, the socket."""

import html
import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections, transaction
from django.test import Client
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from agencycore.ai.types import DecisionRequest
from agencycore.ai.wire import WireAnswer
from agencycore.asgi import application
from agencycore.refs import ResourceRef
from agencycore.streams.database import off_loop
from agencycore.tenancy import tenant
from crm.models import Company
from knowledge.models import KnowledgeSource
from knowledge.tasks import ingest_source
from tests.chat.pipeline import FETCH, cookie_headers
from tests.people import Person
from tests.sockets import Socket

REPLY = re.compile(
    r'<div class="reply reply-\w+" id="m-(?P<id>[0-9a-f-]{36})">(?P<inside>.*?)<div class="reply-foot">', re.S
)
CHIP = re.compile(r'<a class="source(?P<gone> is-gone)?" href="(?P<url>[^"]+)"(?P<inside>.*?)</a>', re.S)
NUMBER = re.compile(r'<span class="source-number">(\d+)</span>')
LABEL = re.compile(r'<span class="source-label truncate">(.*?)</span>')
MARKER = re.compile(r'<a (?=[^>]*class="marker")[^>]*href="([^"]+)"[^>]*>(\d+)</a>')
PASSAGE = re.compile(r'<blockquote class="passage">(.*?)</blockquote>', re.S)
GAP = re.compile(r"<span>Could not answer: (.*?)</span>", re.S)

TRAVEL = """# Travel handbook

Travel is booked by the office.

## Rail travel

Second class tickets are refunded within fourteen days when the receipt is attached.

## Hotels

A hotel night may cost up to 140 euros in Lisbon and 180 euros in Oslo.
"""
RAIL_QUESTION = "When are second class tickets refunded?"
RAIL = "Second class tickets are refunded within fourteen days when the receipt is attached."


@dataclass(frozen=True)
class ShownSource:
    """A source under a reply, as the page shows it; ``url`` opens its passage."""

    number: int
    label: str
    url: str
    is_gone: bool


@dataclass(frozen=True)
class ShownReply:
    """``markers`` are the numbers in the text, in order, and where each leads."""

    id: str
    markers: tuple[tuple[int, str], ...]
    sources: tuple[ShownSource, ...]
    gaps: tuple[str, ...]


def upload(person: Person, text: str, filename: str = "handbook.md") -> KnowledgeSource:
    """The page's own upload, and what a worker does that was rung for it."""
    file = SimpleUploadedFile(filename, text.encode())
    response = person.client.post("/knowledge/upload/", {"files": file}, headers=FETCH)
    assert response.status_code == 201, response.content
    [source_id] = response.json()["sources"]
    ingest_source(str(person.organization.id), source_id)
    with tenant(person.organization.id):
        source = KnowledgeSource.objects.get(id=source_id)
    assert source.state == "ready", source.failure_reason
    return source


def delete_document(person: Person, source: KnowledgeSource) -> None:
    response = person.client.post(f"/knowledge/{source.id}/delete/")
    assert response.status_code == 302, response.content


def company(person: Person, name: str, **fields: object) -> ResourceRef:
    with tenant(person.organization.id):
        row = Company.objects.create(
            organization=person.organization,
            name=name,
            domain=f"{uuid.uuid4().hex[:8]}.example",
            **{"owner": person.user, **fields},
        )
    return ResourceRef("company", str(row.id), name)


def page_of(client: Client, conversation_id: object) -> str:
    response = client.get(f"/chat/{conversation_id}/")
    assert response.status_code == 200
    return response.content.decode()


def shown_replies(page: str) -> list[ShownReply]:
    return [_shown_reply(found) for found in REPLY.finditer(page)]


def _shown_reply(found: re.Match[str]) -> ShownReply:
    inside = found["inside"]
    return ShownReply(
        found["id"],
        tuple((int(number), url) for url, number in MARKER.findall(inside)),
        tuple(map(_shown_source, CHIP.finditer(inside))),
        tuple(map(html.unescape, GAP.findall(inside))),
    )


def _shown_source(chip: re.Match[str]) -> ShownSource:
    inside = chip["inside"]
    return ShownSource(
        int(NUMBER.search(inside)[1]), html.unescape(LABEL.search(inside)[1]), chip["url"], bool(chip["gone"])
    )


def opened(client: Client, url: str) -> str:
    """The passage behind a marker, as the panel shows it; "" where there is none any more."""
    response = client.get(url, headers=FETCH)
    assert response.status_code == 200
    found = PASSAGE.search(response.content.decode())
    return html.unescape(found[1].replace("<br>", "\n")) if found else ""


def exported(person: Person, conversation_id: object) -> dict[str, list[dict]]:
    return json.loads(person.client.get(f"/chat/{conversation_id}/export.json").content)


def exported_markdown(person: Person, conversation_id: object) -> str:
    return person.client.get(f"/chat/{conversation_id}/export.md").content.decode()


def api(person: Person) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.get_or_create(user=person.user)[0].key}")
    return client


def api_messages(person: Person, conversation_id: object) -> list[dict]:
    response = api(person).get(f"/api/v1/conversations/{conversation_id}/messages/?page_size=200")
    assert response.status_code == 200
    return response.json()["results"]


async def socket_of(person: Person, conversation_id: object, after: int = 0) -> Socket:
    """The page's socket, open."""
    socket = Socket(
        application, f"/ws/conversations/{conversation_id}/?after={after}", await off_loop(cookie_headers)(person)
    )
    assert await socket.open() == "websocket.accept"
    return socket


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Somebody else holds the table, so that nobody can read it: reads wait until their own limit ends them."""
    with transaction.atomic(using="owner"):
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


def said(text: str, *keys: str, unresolved: tuple[str, ...] = (), offer: str = "") -> WireAnswer:
    return WireAnswer(outcome="answer", citations=list(keys), unresolved=list(unresolved), offer=offer, text=text)


def key_of(request: DecisionRequest, words: str) -> str:
    """The key of the evidence that holds those words."""
    found = [item.key for item in request.brief.evidence if words in item.text]
    assert len(found) == 1, (words, [(item.key, item.text[:80]) for item in request.brief.evidence])
    return found[0]
