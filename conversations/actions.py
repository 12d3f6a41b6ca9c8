"""Changes to conversations that concern their words alone."""

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agencycore.errors import NotFound, ProductError
from agencycore.refs import ResourceRef
from agencycore.streams.publisher import NewEvent, publish
from agencycore.tenancy import Actor
from conversations.models import Citation, Conversation, Message

TITLE_LENGTH = 80
# A title stands between others: marks that turn the direction of writing would turn theirs.
DIRECTION_MARKS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
# Of no meaning in a title; PostgreSQL has no null character at all.
CONTROLS = dict.fromkeys(code for code in range(0x20) if not chr(code).isspace())


def lock_conversation(conversation_id: uuid.UUID) -> Conversation:
    """The conversation's row, locked to the end of the transaction: the first lock of every write in it."""
    return Conversation.objects.select_for_update().get(id=conversation_id)


def lock_conversation_for(actor: Actor, conversation_id: uuid.UUID) -> Conversation:
    """As ``lock_conversation``, for the person who asks; raises NotFound."""
    conversation = Conversation.objects.visible_to(actor).select_for_update().filter(id=conversation_id).first()
    if conversation is None:
        raise NotFound("This conversation does not exist.")
    return conversation


def start_conversation(*, actor: Actor, title: str) -> Conversation:
    return Conversation.objects.create(
        organization_id=actor.organization_id, starter_id=actor.user_id, title=make_title(title)
    )


def make_title(text: str) -> str:
    """The first line of ``text``, cut at a word."""
    line = " ".join(text.split("\n", 1)[0].translate(DIRECTION_MARKS | CONTROLS).split())
    if len(line) <= TITLE_LENGTH:
        return line
    return line[: TITLE_LENGTH - 1].rsplit(" ", 1)[0] + "…"


def add_user_message(
    *,
    conversation: Conversation,
    text: str,
    client_message_id: str,
    refs: Sequence[ResourceRef],
    page: ResourceRef | None,
    for_chat: bool = False,
) -> Message:
    """Append to a locked conversation. One without a title is named after it."""
    message = Message(
        role=Message.Role.USER,
        kind=Message.Kind.MESSAGE,
        text=text,
        client_message_id=client_message_id,
        refs=[ref.as_json() for ref in refs],
        page=page.as_json() if page else None,
        for_chat=for_chat,
    )
    return _append(conversation, message)


def add_reply(
    *,
    conversation: Conversation,
    in_reply_to: Message,
    text: str,
    citations: Sequence[Citation] = (),
    options: Sequence[dict[str, str]] = (),
    unresolved: Sequence[str] = (),
    run_id: uuid.UUID | None = None,
) -> Message:
    """Append the one reply to ``in_reply_to``, with what it cites, to a locked conversation."""
    reply = _said(Message.Kind.REPLY, in_reply_to, text, run_id)
    reply.options, reply.unresolved = list(options), list(unresolved)
    return _append(conversation, reply, citations)


def add_question(*, conversation: Conversation, in_reply_to: Message, text: str, run_id: uuid.UUID) -> Message:
    """Append what a run asks, under the message that started it, to a locked conversation."""
    return _append(conversation, _said(Message.Kind.QUESTION, in_reply_to, text, run_id))


def put_report(
    *, conversation: Conversation, in_reply_to: Message, text: str, citations: Sequence[Citation], run_id: uuid.UUID
) -> Message:
    """The one report of a run, in a locked conversation: appended, or written anew where it stands."""
    report = Message.objects.filter(run_id=run_id, kind=Message.Kind.REPORT).first()
    if report is None:
        return _append(conversation, _said(Message.Kind.REPORT, in_reply_to, text, run_id), citations)
    report.text = text
    report.save(update_fields=["text"])
    report.citations.all().delete()
    _cite(report, citations)
    return report


def _said(kind: Message.Kind, in_reply_to: Message, text: str, run_id: uuid.UUID | None) -> Message:
    """What the product says under a person's message; not yet written."""
    return Message(role=Message.Role.ASSISTANT, kind=kind, in_reply_to=in_reply_to, text=text, run_id=run_id)


def _append(conversation: Conversation, message: Message, citations: Sequence[Citation] = ()) -> Message:
    """The newest message of a locked conversation, with what it cites."""
    message.organization_id, message.conversation = conversation.organization_id, conversation
    is_named = bool(conversation.title) or message.role != Message.Role.USER
    message.ordinal = take_ordinal(conversation, title="" if is_named else make_title(message.text))
    message.save(force_insert=True)
    _cite(message, citations)
    return message


def _cite(message: Message, citations: Sequence[Citation]) -> None:
    for citation in citations:
        citation.organization_id = message.organization_id
        citation.message = message
    Citation.objects.bulk_create(citations)


def take_ordinal(conversation: Conversation, *, title: str = "") -> int:
    """The next ordinal of a locked conversation, which becomes the newest of the list; ``title`` names it."""
    now = timezone.now()
    named = {"title": title} if title else {}
    Conversation.objects.filter(id=conversation.id).update(
        message_count=F("message_count") + 1, updated_at=now, **named
    )
    conversation.title = title or conversation.title
    conversation.message_count += 1
    conversation.updated_at = now
    return conversation.message_count


@transaction.atomic
def rename_conversation(*, actor: Actor, conversation_id: uuid.UUID, title: str) -> Conversation:
    conversation = lock_conversation_for(actor, conversation_id)
    cleaned = " ".join(title.translate(DIRECTION_MARKS | CONTROLS).split())[:TITLE_LENGTH]
    if not cleaned:
        raise ProductError("Give the conversation a name.")
    conversation.title = cleaned
    conversation.save(update_fields=["title"])
    publish(
        stream=conversation.stream_name,
        organization_id=conversation.organization_id,
        events=[NewEvent("conversation.renamed", {"title": cleaned})],
    )
    return conversation
