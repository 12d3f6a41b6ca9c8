"""What was said before: read once per turn, in a fixed number of statements."""

import datetime
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db.models import Q

from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from chat.context.smalltalk import asks_something
from chat.frontdoor.decision import Option
from chat.models import Turn
from chat.options import StoredOption, read_option_labels, ref_in, shown_options
from conversations.models import Citation, Conversation, Message
from conversations.scope import entities_in_scope

# The summary's slot is kept free also while there is none, so that a lost pass changes nothing else.
VERBATIM_MESSAGES = 11
# A little more than is shown: an exchange may have begun before the newest messages.
LOADED_MESSAGES = 24
DELETED_SOURCE_NOTE = "[reply relied on a deleted document]"


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message before this one. ``cited`` holds its records in the order shown, and last the ``run`` it concerns."""

    id: uuid.UUID
    ordinal: int
    role: Literal["user", "assistant"]
    kind: str
    text: str
    preamble: str
    when: datetime.datetime
    refs: tuple[ResourceRef, ...] = ()
    cited: tuple[ResourceRef, ...] = ()
    options: tuple[Option, ...] = ()
    in_reply_to: uuid.UUID | None = None
    run: ResourceRef | None = None

    @property
    def listed(self) -> tuple[ResourceRef, ...]:
        """What the text itself lists: a handoff and a stop name a run and list none."""
        return self.cited[:-1] if self.run else self.cited


@dataclass(frozen=True, slots=True)
class PendingClarify:
    """A question of ours that this message may answer, with its options as shown, and what it was asked about."""

    message_id: uuid.UUID
    question: str
    options: tuple[Option, ...]
    original: str


@dataclass(frozen=True, slots=True)
class _Origin:
    """How the latest exchange's reply came about."""

    reply_id: uuid.UUID
    outcome: str
    offer: Mapping[str, object] | None
    reference: object


