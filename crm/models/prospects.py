"""Prospects: candidates that were found and wait for a member's review before they enter the CRM."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from crm.models.companies import Company, IdealCustomerProfile, SizeBand
from crm.models.people import Person
from crm.models.records import SCORE_MAX, Evidence, OwnedRecord


class Prospect(OwnedRecord):
    class ReviewState(models.TextChoices):
        PENDING = "pending", "Review needed"
        IN_REVIEW = "in_review", "In review"
        APPROVED = "approved", "Approved"
        REJECTED = "rejected", "Rejected"
        PROMOTED = "promoted", "Promoted"

    # From each state, the states a review may move a prospect to. Promotion is a separate action.
    REVIEW_MOVES = {
        ReviewState.PENDING: (ReviewState.IN_REVIEW, ReviewState.APPROVED, ReviewState.REJECTED),
        ReviewState.IN_REVIEW: (ReviewState.PENDING, ReviewState.APPROVED, ReviewState.REJECTED),
        ReviewState.APPROVED: (ReviewState.PENDING, ReviewState.REJECTED),
        ReviewState.REJECTED: (ReviewState.PENDING,),
        ReviewState.PROMOTED: (),
    }

    company_name = models.CharField(max_length=200)
    domain = models.CharField(max_length=253, blank=True)
    industry = models.CharField(max_length=80, blank=True)
    country = models.CharField(max_length=80, blank=True)
    size_band = models.CharField(max_length=10, choices=SizeBand.choices, blank=True)
    contact_name = models.CharField(max_length=200, blank=True)
    contact_title = models.CharField(max_length=120, blank=True)
    contact_email = models.CharField(max_length=254, blank=True)
    icp = models.ForeignKey(
        IdealCustomerProfile, on_delete=models.SET_NULL, null=True, blank=True, related_name="prospects"
    )
    review_state = models.CharField(max_length=10, choices=ReviewState.choices, default=ReviewState.PENDING)
    review_since = models.DateTimeField(default=timezone.now)
    review_reason = models.CharField(max_length=300, blank=True, help_text="Why it is in this state.")
    reviewed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    score = models.PositiveSmallIntegerField(default=0)
    found_at = models.DateTimeField(default=timezone.now)
    found_by_run = models.UUIDField(null=True, blank=True)
    found_by_label = models.CharField(max_length=120, blank=True, help_text="What found it, in words.")
    company = models.ForeignKey(
        Company,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="prospects",
        help_text="The company it was promoted to.",
    )
    person = models.ForeignKey(
        Person,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="prospects",
        help_text="The person it was promoted to.",
    )

    class Meta(OwnedRecord.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(score__lte=SCORE_MAX), name="prospect_score_range"),
            models.CheckConstraint(condition=~Q(company_name=""), name="prospect_has_company_name"),
        ]
        indexes = [
            # The review queue: one state, longest waiting first.
            models.Index(fields=["organization", "review_state", "review_since"], name="prospect_queue"),
            models.Index(fields=["organization", "company_name", "id"], name="prospect_list"),
        ]

    def __str__(self) -> str:
        return f"{self.contact_name} at {self.company_name}" if self.contact_name else self.company_name


class ProspectEvidence(Evidence):
    prospect = models.ForeignKey(Prospect, on_delete=models.CASCADE, related_name="evidence")

    class Meta(Evidence.Meta):
        ordering = ["-weight", "id"]
        # The evidence of a prospect's score, strongest first.
        indexes = [models.Index(fields=["prospect", "-weight"], name="prospect_evidence_of")]
