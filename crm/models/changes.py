"""The history of the records: which field changed, from what to what, when, by whom and why."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from crm.models.records import Record

FIELD_LABELS = {"icp_match": "ICP match", "email": "E-mail", "size_band": "Size"}


class FieldChange(Record):
    class ObjectKind(models.TextChoices):
        COMPANY = "company", "Company"
        PERSON = "person", "Person"
        PROSPECT = "prospect", "Prospect"
        DEAL = "deal", "Deal"
        OPPORTUNITY = "opportunity", "Opportunity"

    object_kind = models.CharField(max_length=12, choices=ObjectKind.choices)
    object_id = models.UUIDField()
    field = models.CharField(max_length=40)
    old = models.CharField(max_length=300, blank=True, help_text="As a person read it then; empty: nothing.")
    new = models.CharField(max_length=300, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    cause = models.CharField(max_length=300, blank=True)

    class Meta(Record.Meta):
        # A record's newest changes, for its page and its projection.
        indexes = [models.Index(fields=["object_id", "-changed_at", "-id"], name="change_of_object")]

    def __str__(self) -> str:
        return f"{self.field_label}: {self.old or '–'} → {self.new or '–'}"

    @property
    def field_label(self) -> str:
        return FIELD_LABELS.get(self.field, self.field.replace("_", " ").capitalize())
