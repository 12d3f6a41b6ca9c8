"""The chat API under ``/api/v1/``: each view parses, calls one action or query, and presents."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from agencycore.api_pagination import CheckedCursorPagination
from agencycore.api_schema import CONFLICT, SEARCH, TOO_MANY
from agencycore.refs import ResourceRef, read_refs
from agencycore.tenancy import Actor
from chat.actions import accept_message, delete_conversation, retry_turn, stop_turn
from chat.api.serializers import (
    CapabilitySerializer,
    ConversationSerializer,
    FeedbackSerializer,
    MessageSerializer,
    NewMessageSerializer,
    ScopeEntitySerializer,
    TurnSerializer,
)
from chat.citation_states import states_for
from chat.documents import choose_documents
from chat.models import Turn
from chat.options import read_option_labels
from chat.queries import get_conversation_for, get_turn_for, list_conversations, newest_turns
from conversations.actions import make_title, rename_conversation, start_conversation
from conversations.feedback import give_feedback
from conversations.models import Conversation, Message
from conversations.scope import entities_in_scope
from organizations.access import TenantAPIView
from runs.capabilities import list_capabilities


class NewestConversations(CheckedCursorPagination):
    ordering = ("-updated_at", "-id")


class MessagesInOrder(CheckedCursorPagination):
    ordering = "ordinal"


class ConversationList(TenantAPIView):
    pagination_class = NewestConversations

    @extend_schema(parameters=[SEARCH], responses=ConversationSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The member's conversations, newest first. `search` looks into titles and messages."""
        found = list_conversations(self.actor, request.query_params.get("search", ""))
        return _page(self, self.pagination_class(), found, ConversationSerializer)

    @extend_schema(request=ConversationSerializer, responses={201: ConversationSerializer})
    def post(self, request: Request) -> Response:
        """Start a conversation. Without a title its first message gives it one."""
        form = ConversationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        conversation = _start(self.actor, form.validated_data.get("title", ""), form.validated_data.get("documents"))
        return Response(ConversationSerializer(conversation).data, status=status.HTTP_201_CREATED)


