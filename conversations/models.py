"""What was said: conversations, messages, citations, the entities in scope, feedback."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from agencycore.identifiers import new_id
from agencycore.tenancy import Actor
from organizations.models import Organization

MESSAGE_MAX_LENGTH = 8_000

# Of a citation's support, 0 to 1; below it the source is flagged.
LOW_SUPPORT = 0.35


def stream_of(conversation_id: uuid.UUID) -> str:
    """The name of the stream that a conversation's events are numbered in."""
    return f"conversation:{conversation_id}"


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def visible_to(self, actor: Actor) -> "ConversationQuerySet":
        """Conversations are private to the person who started them."""
        return self.filter(organization_id=actor.organization_id, starter_id=actor.user_id)


class Conversation(models.Model):
    class Kind(models.TextChoices):
        GENERAL = "general", "General"
        FORM = "form", "Form"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    starter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="conversations")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.GENERAL)
    title = models.CharField(max_length=120, blank=True)
    documents = models.JSONField(
        default=list, blank=True, help_text="Ids of the knowledge sources the member chose; empty: all."
    )
    summary = models.TextField(blank=True, help_text="Recap of the oldest messages. Context, never evidence.")
    summary_message_count = models.PositiveIntegerField(
        default=0, help_text="How many messages, from the first, the summary covers."
    )
    message_count = models.PositiveIntegerField(default=0, help_text="The newest message's ordinal.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now_add=True, help_text="When the newest message was written.")

    objects = ConversationQuerySet.as_manager()

    class Meta:
        indexes = [
            # A member's conversation list, newest first.
            models.Index(fields=["organization", "starter", "-updated_at"], name="conversation_list"),
        ]

    def __str__(self) -> str:
        return self.title or "New conversation"

    @property
    def stream_name(self) -> str:
        return stream_of(self.id)


class MessageQuerySet(models.QuerySet["Message"]):
    def visible_to(self, actor: Actor) -> "MessageQuerySet":
        return self.filter(organization_id=actor.organization_id, conversation__starter_id=actor.user_id)


class Message(models.Model):
    class Role(models.TextChoices):
        USER = "user", "User"
        ASSISTANT = "assistant", "Assistant"

    class Kind(models.TextChoices):
        MESSAGE = "message", "Message"
        REPLY = "reply", "Reply"
        QUESTION = "question", "Question of a run"
        REPORT = "report", "Report of a run"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    ordinal = models.PositiveIntegerField(help_text="1, 2, 3 … in the conversation; taken under its row lock.")
    role = models.CharField(max_length=10, choices=Role.choices)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    in_reply_to = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="replies")
    run_id = models.UUIDField(null=True, blank=True)
    for_chat = models.BooleanField(
        default=False, db_default=False, help_text="Sent to chat by choice, where a run waits for an answer."
    )
    text = models.TextField()
    client_message_id = models.CharField(
        max_length=64, blank=True, help_text="Made by the client: a repeat returns the first message."
    )
    refs = models.JSONField(default=list, blank=True, help_text="[{kind, id, label}] sent with the message.")
    page = models.JSONField(null=True, blank=True, help_text="{kind, id, label} of the page it was sent from.")
    preamble = models.TextField(blank=True, help_text="Date, page and scope line it was sent to the model with.")
    options = models.JSONField(default=list, blank=True, help_text="[{label, ref}] offered by a clarify.")
    unresolved = models.JSONField(default=list, blank=True, help_text="What an answer could not say, in words.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering = ["conversation", "ordinal"]
        constraints = [
            # Also serves the page: a conversation's messages in order.
            models.UniqueConstraint(fields=["conversation", "ordinal"], name="message_ordinal_once"),
            models.UniqueConstraint(
                fields=["conversation", "client_message_id"],
                condition=~Q(client_message_id=""),
                name="message_client_id_once",
            ),
            models.UniqueConstraint(
                fields=["in_reply_to"], condition=Q(kind="reply"), name="message_one_reply_per_message"
            ),
            models.UniqueConstraint(fields=["run_id"], condition=Q(kind="report"), name="message_one_report_per_run"),
            models.CheckConstraint(
                condition=Q(role="user", kind="message")
                | Q(role="assistant", kind__in=["reply", "question", "report"]),
                name="message_kind_fits_role",
            ),
        ]
        indexes = [
            # The rate limit counts a user's messages of the last minutes.
            models.Index(fields=["organization", "created_at"], condition=Q(role="user"), name="message_rate"),
            # Whether a message was sent before, to whichever conversation.
            models.Index(
                fields=["organization", "client_message_id"],
                condition=~Q(client_message_id=""),
                name="message_by_client_id",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Citation(models.Model):
    """One source of one reply, as it was cited then."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="citations")
    marker = models.PositiveSmallIntegerField(help_text="The number shown, by first appearance in the text.")
    key = models.CharField(max_length=8, help_text="The item's key in the turn's brief: r1, r2, …")
    kind = models.CharField(max_length=40)
    resource_id = models.CharField(max_length=64)
    label = models.CharField(max_length=300)
    position = models.CharField(max_length=300, blank=True, help_text="Page, sheet or heading path.")
    excerpt = models.TextField(help_text="The cited text, as the model saw it.")
    claim = models.TextField(blank=True, help_text="The sentence of the reply that carried the marker.")
    support = models.FloatField(null=True, help_text="0 to 1: how much of the claim the excerpt carries.")
    content_hash = models.CharField(max_length=64, blank=True)
    url = models.CharField(max_length=300, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="Its source was deleted: a tombstone.")

    class Meta:
        ordering = ["message", "marker"]
        constraints = [
            models.UniqueConstraint(fields=["message", "marker"], name="citation_marker_once"),
            models.UniqueConstraint(fields=["message", "key"], name="citation_key_once"),
        ]
        # Deleting a source turns its citations into tombstones.
        indexes = [models.Index(fields=["organization", "kind", "resource_id"], name="citation_of_resource")]

    def __str__(self) -> str:
        return f"[{self.marker}] {self.label}"

    @property
    def is_weak(self) -> bool:
        """Whether the source, by the estimate, says little of what it is cited for."""
        return self.support is not None and self.support < LOW_SUPPORT


class ConversationEntity(models.Model):
    """A pointer to a record the conversation is about. Losing it loses convenience, never data."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="entities")
    kind = models.CharField(max_length=40)
    resource_id = models.CharField(max_length=64)
    label = models.CharField(max_length=200, blank=True)
    introduced_by_message = models.ForeignKey(Message, on_delete=models.CASCADE, null=True, blank=True)
    last_referenced_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["conversation", "kind", "resource_id"], name="entity_once"),
        ]
        indexes = [
            # The reader's and the eviction's order.
            models.Index(fields=["conversation", "-last_referenced_at", "-id"], name="entity_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"


class Feedback(models.Model):
    class Rating(models.TextChoices):
        HELPFUL = "helpful", "Helpful"
        UNHELPFUL = "unhelpful", "Not helpful"

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="feedback")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    rating = models.CharField(max_length=10, choices=Rating.choices)
    comment = models.CharField(max_length=2000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["message", "user"], name="feedback_once")]

    def __str__(self) -> str:
        return self.rating
