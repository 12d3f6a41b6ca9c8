"""Files sent to a browser."""

from collections.abc import AsyncIterator
from functools import partial

from asgiref.sync import sync_to_async
from django.http import FileResponse


class StreamedFileResponse(FileResponse):
    """A FileResponse that ASGI sends block by block.

    Django's own has a synchronous iterator alone: under ASGI it reads the whole file into memory first, and warns.
    """

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = sync_to_async(partial(next, iter(self), b""))
        while block := await read():
            yield block
