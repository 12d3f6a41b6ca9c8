"""Prospects: found, reviewed, promoted."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from agencycore.errors import Refused
from agencycore.tenancy import Actor
from crm.actions.companies import change_lifecycle_stage
from crm.actions.history import changed_meanwhile, record_change, required_reason
from crm.models import Company, Person, Prospect, ProspectEvidence
from crm.promotion import promotion_blockers
from crm.queries import companies_by_domain
from crm.scores import score_of

STATE = Prospect.ReviewState
REVIEWED_STATES = (STATE.IN_REVIEW, STATE.APPROVED, STATE.REJECTED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A company, and perhaps a contact in it, that somebody or something found."""

    company_name: str
    domain: str = ""
    industry: str = ""
    country: str = ""
    size_band: str = ""
    contact_name: str = ""
    contact_title: str = ""
    contact_email: str = ""


@transaction.atomic
def add_prospect(
    *,
    actor: Actor,
    candidate: Candidate,
    evidence: Sequence[ProspectEvidence],
    reason: str,
    found_by_label: str,
    found_by_run: uuid.UUID | None = None,
) -> Prospect:
    """Put ``candidate`` on the prospect list, waiting for review because of ``reason``.

    ``evidence`` are unsaved items; the score is made of them. A candidate whose domain and contact
    are on the list already, and not promoted or rejected, is that prospect, unchanged.
    """
    known = _find_open(actor, candidate)
    if known is not None:
        return known
    prospect = Prospect.objects.create(
        organization_id=actor.organization_id,
        company_name=candidate.company_name,
        domain=candidate.domain,
        industry=candidate.industry,
        country=candidate.country,
        size_band=candidate.size_band,
        contact_name=candidate.contact_name,
        contact_title=candidate.contact_title,
        contact_email=candidate.contact_email,
        owner_id=actor.user_id,
        review_reason=required_reason(reason, "it waits for review"),
        score=score_of(evidence),
        found_by_run=found_by_run,
        found_by_label=found_by_label,
    )
    for item in evidence:
        item.organization_id, item.prospect = actor.organization_id, prospect
    ProspectEvidence.objects.bulk_create(evidence)
    return prospect


@transaction.atomic
def review_prospect(*, actor: Actor, prospect: Prospect, state: Prospect.ReviewState, reason: str) -> Prospect:
    """Move ``prospect`` to ``state`` by a review. Refused where ``Prospect.REVIEW_MOVES`` has no such move."""
    reason = required_reason(reason, "the review state changes")
    before = STATE(prospect.review_state)
    if state not in Prospect.REVIEW_MOVES[before]:
        raise Refused(f"A prospect in the state “{before.label}” cannot be moved to “{state.label}” by a review.")
    now = timezone.now()
    moved = (
        Prospect.objects.visible_to(actor)
        .filter(pk=prospect.pk, review_state=before)
        .update(
            review_state=state,
            review_since=now,
            review_reason=reason,
            reviewed_by=actor.user_id if state in REVIEWED_STATES else None,
            updated_at=now,
        )
    )
    if not moved:
        raise changed_meanwhile(prospect)
    prospect.refresh_from_db()
    _record_state(actor, prospect, before, reason)
    return prospect


@transaction.atomic
def promote_prospect(*, actor: Actor, prospect: Prospect) -> Company:
    """Make ``prospect`` a company of the CRM, and its contact a person; return the company.

    Refused with all reasons of ``promotion_blockers``. A company with the same domain is used, not
    doubled, and a person with the same e-mail likewise.
    """
    prospect = Prospect.objects.visible_to(actor).select_for_update().get(pk=prospect.pk)
    existing = companies_by_domain(actor, [prospect]).get(prospect.domain)
    blockers = promotion_blockers(prospect, existing)
    if blockers:
        raise Refused(" ".join(blockers))
    company = existing or _new_company(actor, prospect)
    cause = f"It was promoted from the prospect list: {prospect.review_reason}"[:300]
    if company.lifecycle_stage == Company.LifecycleStage.LEAD:
        change_lifecycle_stage(actor=actor, company=company, stage=Company.LifecycleStage.PROSPECT, cause=cause)
    prospect.company, prospect.person = company, _person_for(actor, prospect, company)
    prospect.review_state, prospect.review_since = STATE.PROMOTED, timezone.now()
    prospect.save(update_fields=["company", "person", "review_state", "review_since", "updated_at"])
    _record_state(actor, prospect, STATE.APPROVED, f"Promoted to {company}.")
    return company


def _find_open(actor: Actor, candidate: Candidate) -> Prospect | None:
    if not candidate.domain:
        return None
    same = Prospect.objects.visible_to(actor).filter(domain=candidate.domain, contact_email=candidate.contact_email)
    return same.exclude(review_state__in=(STATE.PROMOTED, STATE.REJECTED)).first()


def _new_company(actor: Actor, prospect: Prospect) -> Company:
    return Company.objects.create(
        organization_id=actor.organization_id,
        name=prospect.company_name,
        domain=prospect.domain,
        industry=prospect.industry,
        country=prospect.country,
        size_band=prospect.size_band,
        owner_id=prospect.owner_id or actor.user_id,
        icp_id=prospect.icp_id,
    )


def _person_for(actor: Actor, prospect: Prospect, company: Company) -> Person | None:
    if not prospect.contact_name:
        return None
    people = Person.objects.visible_to(actor)
    known = people.filter(email=prospect.contact_email).first() if prospect.contact_email else None
    return known or Person.objects.create(
        organization_id=actor.organization_id,
        company=company,
        name=prospect.contact_name,
        title=prospect.contact_title,
        email=prospect.contact_email,
        owner_id=company.owner_id,
    )


def _record_state(actor: Actor, prospect: Prospect, before: Prospect.ReviewState, cause: str) -> None:
    record_change(
        actor=actor,
        record=prospect,
        field="review_state",
        old=str(before.label),
        new=prospect.get_review_state_display(),
        cause=cause,
    )
