"""Accepting, retrying and stopping: what a person can do to a turn."""

import datetime
import uuid

import pytest
from django.utils import timezone

from agencycore.dispatch import queue
from agencycore.dispatch.models import Dispatch
from agencycore.errors import NotFound, ProductError, RateLimited, Refused
from agencycore.refs import InvalidRef, ResourceRef
from agencycore.streams.models import Event
from agencycore.tenancy import tenant
from chat.actions import (
    NotFailed,
    accept_claimed_message,
    accept_message,
    delete_conversation,
    end_turn,
    retry_turn,
    stop_turn,
)
from chat.models import Turn
from conversations.guardrails import InvalidMessage
from conversations.models import Conversation, Message
from tests.people import Person


def accept(person: Person, text: str = "What is lifecycle stage?", **extra: object) -> Turn:
    defaults = {"conversation_id": None, "client_message_id": str(uuid.uuid4())}
    return accept_message(actor=person.actor, text=text, **(defaults | extra))  # type: ignore[arg-type]


@pytest.fixture
def as_owner(owner: Person):
    with tenant(owner.actor.organization_id):
        yield owner


def test_a_message_makes_a_conversation_a_turn_and_due_work(as_owner):
    turn = accept(as_owner, "What is lifecycle stage?\nI wonder.")

    conversation = Conversation.objects.get()
    message = Message.objects.get()
    assert conversation.title == "What is lifecycle stage?"
    assert conversation.starter_id == as_owner.user.id
    assert (message.ordinal, message.role, message.kind) == (1, "user", "message")
    assert (turn.message_id, turn.attempt, turn.state) == (message.id, 1, "accepted")
    work = Dispatch.objects.get()
    assert (work.kind, work.object_id, work.sequence_key) == ("turn", turn.id, conversation.id)
    assert work.deadline_at == turn.deadline_at
    event = Event.objects.get()
    assert (event.type, event.payload["state"], event.payload["turn"]) == ("turn.state", "accepted", str(turn.id))


def test_the_same_client_message_id_returns_the_first_turn(as_owner):
    first = accept(as_owner, client_message_id="one")
    again = accept(as_owner, client_message_id="one")
    third = accept(as_owner, client_message_id="one", conversation_id=first.conversation_id)

    assert first.id == again.id == third.id
    assert Message.objects.count() == Turn.objects.count() == Dispatch.objects.count() == 1


def test_messages_of_a_conversation_are_numbered(as_owner):
    first = accept(as_owner)
    second = accept(as_owner, "And what else?", conversation_id=first.conversation_id)

    assert second.message.ordinal == 2
    assert Conversation.objects.get().message_count == 2


def test_refs_and_page_are_kept_with_the_message(as_owner):
    company, deal = str(uuid.uuid4()), str(uuid.uuid4())
    ref, page = ResourceRef("company", company, "Acme"), ResourceRef("deal", deal, "Big")

    turn = accept(as_owner, refs=[ref], page=page)

    assert turn.message.refs == [{"kind": "company", "id": company, "label": "Acme"}]
    assert turn.message.page == {"kind": "deal", "id": deal, "label": "Big"}


@pytest.mark.parametrize("text", ["", "   \n ", "\x00\x01", "x" * 8_001])
def test_a_message_without_words_or_with_too_many_is_refused_and_nothing_is_kept(as_owner, text):
    with pytest.raises(InvalidMessage):
        accept(as_owner, text)

    assert not Conversation.objects.exists()
    assert not Dispatch.objects.exists()


def test_the_longest_message_is_accepted(as_owner):
    assert len(accept(as_owner, " " + "x" * 8_000 + " ").message.text) == 8_000


@pytest.mark.parametrize("client_message_id", ["", "x" * 65])
def test_a_client_message_id_is_required_and_short(as_owner, client_message_id):
    with pytest.raises(ProductError):
        accept(as_owner, client_message_id=client_message_id)


def test_too_many_messages_in_a_minute_are_refused_and_the_person_is_told_when(as_owner, settings):
    settings.MESSAGES_PER_MINUTE = 2
    first = accept(as_owner)
    accept(as_owner, conversation_id=first.conversation_id)

    with pytest.raises(RateLimited) as refusal:
        accept(as_owner, conversation_id=first.conversation_id)

    assert refusal.value.retry_after_seconds == 30
    assert Message.objects.count() == 2


def test_the_rate_counts_a_persons_own_messages_only(as_owner, teammate, settings):
    settings.MESSAGES_PER_MINUTE = 1
    accept(as_owner)

    assert accept(teammate).state == "accepted"


def test_a_strangers_or_teammates_conversation_does_not_exist(owner, teammate, stranger):
    with tenant(owner.actor.organization_id):
        turn = accept(owner)

    for person in (teammate, stranger):
        with tenant(person.actor.organization_id):
            with pytest.raises(NotFound, match="This conversation does not exist"):
                accept(person, conversation_id=turn.conversation_id)
            with pytest.raises(NotFound):
                stop_turn(actor=person.actor, turn_id=turn.id)
            with pytest.raises(NotFound):
                retry_turn(actor=person.actor, turn_id=turn.id)
            with pytest.raises(NotFound):
                delete_conversation(actor=person.actor, conversation_id=turn.conversation_id)
    with tenant(owner.actor.organization_id):
        assert Message.objects.count() == 1
        assert Turn.objects.get().state == "accepted"


