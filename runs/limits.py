"""How many runs an organization may start in a day."""

import uuid

from agencycore.errors import Refused
from organizations.models import Organization, day_start
from runs.models import Run


class RunLimitReached(Refused):
    code = "run_limit"


def reserve_run(organization_id: uuid.UUID) -> None:
    """Hold the organization's row until the caller's transaction ends, so that parallel starts are counted exactly.

    Raises RunLimitReached where today's runs, in the organization's time zone, are spent.
    """
    organization = Organization.objects.select_for_update(no_key=True).get(id=organization_id)
    if runs_today(organization) >= organization.daily_run_limit:
        raise RunLimitReached(
            f"Your organization has started {organization.daily_run_limit} runs today, which is its limit. "
            "More can be started tomorrow."
        )


def runs_today(organization: Organization) -> int:
    return Run.objects.filter(organization=organization, created_at__gte=day_start(organization)).count()