class ConversationDetail(TenantAPIView):
    @extend_schema(responses=ConversationSerializer)
    def get(self, request: Request, conversation_id: uuid.UUID) -> Response:
        """One conversation, with the documents it reads."""
        return Response(ConversationSerializer(get_conversation_for(self.actor, conversation_id)).data)

    @extend_schema(request=ConversationSerializer, responses=ConversationSerializer)
    def patch(self, request: Request, conversation_id: uuid.UUID) -> Response:
        """Rename it, or choose the documents it reads. What is not named stays."""
        form = ConversationSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        changed = _change(self.actor, conversation_id, form.validated_data)
        return Response(ConversationSerializer(changed).data)

    @extend_schema(responses={204: None} | CONFLICT)
    def delete(self, request: Request, conversation_id: uuid.UUID) -> Response:
        """Delete it with its messages for good. Its runs are stopped."""
        delete_conversation(actor=self.actor, conversation_id=conversation_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MessageList(TenantAPIView):
    pagination_class = MessagesInOrder

    @extend_schema(responses=MessageSerializer(many=True))
    def get(self, request: Request, conversation_id: uuid.UUID) -> Response:
        """The messages in order. A member's own carry their newest turn."""
        conversation = get_conversation_for(self.actor, conversation_id)
        messages = Message.objects.visible_to(self.actor).filter(conversation=conversation)
        paginator = self.pagination_class()
        page = paginator.paginate_queryset(messages.prefetch_related("citations"), request, view=self) or []
        context = messages_context(self.actor, page) | {"turns": newest_turns(self.actor, page)}
        shown = MessageSerializer(page, many=True, context=context)
        return paginator.get_paginated_response(shown.data)

    @extend_schema(request=NewMessageSerializer, responses={201: TurnSerializer} | CONFLICT | TOO_MANY)
    def post(self, request: Request, conversation_id: uuid.UUID) -> Response:
        """Send a message. Its turn is queued, and followed at `turns/{id}/` or `turns/{id}/events`.

        The same `client_message_id` again gives the first turn; with anything else in it that differs it is refused.
        """
        form = NewMessageSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        turn = accept_message(actor=self.actor, conversation_id=conversation_id, **form.validated_data)
        return Response(turn_data(self.actor, turn), status=status.HTTP_201_CREATED)


class TurnDetail(TenantAPIView):
    @extend_schema(responses=TurnSerializer)
    def get(self, request: Request, turn_id: uuid.UUID) -> Response:
        """How far a turn is. Once it has ended, with its reply and what that cites."""
        return Response(turn_data(self.actor, get_turn_for(self.actor, turn_id)))


class TurnStop(TenantAPIView):
    @extend_schema(request=None, responses=TurnSerializer)
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Stop a turn. The question is kept; one that has ended stays as it is."""
        return Response(turn_data(self.actor, stop_turn(actor=self.actor, turn_id=turn_id)))


class TurnRetry(TenantAPIView):
    @extend_schema(request=None, responses={200: TurnSerializer} | CONFLICT)
    def post(self, request: Request, turn_id: uuid.UUID) -> Response:
        """Try a failed turn again. The answer is the new attempt.

        One at work stays as it is; one that was stopped or answered is refused.
        """
        return Response(turn_data(self.actor, retry_turn(actor=self.actor, turn_id=turn_id)))


class ScopeList(TenantAPIView):
    @extend_schema(responses=ScopeEntitySerializer(many=True))
    def get(self, request: Request, conversation_id: uuid.UUID) -> Response:
        """The records the conversation is about, newest first, those that still exist for the asker."""
        entities = entities_in_scope(get_conversation_for(self.actor, conversation_id))
        refs = [ResourceRef(entity.kind, entity.resource_id) for entity in entities]
        labels = {projection.ref.key: projection.ref.label for projection in read_refs(self.actor, refs)}
        shown = [entity for entity in entities if (entity.kind, entity.resource_id) in labels]
        for entity in shown:
            entity.label = labels[entity.kind, entity.resource_id]
        return Response(ScopeEntitySerializer(shown, many=True).data)


class CapabilityList(TenantAPIView):
    @extend_schema(responses=CapabilitySerializer(many=True))
    def get(self, request: Request) -> Response:
        """The agents and workflows that can be started from chat."""
        return Response(CapabilitySerializer(list_capabilities(self.actor), many=True).data)


class MessageFeedback(TenantAPIView):
    @extend_schema(request=FeedbackSerializer, responses={200: FeedbackSerializer} | CONFLICT)
    def put(self, request: Request, message_id: uuid.UUID) -> Response:
        """Say whether an answer or a report was helpful. A second opinion replaces the first.

        The question of a run and a member's own message take none and are refused.
        """
        form = FeedbackSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        feedback = give_feedback(actor=self.actor, message_id=message_id, **form.validated_data)
        return Response(FeedbackSerializer(feedback).data)


@transaction.atomic
def _start(actor: Actor, title: str, documents: Sequence[uuid.UUID] | None) -> Conversation:
    conversation = start_conversation(actor=actor, title=make_title(title))
    if not documents:
        return conversation
    return choose_documents(actor=actor, conversation_id=conversation.id, documents=documents)


@transaction.atomic
def _change(actor: Actor, conversation_id: uuid.UUID, changes: Mapping[str, Any]) -> Conversation:
    """Both changes or none; what is not named stays."""
    conversation = get_conversation_for(actor, conversation_id)
    if "documents" in changes:
        conversation = choose_documents(actor=actor, conversation_id=conversation_id, documents=changes["documents"])
    if "title" in changes:
        conversation = rename_conversation(actor=actor, conversation_id=conversation_id, title=changes["title"])
    return conversation


def turn_data(actor: Actor, turn: Turn) -> Mapping[str, object]:
    """A turn as JSON, with its reply and what that cites."""
    replies = [turn.reply] if turn.reply else []
    data: Mapping[str, object] = TurnSerializer(turn, context=messages_context(actor, replies)).data
    return data


def messages_context(actor: Actor, messages: Sequence[Message]) -> dict[str, object]:
    """What the serializers of ``messages`` have to know of their citations and options."""
    citations = [citation for message in messages for citation in message.citations.all()]
    return {"states": states_for(actor, citations), "option_labels": read_option_labels(actor, messages)}


def _page(
    view: TenantAPIView, paginator: CheckedCursorPagination, rows: Any, serializer: type[BaseSerializer[Any]]
) -> Response:
    page: list[Any] | None = paginator.paginate_queryset(rows, view.request, view=view)
    return paginator.get_paginated_response(serializer(page, many=True).data)