@dataclass(frozen=True, slots=True)
class History:
    """``messages`` are the newest before this one, oldest first; ``exchange`` is the latest exchange.

    ``uncovered`` counts the messages that neither the summary nor ``messages`` hold. ``focus`` is
    what the previous message's words pointed at. ``scope`` is most recent first.
    """

    summary: str = ""
    messages: tuple[PastMessage, ...] = ()
    exchange: tuple[PastMessage, ...] = ()
    uncovered: int = 0
    pending: PendingClarify | None = None
    offer: Mapping[str, object] | None = None
    focus: tuple[ResourceRef, ...] = ()
    scope: tuple[ResourceRef, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """What the person asked before, newest first: no message goes on from a courtesy or a bare "ok"."""
        said = (message.text for message in reversed(self.messages) if message.role == "user")
        return tuple(text for text in said if asks_something(text))

    @property
    def newest_shown(self) -> PastMessage | None:
        """The newest reply or report of the latest exchange."""
        shown = [message for message in self.exchange if message.kind in ("reply", "report")]
        return shown[-1] if shown else None


def load_history(*, conversation: Conversation, message: Message, actor: Actor) -> History:
    """The history of ``message`` for ``actor``: four statements, and one per kind of record in a pending question."""
    if (conversation.organization_id, conversation.starter_id) != (actor.organization_id, actor.user_id):
        return History()
    rows = _load_messages(conversation, message)
    cited, deleted = _load_citations(rows)
    past = tuple(_past_message(row, cited.get(row.id, ()), is_void=row.id in deleted) for row in rows)
    verbatim = [m for m in past if m.ordinal > conversation.summary_message_count][-VERBATIM_MESSAGES:]
    exchange = _latest_exchange(past)
    origin = _load_origin(exchange)
    return History(
        summary=conversation.summary,
        messages=tuple(verbatim),
        exchange=exchange,
        uncovered=_count_uncovered(conversation, message, len(verbatim)),
        pending=_pending_clarify(origin, past, rows, actor),
        offer=origin.offer if origin else None,
        focus=_focus(origin),
        scope=tuple(ResourceRef(row.kind, row.resource_id) for row in entities_in_scope(conversation)),
        documents=tuple(str(document) for document in conversation.documents),
    )


def _load_messages(conversation: Conversation, message: Message) -> list[Message]:
    """The newest messages that stand before ``message`` on the page, oldest first.

    A reply stands under its question, so one to a later question is not before this message, also
    where this is a retry. Reports and questions of runs count whenever they came.
    """
    before = (
        Q(role=Message.Role.USER, ordinal__lt=message.ordinal)
        | Q(kind=Message.Kind.REPLY, in_reply_to__ordinal__lt=message.ordinal)
        | Q(kind__in=[Message.Kind.REPORT, Message.Kind.QUESTION])
    )
    rows = Message.objects.filter(before, conversation=conversation)
    return _in_page_order(list(rows.order_by("-ordinal")[:LOADED_MESSAGES]))


def _in_page_order(rows: Sequence[Message]) -> list[Message]:
    """A reply right after its question, everything else as it came."""
    ordinals = {row.id: row.ordinal for row in rows}

    def place(row: Message) -> tuple[int, int, int]:
        if row.kind == Message.Kind.REPLY and row.in_reply_to_id in ordinals:
            return ordinals[row.in_reply_to_id], 1, row.ordinal
        return row.ordinal, 0, row.ordinal

    return sorted(rows, key=place)


def _load_citations(rows: Sequence[Message]) -> tuple[dict[uuid.UUID, tuple[ResourceRef, ...]], set[uuid.UUID]]:
    """What each message cited, in shown order; and the messages that cited something deleted since."""
    cited: dict[uuid.UUID, tuple[ResourceRef, ...]] = {}
    deleted: set[uuid.UUID] = set()
    citations = Citation.objects.filter(message__in=[row.id for row in rows]).order_by("message", "marker")
    for message_id, kind, resource_id, deleted_at in citations.values_list(
        "message_id", "kind", "resource_id", "deleted_at"
    ):
        cited[message_id] = (*cited.get(message_id, ()), ResourceRef(kind, resource_id))
        if deleted_at is not None:
            deleted.add(message_id)
    return cited, deleted


def _past_message(row: Message, cited: tuple[ResourceRef, ...], *, is_void: bool) -> PastMessage:
    run = ResourceRef("run", str(row.run_id)) if row.run_id else None
    return PastMessage(
        id=row.id,
        ordinal=row.ordinal,
        role="user" if row.role == Message.Role.USER else "assistant",
        kind=row.kind,
        text=DELETED_SOURCE_NOTE if is_void else row.text,
        preamble=row.preamble,
        when=row.created_at,
        refs=refs_of(row.refs),
        cited=(*cited, run) if run else cited,
        run=run,
        options=_options_of(row.options),
        in_reply_to=row.in_reply_to_id,
    )


def refs_of(stored: Iterable[object]) -> tuple[ResourceRef, ...]:
    """The stored refs of a message, without their labels: those come from the readers."""
    return tuple(ref for ref in map(ref_of, stored) if ref is not None)


def ref_of(stored: object) -> ResourceRef | None:
    if not isinstance(stored, Mapping) or not stored.get("kind") or not stored.get("id"):
        return None
    return ResourceRef(str(stored["kind"]), str(stored["id"]))


def _options_of(stored: Iterable[StoredOption]) -> tuple[Option, ...]:
    return tuple(Option(option.get("label", ""), ref_in(option)) for option in stored)


def _latest_exchange(past: Sequence[PastMessage]) -> tuple[PastMessage, ...]:
    """Everything since the last user message before this one, that message included."""
    starts = [index for index, message in enumerate(past) if message.role == "user"]
    return tuple(past[starts[-1] :]) if starts else tuple(past)


def _load_origin(exchange: Sequence[PastMessage]) -> _Origin | None:
    replies = [message.id for message in exchange if message.kind == Message.Kind.REPLY]
    row = (
        Turn.objects.filter(reply_id__in=replies)
        .values_list("reply_id", "outcome", "offer", "brief__reference", named=False)
        .first()
    )
    return _Origin(*row) if row else None


def _pending_clarify(
    origin: _Origin | None, past: Sequence[PastMessage], rows: Sequence[Message], actor: Actor
) -> PendingClarify | None:
    if origin is None or origin.outcome != "clarify":
        return None
    by_id = {message.id: message for message in past}
    reply = by_id[origin.reply_id]
    asked = by_id.get(reply.in_reply_to) if reply.in_reply_to else None
    [row] = [row for row in rows if row.id == reply.id]
    options = _options_of(shown_options(row.options, read_option_labels(actor, [row])))
    return PendingClarify(reply.id, reply.text, options, asked.text if asked else "")


def _focus(origin: _Origin | None) -> tuple[ResourceRef, ...]:
    reference = origin.reference if origin else None
    if not isinstance(reference, Mapping) or reference.get("status") != "resolved":
        return ()
    return refs_of(reference.get("refs", ()))


def _count_uncovered(conversation: Conversation, message: Message, shown: int) -> int:
    return max(0, message.ordinal - 1 - conversation.summary_message_count - shown)
