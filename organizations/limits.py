"""What an organization has used of its day."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.module_loading import import_string

from organizations.models import Organization, day_start


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


# Plain, for it goes before every model call.
TOKENS_OF_DAY_SQL = """
SELECT coalesce(sum(input_tokens + output_tokens) FILTER (WHERE state <> 'reserved'), 0),
    coalesce(sum(reserved_tokens) FILTER (WHERE state = 'reserved' AND expires_at > %(now)s), 0)
FROM organizations_modelcall WHERE organization_id = %(organization)s AND created_at >= %(day_start)s
"""


def tokens_of_day(organization: Organization, now: datetime.datetime) -> DayTokens:
    """The tokens of calls begun today, in one statement."""
    values: dict[str, Any] = {
        "organization": organization.id,
        "day_start": day_start(organization),
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(TOKENS_OF_DAY_SQL, values)
        used, reserved = cursor.fetchone()
    return DayTokens(used=used, reserved=reserved)


def day_end(organization: Organization) -> datetime.datetime:
    """The next midnight in the organization's time zone."""
    # Arithmetic of one zone is that of the clock on the wall: right also where today has 23 or 25 hours.
    return day_start(organization) + datetime.timedelta(days=1)


def _runs_today(organization: Organization) -> int:
    runs_today: Callable[[Organization], int] = import_string(settings.DAY_RUN_COUNTER)
    return runs_today(organization)
