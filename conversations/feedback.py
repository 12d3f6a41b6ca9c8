"""What a person thought of a reply."""

import uuid

from django.db import transaction

from agencycore.errors import NotFound, Refused
from agencycore.streams.publisher import NewEvent, publish
from agencycore.tenancy import Actor
from conversations.actions import lock_conversation_for
from conversations.models import Feedback, Message

# What tells somebody something. The question of a run is not judged but answered.
JUDGED_KINDS = frozenset({Message.Kind.REPLY, Message.Kind.REPORT})


class NoFeedback(Refused):
    code = "no_feedback"

    def __init__(self) -> None:
        super().__init__("Feedback can be given on answers and reports only.")


def takes_feedback(message: Message) -> bool:
    return message.kind in JUDGED_KINDS


def get_judged_for(actor: Actor, message_id: uuid.UUID) -> Message:
    """The answer or report that the asker may judge. Raises NotFound, or NoFeedback for other messages."""
    message = Message.objects.visible_to(actor).filter(id=message_id).first()
    if message is None:
        raise NotFound("This message does not exist.")
    if not takes_feedback(message):
        raise NoFeedback
    return message


def find_feedback(actor: Actor, message: Message) -> Feedback | None:
    """What the asker said of it before; what others said is theirs."""
    return Feedback.objects.filter(message=message, user_id=actor.user_id).first()


@transaction.atomic
def give_feedback(*, actor: Actor, message_id: uuid.UUID, rating: str, comment: str = "") -> Feedback:
    """Keep one opinion per person and message; a second one replaces the first. Raises NotFound and NoFeedback.

    The conversation's stream says on what it was given: the person's other windows show it too.
    """
    message = get_judged_for(actor, message_id)
    conversation = lock_conversation_for(actor, message.conversation_id)
    feedback, _ = Feedback.objects.update_or_create(
        message=message,
        user_id=actor.user_id,
        defaults={"organization_id": actor.organization_id, "rating": rating, "comment": comment.strip()},
    )
    publish(
        stream=conversation.stream_name,
        organization_id=actor.organization_id,
        events=[NewEvent("message.judged", {"message": str(message.id)})],
    )
    return feedback
