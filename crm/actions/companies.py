"""Changing companies."""

import datetime

from django.db import transaction
from django.utils import timezone

from agencycore.errors import Refused
from agencycore.tenancy import Actor
from crm.actions.history import changed_meanwhile, record_change, required_reason
from crm.models import Company, IdealCustomerProfile, Signal


@transaction.atomic
def change_lifecycle_stage(*, actor: Actor, company: Company, stage: Company.LifecycleStage, cause: str) -> Company:
    """Move ``company`` to ``stage``. Refused if it is there already, or was moved by somebody else."""
    cause = required_reason(cause, "the lifecycle stage changes")
    before = Company.LifecycleStage(company.lifecycle_stage)
    if stage is before:
        raise Refused(f"{company} is in the stage “{stage.label}” already.")
    now = timezone.now()
    moved = (
        Company.objects.visible_to(actor)
        .filter(pk=company.pk, lifecycle_stage=before)
        .update(lifecycle_stage=stage, stage_since=now, stage_cause=cause, updated_at=now)
    )
    if not moved:
        raise changed_meanwhile(company)
    company.refresh_from_db(fields=["lifecycle_stage", "stage_since", "stage_cause", "updated_at"])
    record_change(
        actor=actor,
        record=company,
        field="lifecycle_stage",
        old=str(before.label),
        new=str(stage.label),
        cause=cause,
    )
    return company


@transaction.atomic
def set_icp_match(*, actor: Actor, company: Company, icp: IdealCustomerProfile, matches: bool, reason: str) -> Company:
    """Record how ``company`` compares with ``icp``. The date moves only when the verdict does."""
    reason = required_reason(reason, "the company matches or does not")
    company = Company.objects.visible_to(actor).select_for_update().get(pk=company.pk)
    before = _verdict(company)
    if company.icp_match is not matches or company.icp_id != icp.pk:
        company.icp_since = timezone.now()
    company.icp, company.icp_match, company.icp_reason = icp, matches, reason
    company.save(update_fields=["icp", "icp_match", "icp_since", "icp_reason", "updated_at"])
    if before != _verdict(company):
        record_change(actor=actor, record=company, field="icp_match", old=before, new=_verdict(company), cause=reason)
    return company


@transaction.atomic
def record_signal(
    *,
    actor: Actor,
    company: Company,
    kind: Signal.Kind,
    text: str,
    detected_at: datetime.datetime,
    source_url: str = "",
) -> Signal:
    """Keep something that was noticed about ``company``; the same text twice is one signal."""
    signal, _ = Signal.objects.get_or_create(
        organization_id=actor.organization_id,
        company=company,
        kind=kind,
        text=text,
        defaults={"detected_at": detected_at, "source_url": source_url},
    )
    return signal


def _verdict(company: Company) -> str:
    if company.icp_match is None:
        return ""
    return f"{'Matches' if company.icp_match else 'Does not match'} {company.icp or 'our ICP'}"
