"""What a person can do to a turn: send a message, retry, stop."""

import datetime
import uuid
from collections.abc import Sequence

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from agencycore.dispatch import queue
from agencycore.errors import NotFound, RateLimited, Refused
from agencycore.refs import ResourceRef
from agencycore.streams.models import Stream
from agencycore.tenancy import Actor
from chat.documents import choose_documents
from chat.models import Turn
from chat.new_messages import NewMessage, checked_message, find_first_turn
from chat.progress import publish_state
from chat.run_answers import pass_to_run
from conversations.actions import (
    add_user_message,
    lock_conversation_for,
    start_conversation,
)
from conversations.models import Conversation, Message
from runs import manager
from runs.listeners import lock_run_for
from runs.models import Run

DISPATCH_KIND = "turn"


class NotFailed(Refused):
    """There is nothing to try again."""

    code = "not_failed"

    def __init__(self, turn: Turn) -> None:
        was = "stopped" if turn.state == Turn.State.CANCELLED else "answered"
        super().__init__(f"This message was {was}. Only one that failed is tried again; send it as a new message.")


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
    documents: Sequence[uuid.UUID] = (),
) -> Turn:
    """Keep a message and queue its turn; a worker is rung after the commit.

    Without ``conversation_id`` a conversation is started, which reads ``documents``. The same
    ``client_message_id`` again returns the first turn; AlreadySent where anything else of the message
    differs. A message for ``run_id`` answers what that run asked: its turn has ended when this returns;
    one ``for_chat`` answers no run, whatever it says. Raises ProductError with words for the person.
    """
    message = checked_message(
        actor=actor,
        text=text,
        client_message_id=client_message_id,
        refs=refs,
        page=page,
        run_id=run_id,
        for_chat=for_chat,
        documents=documents,
    )
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
    message = checked_message(actor=actor, text=text, client_message_id=str(uuid.uuid4()), refs=refs, page=page)
    turn, _ = _keep(actor, conversation_id, message)
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
    """Make the next attempt on a failed turn's message; a second click returns that attempt.

    One at work stays as it is. Raises NotFailed for one that was stopped or has its reply.
    """
    failed = _get_turn_for(actor, turn_id)
    lock_conversation_for(actor, failed.conversation_id)
    newest = Turn.objects.select_related("message").filter(message_id=failed.message_id).latest("attempt")
    if newest.shown_state != Turn.State.FAILED:
        if newest.id == failed.id and newest.is_finished:
            raise NotFailed(newest)
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
    conversation = None
    if conversation_id is None:
        _lock_client_message(actor, new.client_message_id)
    else:
        conversation = lock_conversation_for(actor, conversation_id)
    known = find_first_turn(actor, conversation, new)
    if known is not None:
        return known, False
    _check_rate(actor)
    turn = _make_turn(_append(conversation or _begin(actor, new), new), attempt=1)
    return turn, True


def _begin(actor: Actor, new: NewMessage) -> Conversation:
    conversation = start_conversation(actor=actor, title=new.text)
    if not new.documents:
        return conversation
    return choose_documents(actor=actor, conversation_id=conversation.id, documents=new.documents)


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
