"""What an auditor reads: a message with its sources as cited, a turn with what the model saw."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.conf import settings
from django.urls import reverse

from chat.citation_states import CitationState, states_of
from chat.models import Turn
from conversations.models import Citation, Message
from knowledge.models import KnowledgeChunk, KnowledgeSource
from organizations.models import ModelCall

MESSAGE = "message"
TURN = "turn"
TOKENS_PER_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class AuditedCitation:
    citation: Citation
    state: CitationState
    is_weak: bool


@dataclass(frozen=True, slots=True)
class AuditedMessage:
    message: Message
    question: Message | None
    citations: Sequence[AuditedCitation]
    turns: Sequence[Turn]
    feedback: Sequence[Any]

    @property
    def conversation_url(self) -> str:
        query = f"conversation__id__exact={self.message.conversation_id}&o=1"
        return f"{reverse('admin:conversations_message_changelist')}?{query}"


@dataclass(frozen=True, slots=True)
class BriefSection:
    """The items one source gave, in prompt order, with how the source did."""

    name: str
    report: dict[str, Any]
    items: Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class AuditedTurn:
    turn: Turn
    sections: Sequence[BriefSection]
    calls: Sequence[ModelCall]
    cost: float | None

    @property
    def decision_text(self) -> str:
        return json.dumps(self.turn.decision, indent=2, ensure_ascii=False) if self.turn.decision else "none"

    @property
    def stages(self) -> Sequence[tuple[str, int]]:
        return [(name.replace("_", " "), milliseconds) for name, milliseconds in self.turn.timings.items()]


def describe_message(message: Message) -> AuditedMessage:
    """Reads inside the staff member's tenant; six statements."""
    citations = list(message.citations.all())
    question = message.in_reply_to or (message if message.role == Message.Role.USER else None)
    turns = Turn.objects.defer("brief", "prompt").filter(message=question).order_by("attempt") if question else []
    return AuditedMessage(
        message=message,
        question=message.in_reply_to,
        citations=_audited(citations),
        turns=list(turns),
        feedback=list(message.feedback.select_related("user")),
    )


def describe_turn(turn: Turn) -> AuditedTurn:
    brief: dict[str, Any] = turn.brief or {}
    reports = {report["name"]: report for report in brief.get("sources", [])}
    by_source = groupby(brief.get("items", []), key=lambda item: item["source"])
    items = {name: list(rows) for name, rows in by_source}
    calls = list(ModelCall.objects.filter(owner_id=turn.id).order_by("created_at"))
    return AuditedTurn(
        turn=turn,
        sections=[BriefSection(name, report, items.get(name, [])) for name, report in reports.items()],
        calls=calls,
        cost=cost_of(calls),
    )


def cost_of(calls: Sequence[ModelCall]) -> float | None:
    """In the currency of the prices; None where no price is set."""
    prices = settings.TOKEN_PRICES
    if not any(prices.values()):
        return None
    spent = sum(
        (call.input_tokens - call.cached_input_tokens) * prices["input"]
        + call.cached_input_tokens * prices["cached_input"]
        + call.output_tokens * prices["output"]
        for call in calls
    )
    return spent / TOKENS_PER_PRICE


def _audited(citations: Sequence[Citation]) -> list[AuditedCitation]:
    """Passages are compared with what stands in the knowledge base now."""
    states = states_of(citations, passages=KnowledgeChunk.objects.all(), sources=KnowledgeSource.objects.all())
    return [AuditedCitation(citation, states[citation.pk], citation.is_weak) for citation in citations]
