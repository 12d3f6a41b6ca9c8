"""What a person can do to a turn: send a message, retry, stop."""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from agencycore.dispatch import queue
from agencycore.errors import NotFound, ProductError, RateLimited, Refused
from agencycore.refs import ResourceRef
from agencycore.streams.models import Stream
from agencycore.tenancy import Actor
from chat.models import Turn
from chat.progress import publish_state
from chat.run_answers import pass_to_run
from conversations.actions import (
    add_user_message,
    lock_conversation_for,
    start_conversation,
)
from conversations.guardrails import clean_message_text
from conversations.models import Conversation, Message
from runs import manager
from runs.listeners import lock_run_for
from runs.models import Run

DISPATCH_KIND = "turn"
CLIENT_MESSAGE_ID_MAX_LENGTH = 64
MAX_REFS = 20


class AlreadySent(Refused):
    """The ``client_message_id`` is that of a message with other words: to take it for that one would lose these."""

    code = "already_sent"


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as it reaches the product; checked, but nothing is known to exist yet."""

    text: str
    client_message_id: str
    refs: tuple[ResourceRef, ...] = ()
    page: ResourceRef | None = None
    for_chat: bool = False


@transaction.atomic
def accept_message(
    *,
    actor: Actor,
    conversation_id: uuid.UUID | None,
    text: str,
    client_message_id: str,
    refs: Sequence[ResourceRef] = (),
    page: ResourceRef | None = None,
    run_id: uuid.UUID | None = None,
    for_chat: bool = False,
) -> Turn:
    """Keep a message and queue its turn; a worker is rung after the commit.

    Without ``conversation_id`` a conversation is started. The same ``client_message_id`` again
    returns the first turn, and is refused with another text. A message for ``run_id`` answers what
    that run asked: its turn has ended when this returns; one ``for_chat`` answers no run, whatever it
    says. Raises ProductError with words for the person.
    """
    if run_id is not None and for_chat:
        raise ProductError("A message is either for a run or for chat.")
    message = _checked(text, client_message_id, refs, page, for_chat=for_chat)
    if run_id is not None:
        return _answer_run(actor, run_id, conversation_id, message)
    turn, created = _keep(actor, conversation_id, message)
    if created:
        queue.enqueue(
            kind=DISPATCH_KIND,
            object_id=turn.id,
            organization_id=turn.organization_id,
            sequence_key=turn.conversation_id,
            deadline_at=turn.deadline_at,
        )
    return turn


@transaction.atomic
def accept_claimed_message(
    *,
    actor: Actor,
    conversation_id: uuid.UUID | None,
    text: str,
    refs: Sequence[ResourceRef] = (),
    page: ResourceRef | None = None,
) -> tuple[Turn, queue.Claim]:
    """As ``accept_message``, already leased to this process: no doorbell, no worker takes it.

    Raises Refused while an earlier message of the conversation is being answered.
    """
    turn, _ = _keep(actor, conversation_id, _checked(text, str(uuid.uuid4()), refs, page))
    if Turn.objects.filter(conversation_id=turn.conversation_id).open().exclude(id=turn.id).exists():
        raise Refused("The previous message of this conversation is still being answered.")
    claim = queue.enqueue_claimed(
        kind=DISPATCH_KIND,
        object_id=turn.id,
        organization_id=turn.organization_id,
        sequence_key=turn.conversation_id,
        deadline_at=timezone.now() + datetime.timedelta(seconds=settings.TURN_DEADLINE_SECONDS),
    )
    return turn, claim


@transaction.atomic
def retry_turn(*, actor: Actor, turn_id: uuid.UUID) -> Turn:
    """Make the next attempt on a failed turn's message; a second click returns that attempt."""
    failed = _get_turn_for(actor, turn_id)
    lock_conversation_for(actor, failed.conversation_id)
    newest = Turn.objects.select_related("message").filter(message_id=failed.message_id).latest("attempt")
    if newest.shown_state != Turn.State.FAILED:
        return newest
    end_turn(newest, Turn.State.FAILED)  # past its deadline, and not yet swept
    turn = _make_turn(newest.message, attempt=newest.attempt + 1)
    queue.enqueue(
        kind=DISPATCH_KIND,
        object_id=turn.id,
        organization_id=turn.organization_id,
        sequence_key=turn.conversation_id,
        deadline_at=turn.deadline_at,
    )
    return turn


@transaction.atomic
def stop_turn(*, actor: Actor, turn_id: uuid.UUID) -> Turn:
    """End a turn without a reply; a finished one stays as it is. The question is kept."""
    turn = _get_turn_for(actor, turn_id)
    lock_conversation_for(actor, turn.conversation_id)
    end_turn(turn, Turn.State.CANCELLED)
    turn.refresh_from_db()
    return turn


@transaction.atomic
def stop_run(*, actor: Actor, run_id: uuid.UUID) -> Run:
    """Stop a run from its card, without a message; one that has ended stays as it is. Raises NotFound."""
    run, _ = manager.cancel(actor=actor, run_id=run_id)
    return run


