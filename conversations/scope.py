"""Entity scope: the small ordered set of records a conversation is about.

Three producers write it, each from refs that the platform itself supplied: the result of a run, the
citations of an answer, the refs a person sent with a message. It is a pointer set and no store of
facts: whoever reads it resolves every ref through the reader of its kind.
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from agencycore.refs import ResourceRef, readers
from conversations.actions import lock_conversation
from conversations.models import Conversation, ConversationEntity, Message

SCOPE_BOUND = 20
LABEL_MAX_LENGTH = 200
STEP = datetime.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class ScopeChange:
    """What one write did: refs now in scope because of it, refs it pushed out, refs it refused."""

    written: tuple[ResourceRef, ...] = ()
    evicted: tuple[ResourceRef, ...] = ()
    refused: tuple[ResourceRef, ...] = ()


def entities_in_scope(conversation: Conversation) -> list[ConversationEntity]:
    """The rows one turn reads, most recently referenced first."""
    rows = ConversationEntity.objects.filter(conversation=conversation).order_by("-last_referenced_at", "-id")
    return list(rows[:SCOPE_BOUND])


def add_run_result(
    *, conversation: Conversation, refs: Sequence[ResourceRef], now: datetime.datetime | None = None
) -> ScopeChange:
    """The records a run answered with, in the run's order. A run writes no message, so none introduces them."""
    return write_refs(conversation=conversation, refs=refs, message=None, now=now)


def add_cited_refs(*, reply: Message, refs: Sequence[ResourceRef], now: datetime.datetime | None = None) -> ScopeChange:
    """The records an answer cites, in shown order, already checked against the turn's brief."""
    return write_refs(conversation=reply.conversation, refs=refs, message=reply, now=now)


def add_sent_refs(
    *, message: Message, refs: Sequence[ResourceRef], now: datetime.datetime | None = None
) -> ScopeChange:
    """The records a person sent with a message and that a reader found. Never the page's."""
    return write_refs(conversation=message.conversation, refs=refs, message=message, now=now)


def write_refs(
    *,
    conversation: Conversation,
    refs: Sequence[ResourceRef],
    message: Message | None,
    now: datetime.datetime | None = None,
) -> ScopeChange:
    """Bring ``refs`` to the front of the conversation's scope, the last one foremost.

    Kinds that no turn could read back (platform kinds, kinds without a reader) are refused. A call
    with nothing to write touches nothing.
    """
    allowed = [ref for ref in refs if _enters_scope(ref.kind)]
    written = cut_to_bound(allowed)
    refused = tuple(ref for ref in refs if not _enters_scope(ref.kind))
    if not written:
        return ScopeChange(refused=refused)
    with transaction.atomic():
        lock_conversation(conversation.id)
        _upsert(conversation, written, message, _first_moment(conversation, now or timezone.now()))
        evicted = _evict(conversation)
    return ScopeChange(tuple(written), tuple(evicted), refused)


def cut_to_bound(refs: Sequence[ResourceRef], bound: int = SCOPE_BOUND) -> list[ResourceRef]:
    """At most ``bound`` of ``refs``, in their order, each kind with its share.

    Kinds take their turn ascending by count, then by name; each takes what it has or an equal part
    of what is left, whichever is less. Inside a kind the last ones win: the final stage of a run
    produced them. A ref named twice counts where it stands last.
    """
    unique = list({ref.key: ref for ref in reversed(refs)}.values())[::-1]
    by_kind: dict[str, list[ResourceRef]] = {}
    for ref in unique:
        by_kind.setdefault(ref.kind, []).append(ref)
    kept: set[tuple[str, str]] = set()
    remaining = bound
    for turn, kind in enumerate(sorted(by_kind, key=lambda name: (len(by_kind[name]), name))):
        count = len(by_kind[kind])
        share = min(count, remaining // (len(by_kind) - turn))
        kept.update(ref.key for ref in by_kind[kind][count - share :])
        remaining -= share
    return [ref for ref in unique if ref.key in kept]


def _enters_scope(kind: str) -> bool:
    reader = readers().get(kind)
    return reader is not None and reader.in_scope


def _first_moment(conversation: Conversation, now: datetime.datetime) -> datetime.datetime:
    """``now``, or just after the newest row: two writers' clocks differ, and no row's time goes down."""
    newest = (
        ConversationEntity.objects.filter(conversation=conversation)
        .order_by("-last_referenced_at", "-id")
        .values_list("last_referenced_at", flat=True)
        .first()
    )
    return now if newest is None else max(now, newest + STEP)


def _upsert(
    conversation: Conversation,
    refs: Sequence[ResourceRef],
    message: Message | None,
    first_moment: datetime.datetime,
) -> None:
    rows = [
        ConversationEntity(
            organization_id=conversation.organization_id,
            conversation=conversation,
            kind=ref.kind,
            resource_id=ref.id,
            label=ref.label[:LABEL_MAX_LENGTH],
            introduced_by_message=message,
            last_referenced_at=first_moment + index * STEP,
        )
        for index, ref in enumerate(refs)
    ]
    introduced = ["introduced_by_message"] if message else []
    ConversationEntity.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["conversation", "kind", "resource_id"],
        update_fields=["label", "last_referenced_at", *introduced],
    )


def _evict(conversation: Conversation) -> list[ResourceRef]:
    """Delete what the bound pushes out, by name: a row written meanwhile by another is never among them."""
    rows = ConversationEntity.objects.filter(conversation=conversation).order_by("-last_referenced_at", "-id")
    beyond = list(rows[SCOPE_BOUND:])
    if beyond:
        ConversationEntity.objects.filter(id__in=[row.id for row in beyond]).delete()
    return [ResourceRef(row.kind, row.resource_id, row.label) for row in beyond]
