"""A model's server in the test process: both APIs and embeddings, over real HTTP, playing what it is told."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

Body = dict[str, object]
MODEL = "gpt-test-2026-01-01"
REQUEST_ID = "call_123"
DELTA_CHARACTERS = 12


@dataclass(frozen=True)
class VendorReply:
    """``text`` may be a function of the request's body. ``cut_after`` breaks the connection after so many bytes
    of the body. ``hangs``: no answer, or with ``text`` no end of the stream, until the server is closed."""

    text: str | Callable[[Body], str] = ""
    refusal: str = ""
    finish: str = "complete"  # complete | truncated | filtered
    input_tokens: int = 1_200
    cached_tokens: int = 0
    output_tokens: int = 60
    reports_usage: bool = True
    status: int = 200
    error_code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    raw_body: bytes | None = None
    hangs: bool = False
    cut_after: int | None = None
    fails_inside: bool = False  # status 200, and an error in the response


@dataclass(frozen=True)
class VendorRequest:
    path: str
    headers: Mapping[str, str]
    body: Body

    @property
    def is_streaming(self) -> bool:
        return self.body.get("stream") is True


class VendorServer:
    """``play`` plans replies, one a request; a request without a plan gets status 500 and is kept in ``unplanned``."""

    def __init__(self) -> None:
        self.requests: list[VendorRequest] = []
        self.unplanned: list[VendorRequest] = []
        self.released = threading.Event()
        self._planned: deque[VendorReply] = deque()
        self._lock = threading.Lock()
        self._http = QuietServer(("127.0.0.1", 0), _handler_of(self))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def play(self, *replies: VendorReply) -> None:
        self._planned.extend(replies)

    def next_reply(self, request: VendorRequest) -> VendorReply:
        with self._lock:
            self.requests.append(request)
            if self._planned:
                return self._planned.popleft()
            self.unplanned.append(request)
        return VendorReply(status=500, error_code="unplanned")

    @contextmanager
    def running(self) -> Iterator["VendorServer"]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client that hangs up is what many tests are about."""