@transaction.atomic
def delete_conversation(*, actor: Actor, conversation_id: uuid.UUID) -> None:
    """Remove a conversation with its messages, turns, events and scope, stopping its runs; run and usage rows stay."""
    stopped = manager.cancel_all(actor=actor, conversation_id=conversation_id)
    conversation = lock_conversation_for(actor, conversation_id)
    if Run.objects.filter(conversation_id=conversation_id).live().exclude(id__in=[run.id for run in stopped]).exists():
        raise Refused("Work was started in this conversation just now. Delete it again to stop that as well.")
    for turn in Turn.objects.filter(conversation=conversation).open():
        queue.withdraw(kind=DISPATCH_KIND, object_id=turn.id)
    Stream.objects.filter(name=conversation.stream_name).delete()
    conversation.delete()


def end_turn(turn: Turn, state: Turn.State, *, error_code: str = "", error_text: str = "") -> bool:
    """End an unfinished turn in a locked conversation; False if it had ended already."""
    ended = (
        Turn.objects.filter(id=turn.id)
        .open()
        .update(state=state, finished_at=timezone.now(), error_code=error_code, error_text=error_text)
    )
    queue.withdraw(kind=DISPATCH_KIND, object_id=turn.id)
    if ended:
        publish_state(turn, state)
    return bool(ended)


def _checked(
    text: str,
    client_message_id: str,
    refs: Sequence[ResourceRef],
    page: ResourceRef | None,
    *,
    for_chat: bool = False,
) -> NewMessage:
    is_short = 0 < len(client_message_id) <= CLIENT_MESSAGE_ID_MAX_LENGTH
    if not is_short or not client_message_id.isprintable():
        raise ProductError(
            f"client_message_id is required, at most {CLIENT_MESSAGE_ID_MAX_LENGTH} printable characters."
        )
    if len(refs) > MAX_REFS:
        raise ProductError(f"At most {MAX_REFS} records can be sent with a message.")
    return NewMessage(clean_message_text(text), client_message_id, tuple(refs), page, for_chat)


def _answer_run(actor: Actor, run_id: uuid.UUID, conversation_id: uuid.UUID | None, new: NewMessage) -> Turn:
    """Without a conversation, the message stands in the run's if that is the person's own, else in a new one."""
    run = lock_run_for(actor, run_id)  # a run is locked before any conversation
    turn, created = _keep(actor, conversation_id or _own_conversation_of(run, actor), new)
    if created:
        pass_to_run(turn, actor, run_id, text=new.text)
    return turn


def _own_conversation_of(run: Run, actor: Actor) -> uuid.UUID | None:
    if run.conversation_id is None:
        return None
    is_own = Conversation.objects.visible_to(actor).filter(id=run.conversation_id).exists()
    return run.conversation_id if is_own else None


def _keep(actor: Actor, conversation_id: uuid.UUID | None, new: NewMessage) -> tuple[Turn, bool]:
    """The turn of ``new``, and whether it was made now."""
    if conversation_id is None:
        _lock_client_message(actor, new.client_message_id)
        known = _find_turn(Message.objects.visible_to(actor), new.client_message_id)
    else:
        conversation = lock_conversation_for(actor, conversation_id)
        known = _find_turn(Message.objects.filter(conversation=conversation), new.client_message_id)
    if known is not None:
        if known.message.text != new.text:
            raise AlreadySent("This was sent already, with another text. Send it again to send it as a new message.")
        return known, False
    _check_rate(actor)
    if conversation_id is None:
        conversation = start_conversation(actor=actor, title=new.text)
    message = _append(conversation, new)
    return _make_turn(message, attempt=1), True


def _append(conversation: Conversation, new: NewMessage) -> Message:
    return add_user_message(
        conversation=conversation,
        text=new.text,
        client_message_id=new.client_message_id,
        refs=new.refs,
        page=new.page,
        for_chat=new.for_chat,
    )


def _make_turn(message: Message, *, attempt: int) -> Turn:
    turn = Turn.objects.create(
        organization_id=message.organization_id,
        conversation_id=message.conversation_id,
        message=message,
        attempt=attempt,
        deadline_at=timezone.now() + datetime.timedelta(seconds=settings.TURN_UNCLAIMED_SECONDS),
    )
    publish_state(turn, Turn.State.ACCEPTED)
    return turn


def _find_turn(messages: QuerySet[Message], client_message_id: str) -> Turn | None:
    # Nearly always there is none: that is asked without the turn's joins.
    message_id = messages.filter(client_message_id=client_message_id).values_list("id", flat=True).first()
    if message_id is None:
        return None
    return Turn.objects.select_related("message", "conversation").filter(message=message_id).earliest("attempt")


def _get_turn_for(actor: Actor, turn_id: uuid.UUID) -> Turn:
    turn = Turn.objects.visible_to(actor).select_related("message", "conversation").filter(id=turn_id).first()
    if turn is None:
        raise NotFound("This message does not exist.")
    return turn


def _check_rate(actor: Actor) -> None:
    """Counted from the person's own messages, so that a lost Redis cannot turn into an error."""
    since = timezone.now() - datetime.timedelta(minutes=1)
    sent = Message.objects.visible_to(actor).filter(role=Message.Role.USER, created_at__gt=since).count()
    if sent >= settings.MESSAGES_PER_MINUTE:
        raise RateLimited(
            f"That is more than {settings.MESSAGES_PER_MINUTE} messages in a minute. Wait a moment and send it again.",
            retry_after_seconds=30,
        )


def _lock_client_message(actor: Actor, client_message_id: str) -> None:
    """Serialise repeats of one first message: there is no conversation row to lock yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{actor.user_id}:{client_message_id}"]
        )
