"""What an organization has used of its day."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, Q, Sum
from django.utils import timezone
from django.utils.module_loading import import_string

from organizations.models import ModelCall, Organization, day_start


@dataclass(frozen=True, slots=True)
class DayTokens:
    """``reserved`` are the tokens of calls that are being made right now."""

    used: int
    reserved: int

    @property
    def total(self) -> int:
        return self.used + self.reserved


@dataclass(frozen=True, slots=True)
class DayUsage:
    """A day of the organization's own time zone, which ends at ``resets_at``."""

    tokens_used: int
    tokens_reserved: int
    token_limit: int
    runs_used: int
    run_limit: int
    resets_at: datetime.datetime

    @property
    def tokens_left(self) -> int:
        return max(self.token_limit - self.tokens_used - self.tokens_reserved, 0)

    @property
    def runs_left(self) -> int:
        return max(self.run_limit - self.runs_used, 0)


def usage_today(organization: Organization) -> DayUsage:
    """Runs inside ``tenant(organization)``."""
    tokens = tokens_of_day(organization, timezone.now())
    return DayUsage(
        tokens_used=tokens.used,
        tokens_reserved=tokens.reserved,
        token_limit=organization.daily_token_limit,
        runs_used=_runs_today(organization),
        run_limit=organization.daily_run_limit,
        resets_at=day_end(organization),
    )


def tokens_of_day(organization: Organization, now: datetime.datetime) -> DayTokens:
    """The tokens of calls begun today, in one statement."""
    state = ModelCall.State
    sums = ModelCall.objects.filter(organization=organization, created_at__gte=day_start(organization)).aggregate(
        used=Sum(F("input_tokens") + F("output_tokens"), filter=~Q(state=state.RESERVED), default=0),
        reserved=Sum("reserved_tokens", filter=Q(state=state.RESERVED, expires_at__gt=now), default=0),
    )
    return DayTokens(used=sums["used"], reserved=sums["reserved"])


def day_end(organization: Organization) -> datetime.datetime:
    """The next midnight in the organization's time zone."""
    # Arithmetic of one zone is that of the clock on the wall: right also where today has 23 or 25 hours.
    return day_start(organization) + datetime.timedelta(days=1)


def _runs_today(organization: Organization) -> int:
    runs_today: Callable[[Organization], int] = import_string(settings.DAY_RUN_COUNTER)
    return runs_today(organization)