def _handler_of(server: VendorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = VendorRequest(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            reply = server.next_reply(request)
            try:
                self._answer(request, reply)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _answer(self, request: VendorRequest, reply: VendorReply) -> None:
            if reply.hangs and not reply.text:
                server.released.wait()
                self.close_connection = True
            elif reply.status != 200:
                self._send(reply, _error_body(reply), "application/json")
            elif request.is_streaming and reply.raw_body is None:
                self._stream(reply, _events(request, reply))
            else:
                self._send(reply, _body(request, reply), "application/json")

        def _send(self, reply: VendorReply, body: bytes, content_type: str) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("x-request-id", REQUEST_ID)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[: reply.cut_after])
            self.close_connection = reply.cut_after is not None

        def _stream(self, reply: VendorReply, events: list[bytes]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            held = events[-2:] if reply.hangs or reply.cut_after is not None else []
            for event in events[: len(events) - len(held)]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
            if held:
                if reply.hangs:
                    server.released.wait()
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the tests read ``requests``."""

    return Handler


def _error_body(reply: VendorReply) -> bytes:
    if reply.raw_body is not None:
        return reply.raw_body
    return json.dumps(
        {"error": {"message": f"status {reply.status}", "type": "error", "code": reply.error_code}}
    ).encode()


def _body(request: VendorRequest, reply: VendorReply) -> bytes:
    if reply.raw_body is not None:
        return reply.raw_body
    if request.path.endswith("/embeddings"):
        return json.dumps(_embeddings(request)).encode()
    text = _text(request, reply)
    build = _response if request.path.endswith("/responses") else _completion
    return json.dumps(build(reply, text)).encode()


def _events(request: VendorRequest, reply: VendorReply) -> list[bytes]:
    text = _text(request, reply)
    deltas = [text[start : start + DELTA_CHARACTERS] for start in range(0, len(text), DELTA_CHARACTERS)]
    build = _response_events if request.path.endswith("/responses") else _chunks
    return build(reply, text, deltas)


def _text(request: VendorRequest, reply: VendorReply) -> str:
    return reply.text if isinstance(reply.text, str) else reply.text(request.body)


# --- The Responses API -----------------------------------------------------------------------


def _response(reply: VendorReply, text: str) -> Body:
    content: list[Body] = []
    if text:
        content.append({"type": "output_text", "text": text, "annotations": []})
    if reply.refusal:
        content.append({"type": "refusal", "refusal": reply.refusal})
    reasons = {"truncated": "max_output_tokens", "filtered": "content_filter"}
    response: Body = {
        "id": REQUEST_ID,
        "object": "response",
        "model": MODEL,
        "status": "incomplete" if reply.finish in reasons else "completed",
        "incomplete_details": {"reason": reasons[reply.finish]} if reply.finish in reasons else None,
        "error": None,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content},
        ],
    }
    if reply.fails_inside:
        response |= {"status": "failed", "output": [], "error": {"code": reply.error_code, "message": "it failed"}}
    if reply.reports_usage:
        response["usage"] = {
            "input_tokens": reply.input_tokens,
            "input_tokens_details": {"cached_tokens": reply.cached_tokens},
            "output_tokens": reply.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": reply.input_tokens + reply.output_tokens,
        }
    return response


def _response_events(reply: VendorReply, text: str, deltas: list[str]) -> list[bytes]:
    final = _response(reply, text)
    events: list[Body] = [{"type": "response.created", "response": {**final, "status": "in_progress"}}]
    events += [{"type": "response.output_text.delta", "item_id": "msg_1", "delta": delta} for delta in deltas]
    events += [{"type": "response.output_text.done", "item_id": "msg_1", "text": text}]
    events += [{"type": f"response.{final['status']}", "response": final}]
    return [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n".encode()
        for number, event in enumerate(events)
    ]


# --- Chat Completions ------------------------------------------------------------------------


def _chat_usage(reply: VendorReply) -> Body | None:
    if not reply.reports_usage:
        return None
    return {
        "prompt_tokens": reply.input_tokens,
        "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        "completion_tokens": reply.output_tokens,
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }


def _finish_reason(reply: VendorReply) -> str:
    return {"complete": "stop", "truncated": "length", "filtered": "content_filter"}[reply.finish]


def _completion(reply: VendorReply, text: str) -> Body:
    if reply.fails_inside:
        return {"id": REQUEST_ID, "object": "chat.completion", "model": MODEL, "choices": [], "usage": None}
    message: Body = {"role": "assistant", "content": text or None, "refusal": reply.refusal or None}
    return {
        "id": REQUEST_ID,
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": _finish_reason(reply)}],
        "usage": _chat_usage(reply),
    }


def _chunks(reply: VendorReply, text: str, deltas: list[str]) -> list[bytes]:
    frame: Body = {"id": REQUEST_ID, "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    if reply.fails_inside:
        return [_data({"error": {"code": reply.error_code, "message": "it failed"}}), b"data: [DONE]\n\n"]
    pieces: list[Body] = [{"content": delta} for delta in deltas]
    pieces += [{"refusal": reply.refusal}] if reply.refusal else []
    chunks = [_data(frame | {"choices": [{"index": 0, "delta": piece, "finish_reason": None}]}) for piece in pieces]
    chunks += [_data(frame | {"choices": [{"index": 0, "delta": {}, "finish_reason": _finish_reason(reply)}]})]
    chunks += [_data(frame | {"choices": [], "usage": _chat_usage(reply)})] if reply.reports_usage else []
    return [*chunks, b"data: [DONE]\n\n"]


def _data(chunk: Body) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


# --- Embeddings ------------------------------------------------------------------------------


def _embeddings(request: VendorRequest) -> Body:
    """Any vectors that differ by text, in another order than asked for; not of unit length."""
    texts, dimensions = request.body["input"], request.body["dimensions"]
    assert isinstance(texts, list)
    assert isinstance(dimensions, int)
    rows = [
        {
            "object": "embedding",
            "index": index,
            "embedding": np.random.default_rng(list(text.encode())).normal(size=dimensions).tolist(),
        }
        for index, text in enumerate(texts)
    ]
    return {"object": "list", "model": MODEL, "data": rows[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
