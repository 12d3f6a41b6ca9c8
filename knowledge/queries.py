"""Sources and passages for a member who asks."""

import uuid

from django.db.models import QuerySet

from agencycore.errors import NotFound
from agencycore.tenancy import Actor
from knowledge.models import KnowledgeChunk, KnowledgeSource

IN_PROGRESS = (KnowledgeSource.State.UPLOADED, KnowledgeSource.State.PROCESSING)


def list_sources(actor: Actor, search: str = "") -> QuerySet[KnowledgeSource]:
    """The organization's own sources, newest first."""
    sources = KnowledgeSource.objects.of(actor).select_related("uploaded_by")
    if search.strip():
        sources = sources.filter(title__icontains=search.strip()[:100])
    return sources.order_by("-created_at", "-id")


def list_platform_pages() -> QuerySet[KnowledgeSource]:
    return KnowledgeSource.objects.filter(organization__isnull=True).order_by("title")


def count_in_progress(actor: Actor) -> int:
    return KnowledgeSource.objects.of(actor).filter(state__in=IN_PROGRESS).count()


def get_source_for(actor: Actor, source_id: uuid.UUID) -> KnowledgeSource:
    """The organization's or a platform source; raises NotFound."""
    source = KnowledgeSource.objects.visible_to(actor).select_related("uploaded_by").filter(id=source_id).first()
    if source is None:
        raise NotFound("There is no such document.")
    return source


def list_passages(actor: Actor, source: KnowledgeSource) -> QuerySet[KnowledgeChunk]:
    """The passages of a ready source in reading order."""
    return KnowledgeChunk.objects.visible_to(actor).filter(source=source).order_by("ordinal")
