"""What a run tells the conversation it was started from: its state, its questions, its end."""

import datetime

from django.conf import settings
from django.utils import timezone

from agencycore.dispatch import queue
from agencycore.streams.publisher import NewEvent, publish
from conversations.actions import add_question
from conversations.models import Conversation, Message, stream_of
from runs.models import Run
from runs.wording import run_label

REPORT_KIND = "report"
REPORTED = (Run.State.SUCCEEDED, Run.State.FAILED)


class ConversationRunListener:
    """Writes into the run's conversation while the run is locked: run first, then conversation.

    A run without a conversation, or whose conversation was deleted, is not told of anywhere.
    """

    def run_moved(self, run: Run) -> None:
        conversation = lock_conversation_of(run)
        if conversation is not None:
            publish_run(run)

    def run_asked(self, run: Run) -> None:
        conversation = lock_conversation_of(run)
        handoff = find_handoff(run) if conversation else None
        if conversation is None or handoff is None or handoff.in_reply_to is None:
            return
        question = add_question(
            conversation=conversation, in_reply_to=handoff.in_reply_to, text=run.question, run_id=run.id
        )
        publish_message(question)

    def run_ended(self, run: Run) -> None:
        """A stopped run gets no report: whoever stopped it was told, and so was the conversation."""
        if run.state in REPORTED and find_handoff(run) is not None:
            queue.enqueue(
                kind=REPORT_KIND,
                object_id=run.id,
                organization_id=run.organization_id,
                deadline_at=timezone.now() + datetime.timedelta(seconds=settings.TURN_UNCLAIMED_SECONDS),
            )


def lock_conversation_of(run: Run) -> Conversation | None:
    """The run's conversation, locked; None where it has none or it is gone."""
    if run.conversation_id is None:
        return None
    return Conversation.objects.select_for_update().filter(id=run.conversation_id).first()


def find_handoff(run: Run) -> Message | None:
    """The reply that handed work to ``run``, with the message it answers; None where it does not stand."""
    if run.conversation_id is None:
        return None
    replies = Message.objects.filter(
        conversation_id=run.conversation_id, run_id=run.id, kind=Message.Kind.REPLY, in_reply_to__isnull=False
    )
    return replies.select_related("in_reply_to").order_by("ordinal").first()


def publish_run(run: Run) -> None:
    """Announce a run's state on its conversation's stream."""
    state = {"run": str(run.id), "state": str(run.state), "label": run_label(run), "step": run.step}
    _publish(run, NewEvent("run.state", state))


def publish_message(message: Message) -> None:
    """Announce what a run said."""
    told = {
        "message": str(message.id),
        "in_reply_to": str(message.in_reply_to_id),
        "role": str(message.role),
        "kind": str(message.kind),
        "run": str(message.run_id),
    }
    _publish(message, NewEvent("message.created", told))


def _publish(subject: Run | Message, event: NewEvent) -> None:
    assert subject.conversation_id is not None  # a run without one has nobody to tell
    stream = stream_of(subject.conversation_id)
    publish(stream=stream, organization_id=subject.organization_id, events=[event])
