from collections.abc import Sequence

from django.db.models import QuerySet

from agencycore.refs import ProjectedField, Projection
from agencycore.tenancy import Actor
from crm.models import Opportunity, OpportunityEvidence
from crm.queries import STRONGEST, grouped, newest_of_each
from crm.readers.fields import EVIDENCE_ITEMS, EVIDENCE_WORDS, evidence_fields, owner_field, plain_field, ref_to
from crm.readers.records import RecordReader
from crm.wording import local_date


class OpportunityReader(RecordReader[Opportunity]):
    kind = "opportunity"

    def visible_to(self, actor: Actor) -> QuerySet[Opportunity]:
        return Opportunity.objects.visible_to(actor).select_related("organization", "company", "owner")

    def project_all(self, actor: Actor, records: Sequence[Opportunity]) -> list[Projection]:
        owners = Opportunity.objects.visible_to(actor).filter(pk__in=[record.pk for record in records])
        items = OpportunityEvidence.objects.visible_to(actor)
        strongest = newest_of_each(items, owners=owners, link="opportunity", order=STRONGEST, limit=EVIDENCE_ITEMS)
        evidence = grouped(strongest, "opportunity_id")
        return [_project(record, evidence.get(record.pk, [])) for record in records]


def _project(opportunity: Opportunity, evidence: Sequence[OpportunityEvidence]) -> Projection:
    since = local_date(opportunity.score_since, opportunity.organization)
    return Projection(
        ref=ref_to(opportunity, "opportunity"),
        title=opportunity.name,
        fields=(
            plain_field("Company", opportunity.company.name, "company", "which", "who", "with"),
            ProjectedField("Score", f"{opportunity.score} of 100.", since, EVIDENCE_WORDS),
            *evidence_fields(evidence),
            owner_field(opportunity.owner, "opportunity"),
        ),
        url=opportunity.get_absolute_url(),
        updated_at=opportunity.updated_at,
        related=(ref_to(opportunity.company, "company"),),
    )
