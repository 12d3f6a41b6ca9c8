"""The two streams for the OpenAPI schema: their views are none of DRF's, so it is told of them here.

No address leads to these classes. Requests are answered by ``chat.api.streaming`` and ``chat.api.events``.
"""

import uuid
from collections.abc import Callable
from typing import Any

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from agencycore.api_parsers import JSONParser
from agencycore.api_schema import CONFLICT, TOO_MANY
from chat.api.serializers import ChatRequestSerializer

Endpoint = tuple[str, str, str, Callable[..., Any]]

STREAM = {
    (200, "text/event-stream"): OpenApiResponse(OpenApiTypes.STR, "Server-sent events, until the turn has ended.")
}
NOTHING_MORE = {204: OpenApiResponse(None, "The turn has ended, and all its events were received.")}
LAST_EVENT_ID = OpenApiParameter(
    "Last-Event-ID",
    int,
    OpenApiParameter.HEADER,
    description="The number of the last event that was received. One that was never given out: all are told.",
)


class DescribedChat(APIView):
    parser_classes = (JSONParser,)

    @extend_schema(operation_id="chat_create", request=ChatRequestSerializer, responses=STREAM | CONFLICT | TOO_MANY)
    def post(self, request: Request) -> None:
        """Send a message and follow its turn in one request.

        `turn.accepted` with the ids, the turn's events, and at its end `turn.result` with the turn, its reply and
        citations. Without `conversation` a new one begins.
        """


class DescribedTurnEvents(APIView):
    @extend_schema(operation_id="turns_events_retrieve", parameters=[LAST_EVENT_ID], responses=STREAM | NOTHING_MORE)
    def get(self, request: Request, turn_id: uuid.UUID) -> None:
        """Follow a turn's events as they happen.

        `turn.state`, `turn.slow`, `message.created` and, while text is written, `turn.delta` and `turn.reset`.
        """


def with_streams(endpoints: list[Endpoint]) -> list[Endpoint]:
    """A preprocessing hook of the schema."""
    root = reverse("api_schema").removesuffix("schema/")
    events = f"{root}turns/{{turn_id}}/events"
    return [
        *endpoints,
        (f"{root}chat/", f"{root}chat/", "POST", DescribedChat.as_view()),
        (events, events.replace("{turn_id}", "<uuid:turn_id>"), "GET", DescribedTurnEvents.as_view()),
    ]
