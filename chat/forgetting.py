"""What chat forgets when a document is deleted: its words, wherever they were kept.

Replies stay visible to their reader, their citations become tombstones, and no later brief, summary
or audit page repeats what the document said. Label, position and hash stay.
"""

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from django.db.models import F, Func, Value
from django.utils import timezone

from chat.context.history import DELETED_SOURCE_NOTE
from chat.models import Turn
from conversations.models import Citation, Conversation

Json: TypeAlias = dict[str, Any]
CHUNK_KIND = "knowledge_chunk"


def forget_source(
    *, organization_id: uuid.UUID, source_id: uuid.UUID, chunk_ids: Sequence[uuid.UUID]
) -> dict[str, int]:
    """Listener of the knowledge room, inside its transaction; returns what was redacted, for the receipt."""
    citations = Citation.objects.filter(
        organization_id=organization_id, kind=CHUNK_KIND, url__contains=str(source_id), deleted_at__isnull=True
    )
    cited_in = list(citations.values_list("message_id", flat=True))
    summaries = Conversation.objects.filter(
        organization_id=organization_id,
        messages__id__in=cited_in,
        messages__ordinal__lte=F("summary_message_count"),
    )
    return {
        "summaries": Conversation.objects.filter(id__in=summaries.values("id")).update(
            summary="", summary_message_count=0
        ),
        "citations": citations.update(excerpt="", deleted_at=timezone.now()),
        "briefs": _redact_briefs(organization_id, str(source_id)),
        "choices": _unchoose(organization_id, str(source_id)),
    }


def _unchoose(organization_id: uuid.UUID, source_id: str) -> int:
    """A conversation that read this document alone reads all of them again."""
    chosen = Conversation.objects.filter(organization_id=organization_id, documents__contains=[source_id])
    return chosen.update(
        documents=Func(F("documents"), Value(source_id), template="(%(expressions)s::text)", arg_joiner=" - ")
    )


def _redact_briefs(organization_id: uuid.UUID, source_id: str) -> int:
    """Passages are known by their source: those of earlier versions of the document go as well."""
    turns = Turn.objects.filter(
        organization_id=organization_id, brief__items__contains=[{"payload": {"source_id": source_id}}]
    )
    redacted = 0
    for turn in turns.only("brief", "decision").iterator(chunk_size=100):
        turn.brief = _without(turn.brief, "items", "text", lambda item: item["payload"].get("source_id") == source_id)
        turn.decision = _without(turn.decision, "citations", "excerpt", lambda cited: source_id in cited["url"])
        turn.prompt = None  # rendered from the brief again where it is wanted
        turn.save(update_fields=["brief", "decision", "prompt"])
        redacted += 1
    return redacted


def _without(stored: Json | None, rows: str, text: str, is_forgotten: Callable[[Json], bool]) -> Json | None:
    if stored is None or rows not in stored:
        return stored
    kept = [row | {text: DELETED_SOURCE_NOTE} if is_forgotten(row) else row for row in stored[rows]]
    return stored | {rows: kept}
