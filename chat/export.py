"""A conversation as a file that its owner takes away: Markdown to read, JSON to process."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agencycore.refs import ResourceRef, read_labels
from agencycore.tenancy import Actor
from chat.citation_states import GONE, CitationState, states_for
from chat.context.history import refs_of
from chat.options import GONE_LABEL, Labels, read_option_labels, shown_options
from conversations.models import Citation, Conversation, Message


@dataclass(frozen=True, slots=True)
class Export:
    """A conversation with everything said in it, and how each cited source stands for its owner.

    ``sent_labels`` names the records sent with its messages, as they are called now.
    """

    conversation: Conversation
    messages: Sequence[Message]
    states: Mapping[int, CitationState]
    option_labels: Labels
    sent_labels: Labels


Write = Callable[[Export], str]
GONE_WORDS: dict[CitationState, str] = {
    "deleted": "*This source was deleted.*",
    "withdrawn": "*This source can no longer be opened.*",
}


def read_export(actor: Actor, conversation: Conversation) -> Export:
    found = Message.objects.visible_to(actor).filter(conversation=conversation)
    messages = list(found.order_by("ordinal").prefetch_related("citations"))
    cited = [citation for message in messages for citation in message.citations.all()]
    return Export(
        conversation,
        messages,
        states_for(actor, cited),
        read_option_labels(actor, messages),
        read_labels(actor, [ref for message in messages for ref in refs_of(message.refs)]),
    )


def as_markdown(export: Export) -> str:
    parts = [f"# {export.conversation}", *(_message_markdown(message, export) for message in export.messages)]
    return "\n\n".join(parts) + "\n"


def as_json(export: Export) -> str:
    content = {
        "id": str(export.conversation.id),
        "title": export.conversation.title,
        "created_at": export.conversation.created_at.isoformat(),
        "messages": [_message_json(message, export) for message in export.messages],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


FORMS: dict[str, tuple[str, Write]] = {
    "md": ("text/markdown; charset=utf-8", as_markdown),
    "json": ("application/json", as_json),
}


def _message_markdown(message: Message, export: Export) -> str:
    author = "You" if message.role == Message.Role.USER else "AgencyCore"
    lines = [f"## {author}, {message.created_at:%Y-%m-%d %H:%M} UTC", message.text]
    if message.refs:
        lines.append("\n".join(f"- {_sent_markdown(ref, export)}" for ref in refs_of(message.refs)))
    lines += [f"*Could not answer: {missing}*" for missing in message.unresolved]
    sources = [_source_markdown(citation, export.states[citation.pk]) for citation in message.citations.all()]
    return "\n\n".join([*lines, *(["\n\n".join(sources)] if sources else [])])


def _sent_markdown(ref: ResourceRef, export: Export) -> str:
    kind = ref.kind.replace("_", " ").capitalize()
    return f"{kind}: {_sent_label(ref, export) or GONE_LABEL}"


def _sent_label(ref: ResourceRef, export: Export) -> str:
    """As its reader calls it; "" for a record that its owner may not see, or that is gone."""
    found = export.sent_labels.get(ref.key)
    return found.label if found else ""


def _source_markdown(citation: Citation, state: CitationState) -> str:
    place = f", {citation.position}" if citation.position else ""
    changed = " (changed since)" if state == "changed since" else ""
    quoted = "\n".join(f"> {line}" for line in GONE_WORDS.get(state, citation.excerpt).splitlines())
    return f"[{citation.marker}] {citation.label}{place}{changed}\n\n{quoted}"


def _message_json(message: Message, export: Export) -> dict[str, object]:
    return {
        "id": str(message.id),
        "role": message.role,
        "kind": message.kind,
        "in_reply_to": str(message.in_reply_to_id) if message.in_reply_to_id else None,
        "text": message.text,
        "created_at": message.created_at.isoformat(),
        "refs": [{**ref.as_json(), "label": _sent_label(ref, export)} for ref in refs_of(message.refs)],
        "options": shown_options(message.options, export.option_labels),
        "unresolved": message.unresolved,
        "citations": [_citation_json(citation, export.states[citation.pk]) for citation in message.citations.all()],
    }


def _citation_json(citation: Citation, state: CitationState) -> dict[str, object]:
    return {
        "marker": citation.marker,
        "key": citation.key,
        "kind": citation.kind,
        "id": citation.resource_id,
        "label": citation.label,
        "position": citation.position or None,
        "excerpt": "" if state in GONE else citation.excerpt,
        "state": state,
        "is_deleted": citation.deleted_at is not None,
    }
