"""What a person thought of a reply."""

import uuid

from django.db import transaction

from agencycore.errors import NotFound
from agencycore.tenancy import Actor
from conversations.models import Feedback, Message


@transaction.atomic
def give_feedback(*, actor: Actor, message_id: uuid.UUID, rating: str, comment: str = "") -> Feedback:
    """Keep one opinion per person and message; a second one replaces the first. Raises NotFound."""
    message = Message.objects.visible_to(actor).filter(id=message_id, role=Message.Role.ASSISTANT).first()
    if message is None:
        raise NotFound("This message does not exist.")
    feedback, _ = Feedback.objects.update_or_create(
        message=message,
        user_id=actor.user_id,
        defaults={"organization_id": actor.organization_id, "rating": rating, "comment": comment.strip()},
    )
    return feedback
