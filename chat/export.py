"""A conversation as a file that its owner takes away: Markdown to read, JSON to process."""

import json
from collections.abc import Callable, Sequence

from agencycore.tenancy import Actor
from conversations.models import Citation, Conversation, Message

Write = Callable[[Conversation, Sequence[Message]], str]


def list_messages(actor: Actor, conversation: Conversation) -> list[Message]:
    messages = Message.objects.visible_to(actor).filter(conversation=conversation)
    return list(messages.order_by("ordinal").prefetch_related("citations"))


def as_markdown(conversation: Conversation, messages: Sequence[Message]) -> str:
    parts = [f"# {conversation}", *(_message_markdown(message) for message in messages)]
    return "\n\n".join(parts) + "\n"


def as_json(conversation: Conversation, messages: Sequence[Message]) -> str:
    content = {
        "id": str(conversation.id),
        "title": conversation.title,
        "created_at": conversation.created_at.isoformat(),
        "messages": [_message_json(message) for message in messages],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


FORMS: dict[str, tuple[str, Write]] = {
    "md": ("text/markdown; charset=utf-8", as_markdown),
    "json": ("application/json", as_json),
}


def _message_markdown(message: Message) -> str:
    author = "You" if message.role == Message.Role.USER else "AgencyCore"
    lines = [f"## {author}, {message.created_at:%Y-%m-%d %H:%M} UTC", message.text]
    lines += [f"*Could not answer: {missing}*" for missing in message.unresolved]
    sources = [_source_markdown(citation) for citation in message.citations.all()]
    return "\n\n".join([*lines, *(["\n\n".join(sources)] if sources else [])])


def _source_markdown(citation: Citation) -> str:
    place = f", {citation.position}" if citation.position else ""
    excerpt = "*This source was deleted.*" if citation.deleted_at else citation.excerpt
    quoted = "\n".join(f"> {line}" for line in excerpt.splitlines())
    return f"[{citation.marker}] {citation.label}{place}\n\n{quoted}"


def _message_json(message: Message) -> dict[str, object]:
    return {
        "id": str(message.id),
        "role": message.role,
        "kind": message.kind,
        "in_reply_to": str(message.in_reply_to_id) if message.in_reply_to_id else None,
        "text": message.text,
        "created_at": message.created_at.isoformat(),
        "refs": message.refs,
        "options": message.options,
        "unresolved": message.unresolved,
        "citations": [_citation_json(citation) for citation in message.citations.all()],
    }


def _citation_json(citation: Citation) -> dict[str, object]:
    return {
        "marker": citation.marker,
        "key": citation.key,
        "kind": citation.kind,
        "id": citation.resource_id,
        "label": citation.label,
        "position": citation.position or None,
        "excerpt": citation.excerpt,
        "is_deleted": citation.deleted_at is not None,
    }
