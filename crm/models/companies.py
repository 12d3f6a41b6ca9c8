"""Companies, the profiles they are measured against, and what was noticed about them."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from crm.models.records import OwnedRecord, Record


class SizeBand(models.TextChoices):
    MICRO = "1-10", "1–10 employees"
    SMALL = "11-50", "11–50 employees"
    MEDIUM = "51-200", "51–200 employees"
    LARGE = "201-500", "201–500 employees"
    VERY_LARGE = "501-1000", "501–1,000 employees"
    ENTERPRISE = "1001-5000", "1,001–5,000 employees"
    GIANT = "5001+", "more than 5,000 employees"


class IdealCustomerProfile(Record):
    """An ICP: the kind of company the organization wants as a customer."""

    name = models.CharField(max_length=120)
    criteria = models.TextField(help_text="What a company must be like to match, in words.")

    class Meta(Record.Meta):
        verbose_name = "ICP"
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["organization", "name"], name="icp_name_once")]

    def __str__(self) -> str:
        return self.name


class Company(OwnedRecord):
    class LifecycleStage(models.TextChoices):
        LEAD = "lead", "Lead"
        PROSPECT = "prospect", "Prospect"
        OPPORTUNITY = "opportunity", "Opportunity"
        CUSTOMER = "customer", "Customer"
        FORMER_CUSTOMER = "former_customer", "Former customer"
        DISQUALIFIED = "disqualified", "Disqualified"

    name = models.CharField(max_length=200)
    domain = models.CharField(max_length=253, blank=True, help_text="Web domain in lower case, without www.")
    industry = models.CharField(max_length=80, blank=True)
    country = models.CharField(max_length=80, blank=True)
    size_band = models.CharField(max_length=10, choices=SizeBand.choices, blank=True)
    lifecycle_stage = models.CharField(max_length=20, choices=LifecycleStage.choices, default=LifecycleStage.LEAD)
    stage_since = models.DateTimeField(default=timezone.now)
    stage_cause = models.CharField(max_length=300, blank=True, help_text="Why the company is in this stage.")
    icp = models.ForeignKey(
        IdealCustomerProfile, on_delete=models.SET_NULL, null=True, blank=True, related_name="companies"
    )
    icp_match = models.BooleanField(null=True, help_text="Empty: not compared with an ICP yet.")
    icp_since = models.DateTimeField(null=True, blank=True)
    icp_reason = models.CharField(max_length=300, blank=True)

    class Meta(OwnedRecord.Meta):
        verbose_name_plural = "companies"
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "domain"], condition=~Q(domain=""), name="company_domain_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="company_has_name"),
            models.CheckConstraint(
                condition=Q(icp_match=None) | Q(icp_since__isnull=False), name="company_icp_match_has_since"
            ),
        ]
        indexes = [
            # The company list, by name; the filters narrow it further.
            models.Index(fields=["organization", "name", "id"], name="company_list"),
            models.Index(fields=["organization", "lifecycle_stage", "name"], name="company_by_stage"),
            models.Index(fields=["organization", "owner", "name"], name="company_by_owner"),
        ]

    def __str__(self) -> str:
        return self.name


class Signal(Record):
    """Something that was noticed about a company and may matter for selling to it."""

    class Kind(models.TextChoices):
        HIRING = "hiring", "Hiring"
        FUNDING = "funding", "Funding"
        LEADERSHIP = "leadership", "Leadership change"
        LAUNCH = "launch", "Product launch"
        EXPANSION = "expansion", "Expansion"
        TECHNOLOGY = "technology", "Technology change"
        REGULATION = "regulation", "Regulation"
        RISK = "risk", "Risk"

    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="signals")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    text = models.CharField(max_length=300)
    detected_at = models.DateTimeField(default=timezone.now)
    source_url = models.URLField(max_length=300, blank=True)

    class Meta(Record.Meta):
        # A company's newest signals, for its page and its projection.
        indexes = [models.Index(fields=["company", "-detected_at", "-id"], name="signal_of_company")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.text}"
