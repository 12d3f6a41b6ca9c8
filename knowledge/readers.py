"""Passages as records: what a citation of one opens."""

from django.db.models import QuerySet

from agencycore.readers import ModelReader
from agencycore.refs import ProjectedField, Projection, ResourceRef
from agencycore.tenancy import Actor
from knowledge.models import KnowledgeChunk


class KnowledgeChunkReader(ModelReader[KnowledgeChunk]):
    """Passages of the organization's ready sources and of the platform's. They are cited, never pointed at."""

    kind = "knowledge_chunk"
    in_scope = False

    def visible_to(self, actor: Actor) -> QuerySet[KnowledgeChunk]:
        return KnowledgeChunk.objects.visible_to(actor).select_related("source")

    def project(self, record: KnowledgeChunk) -> Projection:
        return Projection(
            ref=ResourceRef(self.kind, str(record.id), record.source.title),
            title=record.source.title,
            fields=(ProjectedField("position", record.position), ProjectedField("text", record.text)),
            url=record.url,
            updated_at=record.source.updated_at,
        )
