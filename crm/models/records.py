"""What every record of the CRM has: a key that may be seen outside, an organization, and its readers."""

from typing import Self, TypeVar

from django.conf import settings
from django.db import models
from django.urls import reverse

from agencycore.identifiers import new_id
from agencycore.tenancy import Actor
from organizations.models import Organization

SCORE_MAX = 100

ModelT = TypeVar("ModelT", bound=models.Model)


class RecordQuerySet(models.QuerySet[ModelT]):
    def visible_to(self, actor: Actor) -> Self:
        """The CRM belongs to all members of the organization."""
        return self.filter(organization_id=actor.organization_id)


class Record(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = RecordQuerySet.as_manager()

    class Meta:
        abstract = True


class OwnedRecord(Record):
    """A record that one member looks after."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The member who looks after this record.",
    )

    class Meta(Record.Meta):
        abstract = True

    def get_absolute_url(self) -> str:
        return reverse(f"{self._meta.model_name}_detail", args=[self.pk])


class Evidence(models.Model):
    """One reason behind a score. The score is the sum of the weights, kept between 0 and 100."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    text = models.CharField(max_length=300)
    weight = models.SmallIntegerField(help_text="Points this adds to the score; negative takes away.")
    observed_on = models.DateField()
    source = models.CharField(max_length=120, help_text="Where it was seen, in words.")
    source_url = models.URLField(max_length=300, blank=True)

    objects = RecordQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.text} ({self.weight:+d})"
