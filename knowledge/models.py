"""What an organization has given to read, and what the platform brings: sources, chunks and their index."""

import datetime
import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from pgvector.django import HalfVectorField, SparseVectorField

from agencycore.ai.ports import EMBEDDING_DIMENSIONS
from agencycore.identifiers import new_id
from agencycore.tenancy import Actor
from knowledge.terms import TERM_DIMENSIONS
from organizations.models import Organization

# Of a source's page.
PASSAGES_PER_PAGE = 100
# Failures that are not the file's own: the same file may do better another time.
PASSING_FAILURES = frozenset({"embedder", "internal", "stopped", "too_slow"})


class KnowledgeSourceQuerySet(models.QuerySet["KnowledgeSource"]):
    def visible_to(self, actor: Actor) -> "KnowledgeSourceQuerySet":
        """The organization's sources and the platform's."""
        return self.filter(Q(organization_id=actor.organization_id) | Q(organization__isnull=True))

    def of(self, actor: Actor) -> "KnowledgeSourceQuerySet":
        return self.filter(organization_id=actor.organization_id)


def upload_path(source: "KnowledgeSource", filename: str) -> str:
    """One folder per organization and source; the name a person gave is kept in the database only."""
    return f"knowledge/{source.organization_id}/{source.id}/original"


