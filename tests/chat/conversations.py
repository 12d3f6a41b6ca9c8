"""Conversations for tests of the page, written the way the product writes them."""

import datetime
import uuid

from django.utils import timezone

from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.actions import add_reply, add_user_message, start_conversation
from conversations.models import Citation


def ask(person, text="What is lifecycle stage?", conversation=None, refs=(), page=None):
    with tenant(person.organization.id):
        conversation = conversation or start_conversation(actor=person.actor, title=text)
        return add_user_message(
            conversation=conversation, text=text, client_message_id=str(uuid.uuid4()), refs=refs, page=page
        )


def turn_of(person, message, state=Turn.State.ACCEPTED, **fields):
    with tenant(person.organization.id):
        return Turn.objects.create(
            organization_id=person.organization.id,
            conversation_id=message.conversation_id,
            message=message,
            state=state,
            **({"deadline_at": timezone.now() + datetime.timedelta(minutes=15)} | fields),
        )


def answer(person, message, text="It says how far a company has come. [1]", citations=None, **fields):
    if citations is None:
        citations = [citation()]
    with tenant(person.organization.id):
        reply = add_reply(
            conversation=message.conversation, in_reply_to=message, text=text, citations=citations, **fields
        )
    turn_of(person, message, Turn.State.ANSWERED, reply=reply, finished_at=timezone.now())
    return reply


def citation(marker=1, key="r1", **fields):
    shown = {
        "kind": "passage",  # of no reader: what the page shows hangs on nothing but the citation
        "resource_id": str(uuid.uuid4()),
        "label": "Lifecycle stages",
        "position": "What a stage is",
        "excerpt": "A lifecycle stage says how far a company has come with you.",
    }
    return Citation(marker=marker, key=key, **(shown | fields))
