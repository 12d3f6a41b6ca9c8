"""Sending a message and carrying its turn out in the test process."""

import datetime
import uuid
from collections.abc import Sequence
from pathlib import Path

from django.utils import timezone

from agencycore.dispatch.models import Dispatch
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.actions import accept_message
from chat.models import Turn
from chat.turns import process_turn
from conversations.models import Message
from knowledge.platform_docs import sync_platform_docs
from tests.people import Person

LIFECYCLE_PAGE = """# Lifecycle stages

A lifecycle stage is how far a company has come on its way to being a customer.

## Who changes a lifecycle stage

The owner of a company changes its lifecycle stage on the company’s page.
"""


def publish_lifecycle_page(folder: Path) -> None:
    """One page of platform knowledge."""
    (folder / "lifecycle-stages.md").write_text(LIFECYCLE_PAGE)
    sync_platform_docs(folder)


def send(
    person: Person,
    text: str,
    *,
    conversation_id: uuid.UUID | None = None,
    refs: Sequence[ResourceRef] = (),
    page: ResourceRef | None = None,
) -> Turn:
    with tenant(person.actor.organization_id):
        return accept_message(
            actor=person.actor,
            conversation_id=conversation_id,
            text=text,
            client_message_id=str(uuid.uuid4()),
            refs=refs,
            page=page,
        )


def work_on(turn: Turn) -> Turn:
    """Carry the turn out as a worker that was rung for it."""
    process_turn(organization_id=turn.organization_id, turn_id=turn.id)
    return reread(turn)


def ask(person: Person, text: str, **extra: object) -> Turn:
    return work_on(send(person, text, **extra))  # type: ignore[arg-type]


def reread(turn: Turn) -> Turn:
    with tenant(turn.organization_id):
        return Turn.objects.select_related("reply", "message", "conversation").get(id=turn.id)


def replies_to(turn: Turn) -> list[Message]:
    with tenant(turn.organization_id):
        return list(Message.objects.filter(in_reply_to=turn.message_id).prefetch_related("citations"))


def expire_lease(turn: Turn) -> None:
    """As if the worker that holds the turn had died a while ago."""
    past = timezone.now() - datetime.timedelta(seconds=1)
    Dispatch.objects.filter(object_id=turn.id).update(lease_until=past, due_at=past)
