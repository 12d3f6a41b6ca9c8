"""A document's original under ASGI: whole, with its headers, never all of it in memory, and without a warning."""

import io
import warnings
from dataclasses import dataclass

import pytest
from asgiref.testing import ApplicationCommunicator

from agencycore.asgi import application
from agencycore.file_response import StreamedFileResponse
from tests.knowledge.documents import upload
from tests.people import Person

LARGE = b"# Fees\n\n" + b"A fee is due on the first of each month.\n" * 40_000
# How Django's ASGI handler reads and sends files.
BLOCK = 64 * 1024
PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Download:
    status: int
    headers: dict[str, str]
    blocks: list[bytes]


def scope_of(person: Person, path: str) -> dict[str, object]:
    cookie = f"sessionid={person.client.cookies['sessionid'].value}".encode()
    headers = [(b"host", b"testserver"), (b"cookie", cookie)]
    return {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}


async def download(scope: dict[str, object]) -> Download:
    client = ApplicationCommunicator(application, scope)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        await client.send_input({"type": "http.request"})
        start = await client.receive_output(PATIENCE_SECONDS)
        messages = [await client.receive_output(PATIENCE_SECONDS)]
        while messages[-1].get("more_body"):
            messages.append(await client.receive_output(PATIENCE_SECONDS))
        await client.wait(PATIENCE_SECONDS)
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Download(start["status"], headers, [message.get("body", b"") for message in messages])


@pytest.fixture
def address(transactional_db: None, owner: Person) -> str:
    return f"/knowledge/{upload(owner, LARGE, 'fees.md').id}/file/"


@pytest.fixture
def own(address: str, owner: Person) -> dict[str, object]:
    return scope_of(owner, address)


@pytest.fixture
def foreign(address: str, stranger: Person) -> dict[str, object]:
    return scope_of(stranger, address)


async def test_a_document_comes_in_blocks_with_the_headers_of_a_download(own) -> None:
    got = await download(own)

    assert got.status == 200
    assert got.headers["content-length"] == str(len(LARGE))
    assert got.headers["content-disposition"] == 'attachment; filename="fees.md"'
    assert got.headers["content-type"] == "application/octet-stream"
    assert (got.headers["x-content-type-options"], got.headers["cache-control"]) == ("nosniff", "private, no-store")
    assert b"".join(got.blocks) == LARGE
    assert max(map(len, got.blocks)) == BLOCK


async def test_a_stranger_gets_none_of_it(foreign) -> None:
    got = await download(foreign)

    assert got.status == 404
    assert b"A fee is due" not in b"".join(got.blocks)


class Watched(io.BytesIO):
    """A file that remembers how much of it was asked for."""

    asked = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.asked += size or 0
        return super().read(size)


async def test_no_more_is_read_than_was_sent() -> None:
    file = Watched(LARGE)
    response = StreamedFileResponse(file, filename="fees.md")

    blocks = aiter(response)
    sent = await anext(blocks) + await anext(blocks)

    assert sent == LARGE[: file.asked]
    assert file.asked == 2 * response.block_size


async def test_an_empty_file_is_an_empty_answer() -> None:
    assert [block async for block in StreamedFileResponse(io.BytesIO(b""), filename="empty.md")] == []


def test_without_asgi_it_is_a_file_response_as_ever() -> None:
    assert b"".join(StreamedFileResponse(io.BytesIO(LARGE), filename="fees.md")) == LARGE
