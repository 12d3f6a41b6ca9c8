"""Opportunities: reasons to sell something to a company, scored by dated evidence."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from crm.models.companies import Company
from crm.models.records import SCORE_MAX, Evidence, OwnedRecord


class Opportunity(OwnedRecord):
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="opportunities")
    name = models.CharField(max_length=200)
    score = models.PositiveSmallIntegerField(default=0, help_text="The sum of its evidence, kept between 0 and 100.")
    score_since = models.DateTimeField(default=timezone.now, help_text="When the score last changed.")

    class Meta(OwnedRecord.Meta):
        verbose_name_plural = "opportunities"
        constraints = [
            models.CheckConstraint(condition=Q(score__lte=SCORE_MAX), name="opportunity_score_range"),
            models.CheckConstraint(condition=~Q(name=""), name="opportunity_has_name"),
        ]
        indexes = [
            # The opportunity list, best first.
            models.Index(fields=["organization", "-score", "id"], name="opportunity_list"),
            models.Index(fields=["company", "-score"], name="opportunity_of_company"),
        ]

    def __str__(self) -> str:
        return self.name


class OpportunityEvidence(Evidence):
    opportunity = models.ForeignKey(Opportunity, on_delete=models.CASCADE, related_name="evidence")

    class Meta(Evidence.Meta):
        ordering = ["-weight", "id"]
        verbose_name_plural = "opportunity evidence"
        # The evidence of an opportunity's score, strongest first.
        indexes = [models.Index(fields=["opportunity", "-weight"], name="opportunity_evidence_of")]
