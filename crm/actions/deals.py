"""Opening deals and moving them on, and what that means for their companies."""

import datetime
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from agencycore.errors import ProductError, Refused
from agencycore.tenancy import Actor
from crm.actions.companies import change_lifecycle_stage
from crm.actions.history import changed_meanwhile, record_change, required_reason
from crm.models import Company, Deal, Person
from crm.wording import local_date
from organizations.models import User

STAGE = Company.LifecycleStage
STAGES_BEFORE_OPPORTUNITY = (STAGE.LEAD, STAGE.PROSPECT)


@transaction.atomic
def open_deal(
    *,
    actor: Actor,
    company: Company,
    name: str,
    owner: User | None = None,
    person: Person | None = None,
    amount: Decimal | None = None,
    currency: str = "EUR",
    close_date: datetime.date | None = None,
) -> Deal:
    """Open a deal in the first stage. A lead or prospect becomes an opportunity by it."""
    name = " ".join(name.split())
    if not name:
        raise ProductError("A deal needs a name.")
    if Deal.objects.visible_to(actor).filter(company=company, name=name).exists():
        raise Refused(f"{company} has a deal “{name}” already.")
    deal = Deal.objects.create(
        organization_id=actor.organization_id,
        company=company,
        person=person,
        name=name,
        owner=owner,
        amount=amount,
        currency=currency,
        close_date=close_date,
    )
    record_change(actor=actor, record=deal, field="stage", old="", new=deal.get_stage_display(), cause="Opened.")
    if company.lifecycle_stage in STAGES_BEFORE_OPPORTUNITY:
        cause = f"The deal “{name}” was opened."
        change_lifecycle_stage(actor=actor, company=company, stage=STAGE.OPPORTUNITY, cause=cause)
    return deal


@transaction.atomic
def change_deal_stage(*, actor: Actor, deal: Deal, stage: Deal.Stage, cause: str) -> Deal:
    """Move ``deal`` to ``stage``; closing it sets the close date, winning it makes its company a customer."""
    cause = required_reason(cause, "the stage changes")
    before = Deal.Stage(deal.stage)
    if stage is before:
        raise Refused(f"“{deal}” is in the stage “{stage.label}” already.")
    now = timezone.now()
    closing = {"close_date": local_date(now, deal.organization)} if stage in Deal.CLOSED_STAGES else {}
    moved = (
        Deal.objects.visible_to(actor)
        .filter(pk=deal.pk, stage=before)
        .update(stage=stage, stage_since=now, stage_cause=cause, updated_at=now, **closing)
    )
    if not moved:
        raise changed_meanwhile(deal)
    deal.refresh_from_db(fields=["stage", "stage_since", "stage_cause", "close_date", "updated_at"])
    record_change(actor=actor, record=deal, field="stage", old=str(before.label), new=str(stage.label), cause=cause)
    if stage is Deal.Stage.WON and deal.company.lifecycle_stage != STAGE.CUSTOMER:
        won = f"The deal “{deal.name}” was won."
        change_lifecycle_stage(actor=actor, company=deal.company, stage=STAGE.CUSTOMER, cause=won)
    return deal
