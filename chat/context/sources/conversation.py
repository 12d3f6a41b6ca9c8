"""What was said: the summary, the newest messages verbatim, a question of ours, an offer."""

from agencycore.ai.types import BriefItem, SourceName
from chat.context.history import History, PastMessage, PendingClarify
from chat.context.items import make_item
from chat.context.port import ITEM_LIMITS, ContextRequest

SUMMARY_SLOT = 1
# The summary stands for the most; it goes after every single message.
SUMMARY_SCORE = 1_000_000.0


class ConversationSource:
    """Context, never evidence. The latest exchange is pinned."""

    name: SourceName = "conversation"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        history = request.history
        extras = [
            *([_pending_item(history.pending)] if history.pending else []),
            *([_offer_item(history.offer)] if history.offer else []),
        ]
        room = ITEM_LIMITS[self.name] - SUMMARY_SLOT - len(extras)
        pinned = {message.id for message in history.exchange}
        messages = [_message_item(m, pinned=m.id in pinned) for m in history.messages[-room:]]
        return [*_summary_items(history), *messages, *extras]


def _summary_items(history: History) -> list[BriefItem]:
    if not history.summary:
        return []
    label = "Summary of the conversation before these messages"
    return [make_item("conversation", "summary", "summary", label=label, text=history.summary, score=SUMMARY_SCORE)]


def _message_item(message: PastMessage, *, pinned: bool) -> BriefItem:
    return make_item(
        "conversation",
        "message",
        str(message.id),
        label="Member" if message.role == "user" else "Assistant",
        text=message.text,
        score=float(message.ordinal),
        when=message.when,
        pinned=pinned,
        payload={
            "role": message.role,
            "preamble": message.preamble,
            "message_id": str(message.id),
            "kind": message.kind,
        },
    )


def _pending_item(pending: PendingClarify) -> BriefItem:
    lines = [f"Asked about: {pending.original}", f"Our question: {pending.question}"]
    lines += [f"{number}. {option.label}" for number, option in enumerate(pending.options, start=1)]
    options: list[dict[str, str]] = [
        {"label": option.label, "ref": f"{option.ref.kind}:{option.ref.id}" if option.ref else ""}
        for option in pending.options
    ]
    return make_item(
        "conversation",
        "pending_clarify",
        str(pending.message_id),
        label="A question of ours that this message may answer",
        text="\n".join(lines),
        pinned=True,
        payload={"question": pending.question, "original": pending.original, "options": options},
    )


def _offer_item(offer: object) -> BriefItem:
    words = offer.get("text", "") if isinstance(offer, dict) else offer
    return make_item(
        "conversation",
        "offer",
        "offer",
        label="Work we offered in the last reply",
        text=str(words),
        pinned=True,
        payload={"offer": offer},
    )
