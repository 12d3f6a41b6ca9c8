"""The socket of the knowledge page: what becomes of an organization's documents, to its members alone."""

import uuid

import pytest
from django.conf import settings

from agencycore.asgi import application
from agencycore.streams.consumer import CLOSE_NOT_FOUND
from agencycore.streams.database import off_loop
from agencycore.streams.events import last_number
from agencycore.tenancy import tenant
from knowledge.actions import delete_source
from knowledge.events import stream_of
from knowledge.ingestion import ingest
from organizations.models import Membership
from tests.knowledge.documents import take, upload
from tests.sockets import Socket

pytestmark = pytest.mark.django_db(transaction=True)

ORIGIN = (b"origin", b"http://127.0.0.1")


def headers_of(person, organization=None):
    client = person.client
    if organization is not None:
        client.post("/organization/", {"organization": organization.slug})
    return [ORIGIN, (b"cookie", f"{settings.SESSION_COOKIE_NAME}={client.cookies['sessionid'].value}".encode())]


async def knock(headers, organization_id, after=0):
    socket = Socket(application, f"/ws/knowledge/{organization_id}/?after={after}", headers)
    assert await socket.open() == "websocket.accept"
    return socket


def remove(person, source):
    with tenant(person.organization.id):
        delete_source(actor=person.actor, source_id=source.id)


def number(person):
    with tenant(person.organization.id):
        return last_number(stream_of(person.organization.id))


async def test_a_document_is_followed_from_its_upload_to_its_end(owner, teammate):
    socket = await knock(await off_loop(headers_of)(teammate), owner.organization.id)

    source = await off_loop(upload)(owner)
    first = await socket.hear()
    await off_loop(lambda: ingest(take(source)))()
    heard: list[dict] = []
    while not heard or heard[-1]["payload"]["state"] != "ready":
        heard.append(await socket.hear())
    await off_loop(remove)(owner, source)
    while (last := await socket.hear())["type"] != "source.deleted":
        assert last["payload"]["state"] == "deleting"

    assert (first["type"], first["payload"]["id"], first["payload"]["state"]) == (
        "source.changed",
        str(source.id),
        "uploaded",
    )
    assert {each["payload"]["id"] for each in heard} == {str(source.id)} == {last["payload"]["id"]}
    await socket.leave()


async def test_what_happened_before_the_page_was_read_is_not_told_again(owner):
    await off_loop(upload)(owner)
    seen = await off_loop(number)(owner)
    assert seen > 0
    socket = await knock(await off_loop(headers_of)(owner), owner.organization.id, after=seen)

    later = await off_loop(upload)(owner, b"Fees are listed here.", "fees.txt")

    assert (await socket.hear())["payload"]["id"] == str(later.id)
    await socket.leave()


async def test_a_stranger_is_closed_out_as_of_an_organization_that_does_not_exist(owner, stranger):
    await off_loop(upload)(owner)

    for headers in (await off_loop(headers_of)(stranger), [ORIGIN]):
        for organization_id in (owner.organization.id, uuid.uuid4()):
            socket = await knock(headers, organization_id)
            assert await socket.close_code() == CLOSE_NOT_FOUND
            await socket.leave()


async def test_a_page_of_the_organization_one_has_left_follows_no_more(owner, other_organization):
    await off_loop(Membership.objects.create)(organization=other_organization, user=owner.user)
    headers = await off_loop(headers_of)(owner, other_organization)

    left = await knock(headers, owner.organization.id)

    assert await left.close_code() == CLOSE_NOT_FOUND
    await left.leave()
