"""Adapters that play what they were given: for tests, soak runs and kill tests.

``playing`` installs them for all threads of a process. A worker of its own takes its replies from a
file: ``RESPONDER=agencycore.ai.scripted.ScriptedFileResponder`` and ``SCRIPTED_REPLIES=<path>``.
"""

import hashlib
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from django.test.utils import override_settings

from agencycore.ai.ports import EMBEDDING_DIMENSIONS, get_responder
from agencycore.ai.types import DecisionRequest, Finish, ModelError, ModelReply, ReportRequest, SummaryRequest, Usage
from agencycore.ai.wire import WireOutcome, render_decision

SCRIPTED_USAGE = Usage(input=100, cached_input=40, output=20)
DELTA_CHARACTERS = 16
REPLIES_PATH_VARIABLE = "SCRIPTED_REPLIES"

PlainReply: TypeAlias = str | WireOutcome | ModelReply | ModelError
ScriptedReply: TypeAlias = PlainReply | Callable[[DecisionRequest], PlainReply]
AnyRequest: TypeAlias = DecisionRequest | SummaryRequest | ReportRequest
ScriptedReport: TypeAlias = str | ModelReply | ModelError | Callable[[ReportRequest], str]
Planned = TypeVar("Planned")


class ScriptedResponder:
    """Plays ``replies`` to decisions, ``summaries`` to summaries and ``reports`` to reports, each in order.

    A call that was not planned raises AssertionError, and is kept in ``unplanned``: the product may
    treat the error as one of a model. ``requests`` holds what was asked, in order.
    """

    name = "scripted"
    model = "scripted-1"
    is_language_model = True

    def __init__(
        self,
        replies: Iterable[ScriptedReply] = (),
        *,
        summaries: Iterable[str | ModelError] = (),
        reports: Iterable[ScriptedReport] = (),
    ) -> None:
        self._lock = threading.Lock()
        self._replies = deque(replies)
        self._summaries = deque(summaries)
        self._reports = deque(reports)
        self.requests: list[AnyRequest] = []
        self.unplanned: list[AnyRequest] = []

    @property
    def remaining(self) -> int:
        return len(self._replies) + len(self._summaries) + len(self._reports)

    def decide(self, request: DecisionRequest) -> ModelReply:
        reply = self._next(self._replies, request)
        return _play(reply(request) if callable(reply) else reply, request.on_text)

    def summarise(self, request: SummaryRequest) -> ModelReply:
        return _play(self._next(self._summaries, request), None)

    def report(self, request: ReportRequest) -> ModelReply:
        reply = self._next(self._reports, request)
        return _play(reply(request) if callable(reply) else reply, None)

    def _next(self, planned: deque[Planned], request: AnyRequest) -> Planned:
        with self._lock:
            self.requests.append(request)
            if planned:
                return planned.popleft()
            self.unplanned.append(request)
        raise AssertionError(f"No reply was planned for call {len(self.requests)}, a {type(request).__name__}.")


class ScriptedFileResponder:
    """Plays the lines of a file: the first whose ``match`` stands in the person's message, again and again.

    A line is a JSON object ``{match, reply, delay_seconds, pace_seconds, usage, purpose}``: ``reply`` is
    wire text or the outcome as an object, ``pace_seconds`` the time between two pieces of it, ``usage``
    ``{input, output}`` in tokens, ``purpose`` is "decision" (the default), "summary", where ``match`` is
    looked for in the messages to fold, or "report". An empty ``match`` fits everything.
    """

    name = "scripted"
    model = "scripted-file"
    is_language_model = True

    def __init__(self) -> None:
        path = Path(os.environ[REPLIES_PATH_VARIABLE])
        self._lines = [FileLine.parse(line) for line in path.read_text().splitlines() if line.strip()]

    def decide(self, request: DecisionRequest) -> ModelReply:
        line = self._find("decision", request.brief.message)
        line.wait(request.timeout_seconds)
        return _play(line.as_reply(), line.paced(request.on_text))

    def summarise(self, request: SummaryRequest) -> ModelReply:
        line = self._find("summary", "\n".join(message.text for message in request.messages))
        line.wait(request.timeout_seconds)
        return _play(line.as_reply(), None)

    def report(self, request: ReportRequest) -> ModelReply:
        line = self._find("report", request.question)
        line.wait(request.timeout_seconds)
        return _play(line.as_reply(), None)

    def _find(self, purpose: str, text: str) -> "FileLine":
        for line in self._lines:
            if line.purpose == purpose and line.match in text:
                return line
        raise AssertionError(f"No line of {REPLIES_PATH_VARIABLE} fits this {purpose}: {text[:80]!r}")