class KnowledgeSource(models.Model):
    """One document, in the states of its ingestion. Only a ready one has chunks."""

    class State(models.TextChoices):
        UPLOADED = "uploaded", "Waiting"
        PROCESSING = "processing", "Processing"
        READY = "ready", "Ready"
        FAILED = "failed", "Failed"
        DELETING = "deleting", "Deleting"

    class Stage(models.TextChoices):
        EXTRACTING = "extracting", "Reading the file"
        CHUNKING = "chunking", "Dividing into passages"
        EMBEDDING = "embedding", "Preparing for search"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, null=True, blank=True, help_text="Empty: the platform's, for everyone."
    )
    corpus = models.SlugField(max_length=60, default="general", help_text="Groups sources for retrieval scopes.")
    title = models.CharField(max_length=300)
    filename = models.CharField(max_length=255, blank=True)
    kind = models.CharField(max_length=20, blank=True, help_text="By content, not by name: html, markdown, text, …")
    path = models.CharField(max_length=300, blank=True, help_text="A platform document's path in the repository.")
    url = models.CharField(max_length=300, blank=True, help_text="Where the document lives outside, if it does.")
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the original bytes.")
    language = models.CharField(max_length=20, blank=True, help_text="Decides stemming; simple: unknown.")
    size = models.PositiveBigIntegerField(help_text="Bytes.")
    file = models.FileField(upload_to=upload_path, max_length=300, blank=True)
    state = models.CharField(max_length=12, choices=State.choices, default=State.UPLOADED)
    stage = models.CharField(max_length=12, choices=Stage.choices, blank=True)
    done_steps = models.PositiveIntegerField(default=0, help_text="Of total_steps, in the present stage.")
    total_steps = models.PositiveIntegerField(default=0)
    failure_code = models.CharField(max_length=40, blank=True)
    failure_reason = models.CharField(max_length=300, blank=True, help_text="In a member's words.")
    generation = models.PositiveIntegerField(default=0, help_text="Which ingestion the chunks come from; 0: none.")
    indexed_as = models.CharField(max_length=80, blank=True, help_text="Index version and embedder of its rows.")
    chunk_count = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    state_changed_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)

    objects = KnowledgeSourceQuerySet.as_manager()

    class Meta:
        constraints = [
            # The same file twice is one source; one that is being deleted does not stand in the way.
            models.UniqueConstraint(
                fields=["organization", "content_hash"],
                condition=Q(organization__isnull=False) & ~Q(state="deleting"),
                name="source_once_per_file",
            ),
            models.UniqueConstraint(
                fields=["path"], condition=Q(organization__isnull=True), name="source_once_per_platform_path"
            ),
            models.CheckConstraint(condition=Q(state="failed") ^ Q(failure_code=""), name="source_failed_has_code"),
        ]
        # The knowledge page: an organization's sources, newest first.
        indexes = [models.Index(fields=["organization", "-created_at"], name="source_list")]

    def __str__(self) -> str:
        return self.title

    @property
    def is_platform(self) -> bool:
        return self.organization_id is None

    @property
    def is_in_progress(self) -> bool:
        return self.state in {self.State.UPLOADED, self.State.PROCESSING}

    @property
    def age(self) -> datetime.timedelta:
        """How long it has been in its state."""
        return timezone.now() - self.state_changed_at

    @property
    def percent(self) -> int:
        return min(100, 100 * self.done_steps // self.total_steps) if self.total_steps else 0

    @property
    def may_do_better(self) -> bool:
        """Whether it failed for a reason that may have passed, so that the same file is worth another try."""
        return self.state == self.State.FAILED and self.failure_code in PASSING_FAILURES

    def may_be_changed_by(self, actor: Actor) -> bool:
        """The uploader and admins retry and delete; platform documents are nobody's."""
        return not self.is_platform and (actor.is_admin or self.uploaded_by_id == actor.user_id)


class KnowledgeChunkQuerySet(models.QuerySet["KnowledgeChunk"]):
    def visible_to(self, actor: Actor) -> "KnowledgeChunkQuerySet":
        own = Q(organization_id=actor.organization_id) | Q(organization__isnull=True)
        return self.filter(own, source__state=KnowledgeSource.State.READY)


class KnowledgeChunk(models.Model):
    """A passage of a ready source, as it is shown and cited."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    source = models.ForeignKey(KnowledgeSource, on_delete=models.CASCADE, related_name="chunks")
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, null=True, blank=True)
    generation = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField(help_text="1, 2, 3 … in the source.")
    position = models.CharField(max_length=300, blank=True, help_text="Heading path, page or sheet.")
    text = models.TextField()
    tokens = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64, help_text="SHA-256 of the text.")
    language = models.CharField(max_length=20)

    objects = KnowledgeChunkQuerySet.as_manager()

    class Meta:
        ordering = ["source", "ordinal"]
        constraints = [
            # Also serves the source's page: its chunks in order.
            models.UniqueConstraint(fields=["source", "ordinal"], name="chunk_ordinal_once"),
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def url(self) -> str:
        return chunk_url(self.source_id, self.ordinal)


def chunk_url(source_id: uuid.UUID, ordinal: int) -> str:
    """Where a reader sees the passage in its document."""
    page = (ordinal - 1) // PASSAGES_PER_PAGE + 1
    query = f"?page={page}" if page > 1 else ""
    return f"/knowledge/{source_id}/{query}#chunk-{ordinal}"


class ChunkIndex(models.Model):
    """What search scans: narrow rows, one per chunk and embedder. A row exists only while its source is ready.

    ``lexical`` holds term id → term weight of BM25 (``knowledge.terms``), so that the inner product with
    the question's IDF vector is the BM25 score.
    """

    pk = models.CompositePrimaryKey("chunk_id", "embedder")
    chunk = models.ForeignKey(KnowledgeChunk, on_delete=models.CASCADE, db_index=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, null=True)
    embedder = models.CharField(max_length=60)
    embedding = HalfVectorField(dimensions=EMBEDDING_DIMENSIONS)
    lexical = SparseVectorField(dimensions=TERM_DIMENSIONS)

    class Meta:
        db_table = "chunk_index"

    def __str__(self) -> str:
        return f"{self.chunk_id} {self.embedder}"


class TermStats(models.Model):
    """In how many chunks of an organization a term stands. A language's empty term counts all its chunks."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, null=True, db_index=False)
    term = models.IntegerField()
    df = models.IntegerField()

    class Meta:
        db_table = "term_stats"
        constraints = [
            # Search looks up the question's terms in its two scopes.
            models.UniqueConstraint(fields=["organization", "term"], nulls_distinct=False, name="term_stats_once"),
        ]

    def __str__(self) -> str:
        return f"{self.term}: {self.df}"


class DeletionReceipt(models.Model):
    """Proof that a source is gone: what was removed, and that a count afterwards found nothing."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    source_id = models.UUIDField()
    title = models.CharField(max_length=300)
    content_hash = models.CharField(max_length=64)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    chunks_removed = models.PositiveIntegerField()
    index_rows_removed = models.PositiveIntegerField()
    rows_remaining = models.PositiveIntegerField(help_text="Counted after the removal; 0 is the proof.")
    redactions = models.JSONField(default=dict, help_text="What other rooms removed, counted.")
    file_removed = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        # The audit desk: an organization's receipts, newest first.
        indexes = [models.Index(fields=["organization", "-created_at"], name="receipt_list")]

    def __str__(self) -> str:
        return f"{self.title} ({self.created_at:%Y-%m-%d})"
