"""The audit desk: what was said, on which sources, and what the model saw."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Count, Min, Model, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from chat.audit import MESSAGE, TURN, describe_message, describe_turn
from chat.models import KnowledgeGap, Turn
from conversations.models import LOW_SUPPORT, Citation, Conversation, Feedback, Message
from organizations.auditing import PrivateAdmin

EXCERPT_LENGTH = 120


def excerpt_of(message: Message) -> str:
    """What a list shows of a message."""
    return message.text[:EXCERPT_LENGTH]


class AuditPage(PrivateAdmin):
    """A page that shows one thing as a person reads it: ``describe`` makes what its template shows."""

    describe: ClassVar["staticmethod[[Any], object]"]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shown = self.get_object(request, object_id)
        audited = self.describe(shown) if shown is not None else None
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "audited": audited})


class UnresolvedFilter(admin.SimpleListFilter):
    title = "open points"
    parameter_name = "unresolved"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Names what is missing"), ("no", "Leaves nothing open")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Message]) -> QuerySet[Message]:
        if self.value() == "yes":
            return queryset.exclude(unresolved=[])
        return queryset.filter(unresolved=[]) if self.value() == "no" else queryset


class SupportFilter(admin.SimpleListFilter):
    title = "support of citations"
    parameter_name = "support"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("low", "A sentence with low support")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Message]) -> QuerySet[Message]:
        return queryset.filter(citations__support__lt=LOW_SUPPORT).distinct() if self.value() else queryset


@admin.register(Message)
class MessageAdmin(AuditPage):
    viewed_kind = MESSAGE
    describe = staticmethod(describe_message)
    change_form_template = "admin/chat/message.html"
    date_hierarchy = "created_at"
    list_display = ("created_at", "member", "role", "kind", "excerpt", "citation_count", "lowest_support", "outcome")
    list_display_links = ("created_at", "excerpt")
    list_filter = ("created_at", "role", "kind", UnresolvedFilter, SupportFilter, "feedback__rating")
    search_fields = ("text", "citations__label", "conversation__title", "conversation__starter__username")
    search_help_text = "Words of the message, of a cited source’s name, or the member’s user name"
    csv_fields = ("id", "conversation_id", *list_display[:4], "text", *list_display[5:], "unresolved")
    ordering = ("-created_at",)
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        outcome = Turn.objects.filter(reply=OuterRef("id")).values("outcome")
        messages: QuerySet[Model] = super().get_queryset(request)
        annotated: QuerySet[Model] = messages.select_related("conversation__starter").annotate(
            citation_total=Count("citations", distinct=True),
            support=Min("citations__support"),
            turn_outcome=Subquery(outcome[:1]),
        )
        return annotated

    @admin.display(ordering="conversation__starter__username")
    def member(self, message: Message) -> str:
        return message.conversation.starter.get_username()

    @admin.display(description="message")
    def excerpt(self, message: Message) -> str:
        return excerpt_of(message)

    @admin.display(description="sources")
    def citation_count(self, message: Any) -> int:
        return int(message.citation_total)

    @admin.display(description="lowest support")
    def lowest_support(self, message: Any) -> str:
        if message.support is None:
            return "–"
        return f"{message.support:.0%}" + (" (low)" if message.support < LOW_SUPPORT else "")

    @admin.display
    def outcome(self, message: Any) -> str:
        return message.turn_outcome or "–"


@admin.register(Turn)
class TurnAdmin(AuditPage):
    viewed_kind = TURN
    describe = staticmethod(describe_turn)
    change_form_template = "admin/chat/turn.html"
    date_hierarchy = "created_at"
    list_display = (
        "created_at",
        "member",
        "question",
        "state",
        "outcome",
        "fallback",
        "provider",
        "attempt",
        "seconds",
    )
    list_filter = ("created_at", "state", "outcome", "fallback", "provider", "prompt_version")
    search_fields = ("id", "message__text", "conversation__starter__username")
    csv_fields = ("id", "conversation_id", *list_display, "model", "token_breakdown", "timings", "error_code")
    ordering = ("-created_at",)
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        turns = super().get_queryset(request).select_related("message", "conversation__starter")
        opened = request.resolver_match and request.resolver_match.kwargs
        return turns.select_related("reply") if opened else turns.defer("brief", "prompt", "decision")

    @admin.display(ordering="conversation__starter__username")
    def member(self, turn: Turn) -> str:
        return turn.conversation.starter.get_username()

    @admin.display
    def question(self, turn: Turn) -> str:
        return turn.message.text[:100]

    @admin.display
    def seconds(self, turn: Turn) -> str:
        total = turn.timings.get("total")
        return f"{total / 1000:.1f}" if total is not None else "–"


@admin.register(KnowledgeGap)
class KnowledgeGapAdmin(PrivateAdmin):
    """What members asked for and no source covers: what to write or upload next. A row opens its message."""

    viewed_kind = MESSAGE
    date_hierarchy = "created_at"
    list_display = ("created_at", "missing", "question", "member")
    list_filter = ("created_at",)
    search_fields = ("unresolved", "in_reply_to__text")
    csv_fields = list_display
    ordering = ("-created_at",)
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        messages = super().get_queryset(request).filter(~Q(unresolved=[]))
        return messages.select_related("in_reply_to", "conversation__starter")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect("admin:conversations_message_change", object_id)

    @admin.display
    def missing(self, gap: Message) -> str:
        return "; ".join(gap.unresolved)

    @admin.display
    def question(self, gap: Message) -> str:
        return gap.in_reply_to.text[:160] if gap.in_reply_to else ""

    @admin.display
    def member(self, gap: Message) -> str:
        return gap.conversation.starter.get_username()


@admin.register(Conversation)
class ConversationAdmin(PrivateAdmin):
    viewed_kind = "conversation"
    fields = ("title", "starter", "message_count", "summary", "summary_message_count", "created_at", "updated_at")
    list_display = ("updated_at", "title", "starter", "message_count", "summary_message_count")
    list_filter = ("updated_at", "kind")
    list_select_related = ("starter",)
    search_fields = ("title", "starter__username")
    ordering = ("-updated_at",)
    show_full_result_count = False


@admin.register(Citation)
class CitationAdmin(PrivateAdmin):
    viewed_kind = "citation"
    fields = ("message", "marker", "key", "label", "position", "claim", "excerpt", "support", "deleted_at")
    list_display = ("reply", "marker", "kind", "label", "position", "support", "deleted_at")
    csv_fields = ("message_id", *list_display)
    list_filter = ("kind", "deleted_at")
    search_fields = ("label", "excerpt", "claim")
    ordering = ("-id",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        citations = super().get_queryset(request).select_related("message")
        opened = request.resolver_match and request.resolver_match.kwargs
        return citations if opened else citations.defer("excerpt", "claim")

    @admin.display
    def reply(self, citation: Citation) -> str:
        return excerpt_of(citation.message)


@admin.register(Feedback)
class FeedbackAdmin(PrivateAdmin):
    viewed_kind = "feedback"
    fields = ("message", "user", "rating", "comment", "created_at", "updated_at")
    list_display = ("updated_at", "rating", "user", "comment", "reply", "conversation")
    csv_fields = ("message_id", *list_display)
    list_filter = ("rating", "updated_at")
    list_select_related = ("user", "message__conversation")
    search_fields = ("comment", "user__username", "message__text", "message__conversation__title")
    ordering = ("-updated_at",)

    @admin.display
    def reply(self, feedback: Feedback) -> str:
        return excerpt_of(feedback.message)

    @admin.display(ordering="message__conversation__title")
    def conversation(self, feedback: Feedback) -> str:
        return feedback.message.conversation.title
