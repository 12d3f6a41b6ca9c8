"""The shapes of the API: what comes in, checked; what goes out, named as in the design."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agencycore.refs import InvalidRef, ResourceRef, parse_ref
from chat.citation_states import GONE, CitationState
from chat.documents import MAX_DOCUMENTS
from chat.models import Turn
from chat.new_messages import CLIENT_MESSAGE_ID_MAX_LENGTH, MAX_REFS
from chat.options import shown_options
from conversations.models import Citation, Conversation, ConversationEntity, Feedback, Message


@extend_schema_field(OpenApiTypes.STR)
class RefField(serializers.Field[ResourceRef, object, str, Any]):
    """A record reference written as ``kind:id``."""

    def to_internal_value(self, data: object) -> ResourceRef:
        if not isinstance(data, str):
            raise InvalidRef("A record reference is text: kind:id, for example company:…")
        return parse_ref(data)

    def to_representation(self, value: ResourceRef) -> str:
        return f"{value.kind}:{value.id}"


class ConversationSerializer(serializers.ModelSerializer[Conversation]):
    documents = serializers.ListField(
        child=serializers.UUIDField(),
        max_length=MAX_DOCUMENTS,
        required=False,
        help_text="The documents it reads; none: all of the organization's.",
    )

    class Meta:
        model = Conversation
        fields = ["id", "title", "message_count", "documents", "created_at", "updated_at"]
        read_only_fields = ["id", "message_count", "created_at", "updated_at"]


class NewMessageSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(trim_whitespace=False, help_text="1 to 8,000 characters after trimming.")
    client_message_id = serializers.CharField(
        max_length=CLIENT_MESSAGE_ID_MAX_LENGTH,
        help_text="Made by the client, a UUID say; a repeat returns the first turn.",
    )
    refs = serializers.ListField(child=RefField(), max_length=MAX_REFS, required=False, default=list)
    page = RefField(required=False, allow_null=True, default=None)
    run = serializers.UUIDField(
        required=False, allow_null=True, default=None, source="run_id", help_text="The run whose question this answers."
    )
    for_chat = serializers.BooleanField(
        required=False, default=False, help_text="Not an answer to a run, whatever it says."
    )


class ChatRequestSerializer(NewMessageSerializer):
    conversation = serializers.UUIDField(required=False, allow_null=True, default=None)


class CitationSerializer(serializers.ModelSerializer[Citation]):
    """``states`` in the context says of each citation how it stands; without its passage, no passage is told."""

    id = serializers.CharField(source="resource_id")
    state = serializers.SerializerMethodField(help_text="as cited, changed since, withdrawn or deleted")
    excerpt = serializers.SerializerMethodField(help_text="As cited; empty where the source is gone.")
    is_deleted = serializers.SerializerMethodField()

    class Meta:
        model = Citation
        fields = ["marker", "key", "kind", "id", "label", "position", "excerpt", "claim", "url", "state", "is_deleted"]

    def get_state(self, citation: Citation) -> str:
        state: CitationState = self.context["states"][citation.pk]
        return state

    def get_excerpt(self, citation: Citation) -> str:
        return "" if self.get_state(citation) in GONE else citation.excerpt

    def get_is_deleted(self, citation: Citation) -> bool:
        return citation.deleted_at is not None


class MessageTurnSerializer(serializers.ModelSerializer[Turn]):
    state = serializers.ChoiceField(Turn.State.choices, source="shown_state")

    class Meta:
        model = Turn
        fields = ["id", "state"]


class MessageSerializer(serializers.ModelSerializer[Message]):
    """``option_labels`` in the context names the records among the options; without it they have no name.

    ``turns`` holds the newest turn of each message; without it none is told.
    """

    citations = CitationSerializer(many=True, read_only=True)
    turn = serializers.SerializerMethodField(help_text="Of a member's message: its newest turn, to follow or retry.")
    options = serializers.SerializerMethodField(help_text="Of a question back: [{label, ref}], records as named now.")

    class Meta:
        model = Message
        fields = [
            "id",
            "ordinal",
            "role",
            "kind",
            "in_reply_to",
            "turn",
            "run_id",
            "text",
            "refs",
            "page",
            "options",
            "unresolved",
            "citations",
            "created_at",
        ]

    @extend_schema_field(MessageTurnSerializer(allow_null=True))
    def get_turn(self, message: Message) -> Mapping[str, object] | None:
        turn: Turn | None = self.context.get("turns", {}).get(message.id)
        return MessageTurnSerializer(turn).data if turn else None

    def get_options(self, message: Message) -> list[dict[str, str]]:
        return shown_options(message.options, self.context.get("option_labels", {}))


class TurnSerializer(serializers.ModelSerializer[Turn]):
    """A turn as its asker sees it; the brief and the decision are for the audit in the admin."""

    state = serializers.CharField(source="shown_state")
    reply = MessageSerializer(read_only=True)

    class Meta:
        model = Turn
        fields = [
            "id",
            "conversation",
            "message",
            "attempt",
            "state",
            "outcome",
            "run_id",
            "reply",
            "fallback",
            "error_text",
            "created_at",
            "finished_at",
        ]


class ScopeEntitySerializer(serializers.ModelSerializer[ConversationEntity]):
    id = serializers.CharField(source="resource_id")

    class Meta:
        model = ConversationEntity
        fields = ["kind", "id", "label", "introduced_by_message", "last_referenced_at"]


class CapabilitySerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.CharField()
    description = serializers.CharField()
    input_schema = serializers.DictField()


class FeedbackSerializer(serializers.ModelSerializer[Feedback]):
    class Meta:
        model = Feedback
        fields = ["rating", "comment"]
