"""A turn's events over SSE: ``Last-Event-ID`` resumes, the response ends with the turn."""

import uuid
from functools import partial
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.authentication import SessionAuthentication, TokenAuthentication
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from agencycore.api_errors import answers_in_json
from agencycore.api_parsers import JSONParser
from agencycore.api_throttle import count_request
from agencycore.errors import NotFound
from agencycore.streams.database import off_loop
from agencycore.streams.events import REPLAY_LIMIT, StreamEvent, events_after, last_number
from agencycore.streams.models import Event
from agencycore.streams.sse import event_response, last_event_id
from agencycore.streams.subscription import Reading, StreamAddress
from agencycore.tenancy import tenant
from chat.models import Turn
from chat.queries import get_turn_for
from organizations.access import ORGANIZATION_HEADER, find_active_membership, find_membership
from organizations.models import Membership


@answers_in_json("GET")
async def turn_events(request: HttpRequest, turn_id: uuid.UUID) -> HttpResponseBase:
    """``turn.state``, ``turn.slow``, ``message.created`` and live ``turn.delta`` of one turn."""
    resumed = await off_loop(_resume)(request, turn_id, last_event_id(request))
    if resumed is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    reading, after = resumed
    read = off_loop(partial(read_turn_events, request, turn_id))
    return event_response(reading, after, read, partial(select_of_turn, str(turn_id)))


def read_turn_events(request: HttpRequest, turn_id: uuid.UUID, after: int) -> Reading:
    """The asker's rights are checked anew at every reading."""
    membership = get_membership(request)
    with tenant(membership.organization_id):
        return _reading(membership, get_turn_for(membership.actor, turn_id), after)


def _resume(request: HttpRequest, turn_id: uuid.UUID, after: int) -> tuple[Reading, int] | None:
    """The first reading, which counts as a request, and the number it begins after; None where all was received.

    An EventSource asks again whenever a response ends, until it gets 204. A number that was never given out is not
    one of ours: the turn is told from its beginning, as to whoever has none.
    """
    membership = get_membership(request)
    count_request(membership.user_id)
    with tenant(membership.organization_id):
        turn = get_turn_for(membership.actor, turn_id)
        stream = turn.conversation.stream_name
        known = after if after and after <= last_number(stream) else 0
        if known and turn.is_finished and not _has_events_after(turn, known):
            return None
        return _reading(membership, turn, known), known


def _has_events_after(turn: Turn, number: int) -> bool:
    later = Event.objects.filter(stream__name=turn.conversation.stream_name, number__gt=number)
    return later.filter(payload__turn=str(turn.id)).exists()


def _reading(membership: Membership, turn: Turn, after: int) -> Reading:
    stream = turn.conversation.stream_name
    address = StreamAddress(stream, membership.organization_id, membership.user_id)
    events = events_after(stream, after)
    if len(events) < REPLAY_LIMIT and _is_overdue(turn):
        events = (*events, _overdue(turn))
    return Reading(address, events, is_live=True, is_over=turn.shown_state in Turn.TERMINAL)


def get_membership(request: HttpRequest) -> Membership:
    # The check of the CSRF token looks into the body, too.
    # A token first, at every reading: once it has named the user, the session check would ask for a CSRF token.
    authenticators = [TokenAuthentication(), SessionAuthentication()]
    user = Request(request, parsers=[JSONParser()], authenticators=authenticators).user
    if not user.is_authenticated:
        raise NotAuthenticated("Log in, or send a token.")
    named = request.headers.get(ORGANIZATION_HEADER)
    membership = find_membership(user, named) if named else find_active_membership(request)
    if membership is None:
        raise NotFound("You are not a member of that organization.")
    return membership


def _is_overdue(turn: Turn) -> bool:
    return not turn.is_finished and turn.shown_state in Turn.TERMINAL


def _overdue(turn: Turn) -> StreamEvent:
    """Past its deadline a turn has failed, also if nobody lived to write the event."""
    state = Turn.State.FAILED
    payload = {"turn": str(turn.id), "message": str(turn.message_id), "state": str(state), "label": str(state.label)}
    return StreamEvent(None, "turn.state", payload)


def select_of_turn(turn_id: str, event: StreamEvent) -> tuple[bool, bool]:
    is_own = event.payload.get("turn") == turn_id
    return is_own, is_own and event.type == "turn.state" and event.payload.get("state") in Turn.TERMINAL
