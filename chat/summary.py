"""The rolling summary: what lies beyond the read window, folded into a recap. Context, never evidence."""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from agencycore.ai.output_limits import prose_output_tokens
from agencycore.ai.ports import get_responder
from agencycore.ai.types import ModelError, PromptMessage, SummaryRequest
from agencycore.dispatch import queue
from agencycore.tenancy import tenant
from chat.context.history import DELETED_SOURCE_NOTE
from chat.context.packing import SHARES
from chat.context.tokens import count_tokens
from chat.metering import call_owner
from chat.models import Turn
from conversations.models import Citation, Conversation, Message
from organizations.ledger import metered, record_usage
from organizations.models import ModelCall

logger = logging.getLogger(__name__)

MESSAGES_BEYOND = 8
KEPT_MESSAGES = 4
SHARE_OF_SOURCE = 0.8
SUMMARY_TOKENS = 400
# A pass that was late for a long time catches up in several turns.
FOLDED_AT_ONCE = 40


@dataclass(frozen=True, slots=True)
class Fold:
    """What one pass folds: ``messages`` follow the ``covered`` first ones of the conversation."""

    previous: str
    covered: int
    messages: tuple[PromptMessage, ...]


def fold_history(turn: Turn, claim: queue.Claim, fold: Fold) -> bool:
    """Renew the conversation's summary; True if this call wrote it.

    Runs under the turn's lease, after its reply. A failure leaves the history as it is and the next
    turn tries again; a summary written by somebody else in between is kept.
    """
    text = _summarise(turn, fold)
    with tenant(turn.organization_id):
        return _keep(turn, claim, fold, text)


def close_lost_pass(turn: Turn) -> None:
    """Give up the summary's call of a finished turn whose worker died in it, so that it reserves nothing any more.

    The pass itself is the next turn's. Runs in the caller's transaction.
    """
    owner = call_owner(turn, "summary")
    lost = ModelCall.objects.filter(
        owner_id=owner.owner_id, purpose=owner.purpose, state=ModelCall.State.RESERVED
    ).first()
    if lost is not None:
        user_id = turn.conversation.starter_id
        record_usage(owner=owner, user_id=user_id, provider=lost.provider, model=lost.model)


def find_due(conversation: Conversation) -> Fold | None:
    """What is to be folded into the summary of a locked conversation; None where it can wait."""
    covered = conversation.summary_message_count
    if conversation.message_count - covered <= KEPT_MESSAGES:
        return None
    messages = Message.objects.filter(conversation=conversation).order_by("ordinal").values_list("id", "role", "text")
    rows = list(messages[covered : covered + FOLDED_AT_ONCE + KEPT_MESSAGES])
    if not is_due([text for _, _, text in rows]):
        return None
    folded = rows[:-KEPT_MESSAGES]
    void = _relying_on_deleted([message_id for message_id, _, _ in folded])
    said = [(role, DELETED_SOURCE_NOTE if message_id in void else text) for message_id, role, text in folded]
    return Fold(conversation.summary, covered, tuple(_as_said(role, text) for role, text in said))


def _relying_on_deleted(messages: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    """Those of ``messages`` that cited a document that was deleted since: the recap does not repeat them."""
    deleted = Citation.objects.filter(message__in=messages, deleted_at__isnull=False)
    return set(deleted.values_list("message_id", flat=True))


def _as_said(role: str, text: str) -> PromptMessage:
    return PromptMessage("user" if role == Message.Role.USER else "assistant", text)


def is_due(texts: Sequence[str]) -> bool:
    """Whether the messages beyond the summary are too many, or too long for their share of the brief."""
    if len(texts) <= KEPT_MESSAGES:
        return False
    limit = settings.CONTEXT_TOKEN_BUDGET * SHARES["conversation"] / 100 * SHARE_OF_SOURCE
    return len(texts) > MESSAGES_BEYOND or sum(map(count_tokens, texts)) > limit


def _summarise(turn: Turn, fold: Fold) -> str:
    """The new summary's text; "" where the model gave none."""
    responder = get_responder()
    request = SummaryRequest(fold.previous, fold.messages, SUMMARY_TOKENS, settings.MODEL_TIMEOUT_SECONDS)
    size = count_tokens(fold.previous) + sum(count_tokens(message.text) for message in fold.messages)
    try:
        reply = metered(
            owner=call_owner(turn, "summary"),
            responder=responder,
            tokens=size + prose_output_tokens(SUMMARY_TOKENS),
            timeout_seconds=request.timeout_seconds,
            call=lambda: responder.summarise(request),
        )
    except ModelError as error:
        logger.warning("No summary for conversation %s: %s", turn.conversation_id, error)
        return ""
    return reply.text.strip() if reply.finish == "complete" else ""


def _keep(turn: Turn, claim: queue.Claim, fold: Fold, text: str) -> bool:
    """Compare and set: only the summary this pass began from is replaced."""
    written = 0
    if text:
        written = Conversation.objects.filter(id=turn.conversation_id, summary_message_count=fold.covered).update(
            summary=text, summary_message_count=fold.covered + len(fold.messages)
        )
    queue.hold(claim)
    responder = get_responder()
    user_id = turn.conversation.starter_id
    record_usage(owner=call_owner(turn, "summary"), user_id=user_id, provider=responder.name, model=responder.model)
    return bool(written)
