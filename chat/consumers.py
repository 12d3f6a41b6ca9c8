"""The socket of one conversation."""

from agencycore.streams.consumer import StreamConsumer
from agencycore.streams.events import events_after
from agencycore.streams.subscription import Reading, StreamAddress
from agencycore.tenancy import tenant
from chat.models import Turn
from chat.queries import get_conversation_for
from organizations.access import get_socket_membership
from runs.models import Run


class ConversationConsumer(StreamConsumer):
    """``ws/conversations/<id>/?after=N``"""

    def read(self, after: int) -> Reading:
        membership = get_socket_membership(self.scope)
        with tenant(membership.organization_id):
            conversation = get_conversation_for(membership.actor, self.scope["url_route"]["kwargs"]["conversation_id"])
            address = StreamAddress(conversation.stream_name, membership.organization_id, membership.user_id)
            is_live = (
                Turn.objects.filter(conversation=conversation).open().exists()
                or Run.objects.filter(conversation_id=conversation.id).live().exists()
            )
            return Reading(address, events_after(conversation.stream_name, after), is_live)