@dataclass(frozen=True, slots=True)
class FileLine:
    match: str
    reply: str
    delay_seconds: float
    pace_seconds: float
    usage: Usage
    purpose: str

    @classmethod
    def parse(cls, line: str) -> "FileLine":
        fields = json.loads(line)
        reply = fields["reply"]
        return cls(
            match=fields.get("match", ""),
            reply=reply if isinstance(reply, str) else json.dumps({"decision": reply}),
            delay_seconds=float(fields.get("delay_seconds", 0)),
            pace_seconds=float(fields.get("pace_seconds", 0)),
            usage=Usage(**fields["usage"]) if "usage" in fields else SCRIPTED_USAGE,
            purpose=fields.get("purpose", "decision"),
        )

    def as_reply(self) -> ModelReply:
        finish: Finish = "complete" if self.reply.strip() else "empty"
        return ModelReply(self.reply, finish, self.usage, ScriptedFileResponder.name, ScriptedFileResponder.model)

    def paced(self, on_text: Callable[[str], None] | None) -> Callable[[str], None] | None:
        """``on_text``, called no faster than the model would speak."""
        if on_text is None:
            return None

        def speak(piece: str) -> None:
            time.sleep(self.pace_seconds)
            on_text(piece)

        return speak

    def wait(self, timeout_seconds: float) -> None:
        """Take as long as the model would. Raises ModelError where that is too long."""
        time.sleep(min(self.delay_seconds, timeout_seconds))
        if self.delay_seconds > timeout_seconds:
            raise ModelError("timeout", "The scripted model was too slow.", retryable=True, reached_vendor=True)


class ScriptedEmbedder:
    """Words hashed into signed buckets: equal texts are equal, texts that share words are near."""

    name = f"scripted:{EMBEDDING_DIMENSIONS}"
    dense_weight = 0.3
    relevance_floor = 0.2
    calls_out = False

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.zeros((len(texts), EMBEDDING_DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split() or [""]:
                digest = hashlib.sha256(word.encode()).digest()
                vectors[row, digest[0]] += 1 if digest[1] % 2 else -1
            # Words of opposite sign in one bucket may leave nothing.
            vectors[row, 0] += 0.0 if vectors[row].any() else 1.0
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= lengths
        return vectors


@contextmanager
def playing(
    replies: Iterable[ScriptedReply] | ScriptedResponder = (),
    *,
    summaries: Iterable[str | ModelError] = (),
    reports: Iterable[ScriptedReport] = (),
) -> Iterator[ScriptedResponder]:
    """Every thread of this process gets its replies from the script while the block runs.

    Raises AssertionError at the end where a call came that was not planned.
    """
    responder = (
        replies
        if isinstance(replies, ScriptedResponder)
        else ScriptedResponder(replies, summaries=summaries, reports=reports)
    )
    _installed.append(responder)
    try:
        with override_settings(RESPONDER=f"{__name__}.{installed_responder.__name__}"):
            get_responder.cache_clear()
            yield responder
    finally:
        _installed.remove(responder)
        get_responder.cache_clear()
    if responder.unplanned:
        raise AssertionError(f"{len(responder.unplanned)} calls came that were not planned.")


_installed: list[ScriptedResponder] = []


def installed_responder() -> ScriptedResponder:
    return _installed[-1]


def _play(reply: PlainReply, on_text: Callable[[str], None] | None) -> ModelReply:
    if isinstance(reply, ModelError):
        raise reply
    if not isinstance(reply, ModelReply):
        text = reply if isinstance(reply, str) else render_decision(reply)
        finish: Finish = "complete" if text.strip() else "empty"
        reply = ModelReply(text, finish, SCRIPTED_USAGE, ScriptedResponder.name, ScriptedResponder.model)
    if on_text is not None:
        for start in range(0, len(reply.text), DELTA_CHARACTERS):
            on_text(reply.text[start : start + DELTA_CHARACTERS])
    return reply
