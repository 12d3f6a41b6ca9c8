"""A client that bounds a whole response by its read timeout.

The library bounds each read alone, so a body that arrives in drops, as a stream does, may take any time.
"""

import socket
import threading
import time
from collections.abc import Iterator

import httpx2


class DeadlineClient(httpx2.Client):
    def send(
        self,
        request: httpx2.Request,
        *,
        stream: bool = False,
        auth: object = httpx2.USE_CLIENT_DEFAULT,
        follow_redirects: object = httpx2.USE_CLIENT_DEFAULT,
    ) -> httpx2.Response:
        began = time.monotonic()
        response = super().send(request, stream=True, auth=auth, follow_redirects=follow_redirects)  # type: ignore[arg-type]
        seconds = request.extensions.get("timeout", {}).get("read")
        if seconds is not None:
            response.stream = _bounded(response, began + seconds - time.monotonic())
        if not stream:
            response.read()
        return response


def _bounded(response: httpx2.Response, seconds_left: float) -> "BoundedStream":
    connection = response.extensions["network_stream"].get_extra_info("socket")
    if not isinstance(response.stream, httpx2.SyncByteStream):
        raise TypeError("DeadlineClient reads synchronous streams only.")
    return BoundedStream(response.stream, connection, max(seconds_left, 0.0))


class BoundedStream(httpx2.SyncByteStream):
    """Hangs up when the time is over, which wakes a read that waits for more."""

    def __init__(self, stream: httpx2.SyncByteStream, connection: socket.socket, seconds_left: float) -> None:
        self._stream = stream
        self._connection = connection
        self._lock = threading.Lock()
        self._is_closed = False
        self._is_expired = False
        self._timer = threading.Timer(seconds_left, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except httpx2.TransportError:
            if not self._is_expired:
                raise
        if self._is_expired:
            raise httpx2.ReadTimeout("The response took too long.")

    def close(self) -> None:
        # Before the connection goes back to the pool, where it would be another call's.
        with self._lock:
            self._is_closed = True
        self._timer.cancel()
        self._stream.close()

    def _expire(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_expired = True
            try:
                # Not through an SSLSocket's own shutdown, which would go on in clear text.
                socket.socket.shutdown(self._connection, socket.SHUT_RDWR)
            except OSError:
                return
