"""One request for a whole turn: a message goes in, its turn's events come back until it ends."""

import json
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from agencycore.api_errors import answers_in_json
from agencycore.api_parsers import JSONParser
from agencycore.api_throttle import count_request
from agencycore.errors import NotFound
from agencycore.streams.database import off_loop
from agencycore.streams.events import StreamEvent
from agencycore.streams.models import Event
from agencycore.streams.sse import event_frames, frame, frame_response
from agencycore.tenancy import tenant
from chat.actions import accept_message
from chat.api.events import get_membership, read_turn_events, select_of_turn
from chat.api.serializers import ChatRequestSerializer
from chat.api.views import turn_data
from chat.models import Turn
from chat.queries import get_turn_for


@dataclass(frozen=True, slots=True)
class Accepted:
    """A kept message; its turn's events come after number ``before``."""

    turn_id: uuid.UUID
    conversation_id: uuid.UUID
    message_id: uuid.UUID
    before: int


@csrf_exempt  # checked where the session is what authenticates: a token needs none
@answers_in_json("POST")
async def chat(request: HttpRequest) -> HttpResponseBase:
    """``turn.accepted`` with the ids, the turn's events, and at its end ``turn.result`` with the whole of it."""
    accepted = await off_loop(_accept)(request)
    return frame_response(_frames(request, accepted))


def _accept(request: HttpRequest) -> Accepted:
    _ = request.body  # no more of it than the settings allow; whoever parses it after this reads this copy
    membership = get_membership(request)
    count_request(membership.user_id)
    form = ChatRequestSerializer(data=Request(request, parsers=[JSONParser()]).data)
    form.is_valid(raise_exception=True)
    values = form.validated_data
    with tenant(membership.organization_id):
        turn = accept_message(actor=membership.actor, conversation_id=values.pop("conversation"), **values)
        return Accepted(turn.id, turn.conversation_id, turn.message_id, _number_before(turn))


def _number_before(turn: Turn) -> int:
    """A repeated message gets its turn from the beginning."""
    events = Event.objects.filter(stream__name=turn.conversation.stream_name, payload__turn=str(turn.id))
    first = events.order_by("number").values_list("number", flat=True).first()
    return first - 1 if first else 0


async def _frames(request: HttpRequest, accepted: Accepted) -> AsyncGenerator[str]:
    read = off_loop(partial(read_turn_events, request, accepted.turn_id))
    ids = {"turn": accepted.turn_id, "conversation": accepted.conversation_id, "message": accepted.message_id}
    yield frame(StreamEvent(None, "turn.accepted", {name: str(value) for name, value in ids.items()}))
    with suppress(NotFound, APIException):
        reading = await read(accepted.before)
        select = partial(select_of_turn, str(accepted.turn_id))
        async with aclosing(event_frames(reading, accepted.before, read, select)) as frames:
            async for each in frames:
                yield each
        yield frame(StreamEvent(None, "turn.result", await off_loop(_result)(request, accepted.turn_id)))


def _result(request: HttpRequest, turn_id: uuid.UUID) -> Mapping[str, object]:
    """Raises NotFound for who may not read it any more, also where it has not ended for them."""
    membership = get_membership(request)
    with tenant(membership.organization_id):
        turn = get_turn_for(membership.actor, turn_id)
        if turn.shown_state not in Turn.TERMINAL:
            raise NotFound("This turn has not ended.")
        plain: Mapping[str, object] = json.loads(JSONRenderer().render(turn_data(membership.actor, turn)))
        return plain
