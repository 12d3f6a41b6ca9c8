"""The socket of an organization's documents."""

from agencycore.errors import NotFound
from agencycore.streams.consumer import StreamConsumer
from agencycore.streams.events import events_after
from agencycore.streams.subscription import Reading, StreamAddress
from agencycore.tenancy import tenant
from knowledge.events import stream_of
from knowledge.queries import count_in_progress
from organizations.access import get_socket_membership


class KnowledgeConsumer(StreamConsumer):
    """``ws/knowledge/<organization id>/?after=N``: the organization of the page, which must be that of the session."""

    def read(self, after: int) -> Reading:
        membership = get_socket_membership(self.scope)
        if membership.organization_id != self.scope["url_route"]["kwargs"]["organization_id"]:
            raise NotFound
        with tenant(membership.organization_id):
            address = StreamAddress(
                stream_of(membership.organization_id), membership.organization_id, membership.user_id
            )
            is_live = count_in_progress(membership.actor) > 0
            return Reading(address, events_after(address.stream, after), is_live)