def test_a_stopped_turn_keeps_its_question_and_loses_its_work(as_owner):
    turn = accept(as_owner)

    stopped = stop_turn(actor=as_owner.actor, turn_id=turn.id)

    assert stopped.state == "cancelled"
    assert stopped.finished_at is not None
    assert Message.objects.get().role == "user"
    assert not Dispatch.objects.exists()
    assert [event.payload["state"] for event in Event.objects.order_by("number")] == ["accepted", "cancelled"]


def test_stopping_a_finished_turn_changes_nothing(as_owner):
    turn = accept(as_owner)
    end_turn(turn, Turn.State.FAILED)

    assert stop_turn(actor=as_owner.actor, turn_id=turn.id).state == "failed"
    assert Event.objects.count() == 2


def test_retry_makes_the_next_attempt_on_the_same_message_once(as_owner):
    turn = accept(as_owner)
    end_turn(turn, Turn.State.FAILED)

    second = retry_turn(actor=as_owner.actor, turn_id=turn.id)
    again = retry_turn(actor=as_owner.actor, turn_id=turn.id)

    assert second.id == again.id
    assert (second.attempt, second.message_id, second.state) == (2, turn.message_id, "accepted")
    assert Message.objects.count() == 1
    assert Dispatch.objects.get().object_id == second.id


def test_a_turn_past_its_deadline_reads_as_failed_and_can_be_retried(as_owner):
    turn = accept(as_owner)
    Turn.objects.update(deadline_at=timezone.now() - datetime.timedelta(seconds=1))
    turn.refresh_from_db()
    assert turn.shown_state == "failed"

    second = retry_turn(actor=as_owner.actor, turn_id=turn.id)

    assert second.attempt == 2
    turn.refresh_from_db()
    assert turn.state == "failed"
    assert Dispatch.objects.get().object_id == second.id


def test_a_running_turn_is_not_retried(as_owner):
    turn = accept(as_owner)

    assert retry_turn(actor=as_owner.actor, turn_id=turn.id).id == turn.id


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Turn.State.CANCELLED, "This message was stopped."),
        (Turn.State.ANSWERED, "This message was answered."),
        (Turn.State.CLARIFIED, "This message was answered."),
    ],
)
def test_a_turn_that_was_stopped_or_answered_is_not_retried_and_told_so(as_owner, state, words):
    turn = accept(as_owner)
    end_turn(turn, state)

    with pytest.raises(NotFailed, match=words):
        retry_turn(actor=as_owner.actor, turn_id=turn.id)

    assert Turn.objects.get().state == state
    assert not Dispatch.objects.exists()


def test_retry_of_the_first_attempt_returns_the_next_though_that_has_ended(as_owner):
    turn = accept(as_owner)
    end_turn(turn, Turn.State.FAILED)
    second = retry_turn(actor=as_owner.actor, turn_id=turn.id)
    end_turn(second, Turn.State.CANCELLED)

    assert retry_turn(actor=as_owner.actor, turn_id=turn.id).id == second.id
    assert Turn.objects.count() == 2


@pytest.mark.parametrize(
    "ref",
    [
        ResourceRef("company", "x"),
        ResourceRef("run", "7"),
        ResourceRef("deal", "0199A1B2-0000-7000-8000-000000000001"),  # not as the product writes it
        ResourceRef("knowledge_chunk", "0199a1b2-0000-7000-8000-000000000001"),
    ],
)
def test_what_could_never_be_a_record_is_refused_by_name_and_nothing_is_kept(as_owner, ref):
    for sent in ({"refs": [ref]}, {"page": ref}):
        with pytest.raises(InvalidRef, match=f"“{ref.kind}:{ref.id}”"):
            accept(as_owner, **sent)
        with pytest.raises(InvalidRef):
            accept_claimed_message(actor=as_owner.actor, conversation_id=None, text="Who?", **sent)

    assert not Conversation.objects.exists()


def test_a_claimed_message_is_held_by_this_process(as_owner):
    turn, held = accept_claimed_message(actor=as_owner.actor, conversation_id=None, text="hello")

    assert held.object_id == turn.id
    assert queue.claim(kind="turn", object_id=turn.id) is None
    with pytest.raises(Refused):
        accept_claimed_message(actor=as_owner.actor, conversation_id=turn.conversation_id, text="and?")
    assert Message.objects.count() == 1


def test_a_deleted_conversation_leaves_no_message_turn_event_or_work(as_owner):
    turn = accept(as_owner)

    delete_conversation(actor=as_owner.actor, conversation_id=turn.conversation_id)

    for model in (Conversation, Message, Turn, Event, Dispatch):
        assert not model.objects.exists()
