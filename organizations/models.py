"""Organizations, the people in them, and what their model calls cost."""

import datetime
import zoneinfo

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone

from agencycore.identifiers import new_id
from agencycore.tenancy import Actor


class User(AbstractUser):
    """A person; what they may do is decided by their memberships."""

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.get_username()

    @property
    def initials(self) -> str:
        """Of the first and the last part of the name; the beginning of a name of one part."""
        parts = self.shown_name.split()
        return (parts[0][:1] + parts[-1][:1] if len(parts) > 1 else self.shown_name[:2]).upper()


class Organization(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    time_zone = models.CharField(
        max_length=64, default="UTC", help_text="IANA name; governs dates, day limits and schedules."
    )
    daily_token_limit = models.PositiveIntegerField(
        default=2_000_000, help_text="Model tokens a day in the organization's time zone."
    )
    daily_run_limit = models.PositiveIntegerField(default=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of(self, user: User) -> "MembershipQuerySet":
        return (
            self.filter(user=user, user__is_active=True).select_related("organization").order_by("organization__name")
        )


class Membership(models.Model):
    class Role(models.TextChoices):
        MEMBER = "member", "Member"
        ADMIN = "admin", "Admin"

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.organization} ({self.role})"

    @property
    def actor(self) -> Actor:
        return Actor(
            user_id=self.user_id,
            organization_id=self.organization_id,
            role="admin" if self.role == self.Role.ADMIN else "member",
        )


class Preference(models.Model):
    """Memory: how a user, or everyone of an organization, likes answers. Never a fact about the business."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        help_text="Empty: the whole organization.",
    )
    text = models.CharField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        # The memory source reads a user's and the organization's entries, newest first.
        indexes = [models.Index(fields=["organization", "user", "-updated_at"], name="preference_of_user")]

    def __str__(self) -> str:
        return self.text[:60]


class ModelCall(models.Model):
    """One vendor call: reserved before it is made, settled after it. The ledger of what was paid."""

    class State(models.TextChoices):
        RESERVED = "reserved", "Reserved"
        SETTLED = "settled", "Settled"
        FAILED = "failed", "Failed"

    class Purpose(models.TextChoices):
        DECISION = "decision", "Decision"
        SUMMARY = "summary", "Summary"
        STEP = "step", "Step"
        REPORT = "report", "Report"

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    owner_id = models.UUIDField(help_text="The turn, run step or run that pays.")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=120, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RESERVED)
    reserved_tokens = models.PositiveIntegerField()
    input_tokens = models.PositiveIntegerField(default=0)
    cached_input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    is_repair = models.BooleanField(default=False)
    error_code = models.CharField(max_length=40, blank=True)
    request_id = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(help_text="A reservation that was never settled stops counting here.")
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            # The calls of one turn or run, for its usage row and the audit page.
            models.Index(fields=["owner_id", "purpose"], name="model_call_owner"),
            # The day's sum of an organization, for its limit.
            models.Index(fields=["organization", "created_at"], name="model_call_day"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} {self.state}"


class UsageRecord(models.Model):
    """What one turn, run step or report cost in all: the sum of its ledger rows."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    owner_id = models.UUIDField()
    purpose = models.CharField(max_length=10, choices=ModelCall.Purpose.choices)
    provider = models.CharField(max_length=40)
    model = models.CharField(max_length=120, blank=True)
    calls = models.PositiveSmallIntegerField()
    input_tokens = models.PositiveIntegerField()
    cached_input_tokens = models.PositiveIntegerField()
    output_tokens = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner_id", "purpose"], name="usage_once_per_purpose")]
        # Usage of an organization over time, for the limits page and the admin.
        indexes = [models.Index(fields=["organization", "-created_at"], name="usage_by_day")]

    def __str__(self) -> str:
        return f"{self.purpose} {self.input_tokens}+{self.output_tokens}"


class AuditView(models.Model):
    """One look of a staff member at something that is private to a member."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    staff = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=40, help_text="What was opened or exported: a message, turn, run …")
    object_id = models.CharField(max_length=40)
    viewed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        # Who looked at one message, newest first.
        indexes = [models.Index(fields=["object_id", "-viewed_at"], name="audit_view_of_object")]

    def __str__(self) -> str:
        return f"{self.staff} opened a {self.kind}"


def day_start(organization: Organization) -> datetime.datetime:
    """The moment today began in the organization's time zone."""
    zone = zoneinfo.ZoneInfo(organization.time_zone)
    return timezone.now().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
