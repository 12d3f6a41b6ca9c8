"""Adding to what an opportunity's score is based on."""

import datetime

from django.db import transaction
from django.utils import timezone

from agencycore.errors import ProductError
from agencycore.tenancy import Actor
from crm.actions.history import record_change
from crm.models import Opportunity, OpportunityEvidence
from crm.models.records import SCORE_MAX
from crm.scores import score_of


@transaction.atomic
def add_opportunity_evidence(
    *,
    actor: Actor,
    opportunity: Opportunity,
    text: str,
    weight: int,
    observed_on: datetime.date,
    source: str,
    source_url: str = "",
) -> Opportunity:
    """Add one dated reason to ``opportunity`` and bring its score up to date."""
    if not -SCORE_MAX <= weight <= SCORE_MAX:
        raise ProductError(f"The weight must lie between -{SCORE_MAX} and {SCORE_MAX}.")
    # Two items added at once must both be in the sum.
    opportunity = Opportunity.objects.visible_to(actor).select_for_update().get(pk=opportunity.pk)
    OpportunityEvidence.objects.create(
        organization_id=actor.organization_id,
        opportunity=opportunity,
        text=text,
        weight=weight,
        observed_on=observed_on,
        source=source,
        source_url=source_url,
    )
    before, opportunity.score = opportunity.score, score_of(opportunity.evidence.all())
    if before != opportunity.score:
        opportunity.score_since = timezone.now()
        opportunity.save(update_fields=["score", "score_since", "updated_at"])
        record_change(
            actor=actor, record=opportunity, field="score", old=str(before), new=str(opportunity.score), cause=text
        )
    return opportunity
