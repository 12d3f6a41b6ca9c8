"""The documents a member chose for a conversation: while there are some, no other of the organization's is read.

Pages about the product stay readable. A document that is still being prepared can be chosen: its state
is shown, and it is read once it is ready.
"""

import uuid
from collections.abc import Sequence

from django.db import transaction

from agencycore.errors import NotFound, ProductError
from agencycore.streams.publisher import NewEvent, publish
from agencycore.tenancy import Actor
from conversations.actions import lock_conversation_for
from conversations.models import Conversation
from knowledge.models import KnowledgeSource

MAX_DOCUMENTS = 20


def find_documents(actor: Actor, ids: Sequence[uuid.UUID]) -> list[KnowledgeSource]:
    """Those of ``ids`` that the organization has, in their order."""
    if not ids:
        return []
    own = KnowledgeSource.objects.of(actor).exclude(state=KnowledgeSource.State.DELETING)
    found = own.in_bulk(list(ids))
    return [found[document] for document in dict.fromkeys(ids) if document in found]


def chosen_documents(actor: Actor, conversation: Conversation) -> list[KnowledgeSource]:
    return find_documents(actor, [uuid.UUID(document) for document in conversation.documents])


@transaction.atomic
def choose_documents(*, actor: Actor, conversation_id: uuid.UUID, documents: Sequence[uuid.UUID]) -> Conversation:
    """Let the conversation read ``documents`` alone, or with none of them all. Raises NotFound."""
    conversation = lock_conversation_for(actor, conversation_id)
    _set(actor, conversation, documents)
    return conversation


@transaction.atomic
def add_documents(*, actor: Actor, conversation_id: uuid.UUID, documents: Sequence[uuid.UUID]) -> Conversation:
    """Choose ``documents`` beside those that are chosen. Raises NotFound."""
    conversation = lock_conversation_for(actor, conversation_id)
    still_there = [source.id for source in chosen_documents(actor, conversation)]
    _set(actor, conversation, [*still_there, *documents])
    return conversation


def _set(actor: Actor, conversation: Conversation, documents: Sequence[uuid.UUID]) -> None:
    wanted = list(dict.fromkeys(documents))
    if len(wanted) > MAX_DOCUMENTS:
        raise ProductError(f"At most {MAX_DOCUMENTS} documents can be chosen for a chat.")
    if len(find_documents(actor, wanted)) < len(wanted):
        raise NotFound("There is no such document.")
    ids = [str(document) for document in wanted]
    if ids == conversation.documents:
        return
    conversation.documents = ids
    conversation.save(update_fields=["documents"])
    publish(
        stream=conversation.stream_name,
        organization_id=conversation.organization_id,
        events=[NewEvent("conversation.documents", {"documents": ids})],
    )
