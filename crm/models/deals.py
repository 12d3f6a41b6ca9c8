"""Deals: sales that are being worked on, won or lost."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from crm.models.companies import Company
from crm.models.people import Person
from crm.models.records import OwnedRecord


class Deal(OwnedRecord):
    class Stage(models.TextChoices):
        QUALIFICATION = "qualification", "Qualification"
        DISCOVERY = "discovery", "Discovery"
        PROPOSAL = "proposal", "Proposal"
        NEGOTIATION = "negotiation", "Negotiation"
        WON = "won", "Won"
        LOST = "lost", "Lost"

    CLOSED_STAGES = (Stage.WON, Stage.LOST)

    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="deals")
    person = models.ForeignKey(
        Person, on_delete=models.SET_NULL, null=True, blank=True, related_name="deals", help_text="The main contact."
    )
    name = models.CharField(max_length=200)
    stage = models.CharField(max_length=16, choices=Stage.choices, default=Stage.QUALIFICATION)
    stage_since = models.DateTimeField(default=timezone.now)
    stage_cause = models.CharField(max_length=300, blank=True, help_text="Why the deal is in this stage.")
    amount = models.DecimalField(max_digits=14, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, default="EUR", help_text="ISO code, for example EUR.")
    close_date = models.DateField(null=True, blank=True, help_text="Expected while open; the real date once closed.")

    class Meta(OwnedRecord.Meta):
        constraints = [
            models.UniqueConstraint(fields=["organization", "company", "name"], name="deal_name_once"),
            models.CheckConstraint(condition=Q(amount=None) | Q(amount__gte=0), name="deal_amount_not_negative"),
            models.CheckConstraint(condition=~Q(name=""), name="deal_has_name"),
        ]
        indexes = [
            # The deal list, by name, and by stage with the next to close first.
            models.Index(fields=["organization", "name", "id"], name="deal_list"),
            models.Index(fields=["organization", "stage", "close_date"], name="deal_by_stage"),
            # The open deals of a company.
            models.Index(fields=["company", "close_date"], condition=~Q(stage__in=["won", "lost"]), name="deal_open"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.stage not in self.CLOSED_STAGES
