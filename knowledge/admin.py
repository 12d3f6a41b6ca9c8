"""Documents, their passages and the receipts of deleted ones, for staff to read."""

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from knowledge.models import DeletionReceipt, KnowledgeChunk, KnowledgeSource
from organizations.auditing import EvidenceAdmin


@admin.register(KnowledgeSource)
class KnowledgeSourceAdmin(EvidenceAdmin):
    list_display = (
        "title",
        "organization",
        "kind",
        "state",
        "failure_code",
        "chunk_count",
        "uploaded_by",
        "created_at",
    )
    list_filter = ("state", "kind", "failure_code", "created_at")
    list_select_related = ("organization", "uploaded_by")
    search_fields = ("title", "filename", "content_hash")
    date_hierarchy = "created_at"


@admin.register(KnowledgeChunk)
class KnowledgeChunkAdmin(EvidenceAdmin):
    list_display = ("source", "ordinal", "position", "tokens", "language", "generation")
    list_filter = ("language",)
    list_select_related = ("source",)
    search_fields = ("source__title", "position")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        chunks = super().get_queryset(request)
        return chunks if request.resolver_match and request.resolver_match.kwargs else chunks.defer("text")


@admin.register(DeletionReceipt)
class DeletionReceiptAdmin(EvidenceAdmin):
    list_display = ("title", "deleted_by", "chunks_removed", "rows_remaining", "file_removed", "created_at")
    list_filter = ("created_at", "file_removed")
    list_select_related = ("deleted_by",)
    search_fields = ("title", "content_hash")
