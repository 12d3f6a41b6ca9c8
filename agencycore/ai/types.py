"""What goes into a model port and what comes out of it: our own types, never a vendor's.

A brief is everything a model may know about one message. A model's reply is text in the wire form
of ``agencycore.ai.wire``; the Front Door parses and validates it, whoever wrote it.
"""

import datetime
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from agencycore.refs import ProjectedField, ResourceRef

SourceName: TypeAlias = Literal[
    "conversation", "application", "runs", "definitions", "knowledge", "memory", "capabilities"
]
SourceState: TypeAlias = Literal["ok", "empty", "degraded", "unavailable", "skipped"]
ReferenceStatus: TypeAlias = Literal["not_needed", "resolved", "ambiguous", "missing", "absent"]
# Code's class of a message; everything that is not a speech act is "ordinary".
MessageClass: TypeAlias = Literal["ordinary", "greeting", "thanks", "farewell", "about_assistant", "conversation"]
Purpose: TypeAlias = Literal["decision", "summary", "step", "report"]


@dataclass(frozen=True, slots=True)
class BriefItem:
    """One thing a model may know. Only items that are evidence carry a citation ``key`` (r1, r2, …).

    ``position`` is where in its source the text stands ("page 4", a heading path), or "".
    ``fields`` are the facts of a record, the same facts as in ``text``.
    ``score`` is comparable inside one source only. ``payload`` is what the source wants kept
    beside the text (a schema, a message's role); it must be JSON.
    """

    source: SourceName
    kind: str
    id: str
    label: str
    text: str
    tokens: int
    key: str = ""
    evidence: bool = False
    position: str = ""
    score: float = 0.0
    when: datetime.datetime | None = None
    fields: tuple[ProjectedField, ...] = ()
    url: str = ""
    pinned: bool = False  # never dropped by the budget
    payload: Mapping[str, object] = field(default_factory=dict)

    @property
    def ref(self) -> ResourceRef:
        return ResourceRef(self.kind, self.id, self.label)


@dataclass(frozen=True, slots=True)
class SourceReport:
    """How one source did: what it gave, how long it took, and why it gave nothing."""

    name: SourceName
    state: SourceState
    milliseconds: int
    items: int
    dropped: int = 0
    tokens: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """What the message's words point at.

    ``refs`` are the resolved records, or the candidates where the status is ambiguous.
    ``phrase`` is the word that pointed ("this company").
    """

    status: ReferenceStatus
    refs: tuple[ResourceRef, ...] = ()
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class ContextBrief:
    """The bounded context of one turn; see DESIGN: The ContextBuilder.

    ``message`` is the person's text verbatim, ``query`` the same made self-contained for search.
    ``preamble`` is the line with date, page and scope. ``items`` are in prompt order.
    """

    message: str
    query: str
    message_class: MessageClass
    preamble: str
    reference: Reference
    items: tuple[BriefItem, ...]
    sources: tuple[SourceReport, ...]
    token_breakdown: Mapping[str, int]
    language: str = "en"

    def of(self, source: SourceName) -> tuple[BriefItem, ...]:
        return tuple(item for item in self.items if item.source == source)

    @property
    def evidence(self) -> tuple[BriefItem, ...]:
        return tuple(item for item in self.items if item.evidence)


@dataclass(frozen=True, slots=True)
class PromptMessage:
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The rendered brief: a byte-stable ``prefix`` (system), then what changes from turn to turn."""

    version: str
    prefix: str
    messages: tuple[PromptMessage, ...]


@dataclass(frozen=True, slots=True)
class DecisionRequest:
    """One call of ``Responder.decide``.

    ``repair`` holds the reasons why the previous reply was refused, and that reply.
    ``cache_key`` routes a vendor's prompt cache; it names the organization.
    ``on_text`` gets the raw reply's text as it arrives, where the adapter streams.
    """

    brief: ContextBrief
    prompt: Prompt
    timeout_seconds: float
    cache_key: str = ""
    repair: "Repair | None" = None
    on_text: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    refused_reply: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """One call of ``Responder.summarise``: fold ``messages`` into ``previous``, at most ``max_tokens``."""

    previous: str
    messages: tuple[PromptMessage, ...]
    max_tokens: int
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """One call of ``Responder.report``: answer ``question`` from what the work for it came to.

    ``work`` names the agent or workflow. ``opening`` is a sentence of ours that stands before the
    text, or "". ``result`` is what the work says it found or did, or "". ``sources`` are all that may
    be cited, written in the text as ``[r1]``; the first is the run itself.
    """

    question: str
    work: str
    succeeded: bool
    opening: str
    result: str
    sources: tuple[BriefItem, ...]
    max_tokens: int
    timeout_seconds: float
    cache_key: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one vendor call. ``input`` includes ``cached_input``; ``output`` includes reasoning."""

    input: int = 0
    cached_input: int = 0
    output: int = 0


Finish: TypeAlias = Literal["complete", "truncated", "refused", "empty"]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a vendor call gave: raw text (wire form for decisions, prose for summaries and reports) and its cost."""

    text: str
    finish: Finish
    usage: Usage
    provider: str
    model: str
    request_id: str = ""


class ModelError(Exception):
    """A model call that gave no reply.

    ``code`` is ours: timeout, unreachable, rate_limited, server_error, rejected, misconfigured.
    ``retryable`` says whether the same call may succeed soon; ``retry_after_seconds`` is the
    vendor's own word on when. ``reached_vendor`` is False where nothing can have been charged.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retryable: bool,
        reached_vendor: bool,
        retry_after_seconds: float | None = None,
        usage: Usage = Usage(),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.reached_vendor = reached_vendor
        self.retry_after_seconds = retry_after_seconds
        self.usage = usage


@dataclass(frozen=True, slots=True)
class CallOwner:
    """Whose call it is, for the ledger: the organization, and the turn or run that pays."""

    organization_id: uuid.UUID
    owner_id: uuid.UUID
    purpose: Purpose
