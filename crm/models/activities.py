"""Activities: what was done with a company, a person or a deal, and when."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from crm.models.companies import Company
from crm.models.deals import Deal
from crm.models.people import Person
from crm.models.records import Record


class Activity(Record):
    class Kind(models.TextChoices):
        CALL = "call", "Call"
        EMAIL = "email", "E-mail"
        MEETING = "meeting", "Meeting"
        MESSAGE = "message", "Message"
        NOTE = "note", "Note"
        TASK = "task", "Task"

    # Kinds in which we were in touch with the other side; they count as "last contact".
    CONTACT_KINDS = (Kind.CALL, Kind.EMAIL, Kind.MEETING, Kind.MESSAGE)

    kind = models.CharField(max_length=10, choices=Kind.choices)
    happened_at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The member who did it.",
    )
    company = models.ForeignKey(Company, on_delete=models.CASCADE, null=True, blank=True, related_name="activities")
    person = models.ForeignKey(Person, on_delete=models.CASCADE, null=True, blank=True, related_name="activities")
    deal = models.ForeignKey(Deal, on_delete=models.SET_NULL, null=True, blank=True, related_name="activities")
    subject = models.CharField(max_length=200)
    body = models.TextField(blank=True)

    class Meta(Record.Meta):
        verbose_name_plural = "activities"
        constraints = [
            models.CheckConstraint(
                condition=Q(company__isnull=False) | Q(person__isnull=False), name="activity_is_about_something"
            ),
            models.CheckConstraint(condition=~Q(subject=""), name="activity_has_subject"),
        ]
        indexes = [
            # The newest activities of all, of a company, a person and a deal.
            models.Index(fields=["organization", "-happened_at", "-id"], name="activity_list"),
            models.Index(fields=["company", "-happened_at", "-id"], name="activity_of_company"),
            models.Index(fields=["person", "-happened_at", "-id"], name="activity_of_person"),
            models.Index(fields=["deal", "-happened_at", "-id"], name="activity_of_deal"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}"

    def get_absolute_url(self) -> str:
        return reverse("activity_detail", args=[self.pk])
