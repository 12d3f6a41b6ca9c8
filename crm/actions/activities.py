"""Logging what was done."""

import datetime

from django.db import transaction
from django.utils import timezone

from agencycore.errors import ProductError
from agencycore.tenancy import Actor
from crm.models import Activity, Company, Deal, Person

SUBJECT_MAX_LENGTH = 200
# A clock a little ahead of ours is no reason to refuse.
CLOCK_TOLERANCE = datetime.timedelta(minutes=5)


@transaction.atomic
def log_activity(
    *,
    actor: Actor,
    kind: Activity.Kind,
    subject: str,
    happened_at: datetime.datetime,
    body: str = "",
    company: Company | None = None,
    person: Person | None = None,
    deal: Deal | None = None,
) -> Activity:
    """Keep an activity about a company, person or deal; the company follows from the other two."""
    company = company or (deal.company if deal else None) or (person.company if person else None)
    if company is None and person is None:
        raise ProductError("Say which company, person or deal the activity is about.")
    if deal is not None and deal.company_id != (company and company.pk):
        raise ProductError("The deal belongs to another company.")
    subject = " ".join(subject.split())[:SUBJECT_MAX_LENGTH]
    if not subject:
        raise ProductError("An activity needs a subject.")
    if kind is not Activity.Kind.TASK and happened_at > timezone.now() + CLOCK_TOLERANCE:
        raise ProductError("Only a task can lie in the future.")
    return Activity.objects.create(
        organization_id=actor.organization_id,
        kind=kind,
        happened_at=happened_at,
        by_id=actor.user_id,
        company=company,
        person=person,
        deal=deal,
        subject=subject,
        body=body.strip(),
    )
