"""What is due: the queue of record. Celery only rings the doorbell."""

from django.db import models


class Dispatch(models.Model):
    """One piece of work that is due, claimed, or lost.

    It holds no content and carries no row-level security, so that the sweeper can see every
    organization's work at once. The row is deleted in the transaction that ends the work.
    """

    kind = models.CharField(max_length=32, help_text="Which work: turn, ingestion, run.")
    object_id = models.UUIDField(help_text="The turn, knowledge source or run.")
    organization_id = models.UUIDField()
    sequence_key = models.UUIDField(
        null=True, help_text="Work of one key is done in order of this table's id, one at a time."
    )
    due_at = models.DateTimeField()
    queued_at = models.DateTimeField(auto_now_add=True)
    deadline_at = models.DateTimeField(null=True, help_text="Past this moment the work is given up, leased or not.")
    lease_until = models.DateTimeField(null=True)
    fence = models.UUIDField(null=True, help_text="Made anew by each claim; a write with an old one is refused.")
    owner = models.CharField(max_length=80, blank=True, help_text="The process that holds the lease.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often it was claimed.")
    faults = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many attempts ended in an error; the others lost their worker."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "object_id"], name="dispatch_once_per_object")]
        indexes = [
            # The sweeper: what is due and not under a lease.
            models.Index(fields=["due_at", "lease_until"], name="dispatch_due"),
            # A claim asks whether something stands before it in its sequence.
            models.Index(fields=["sequence_key", "id"], name="dispatch_sequence"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id}"
