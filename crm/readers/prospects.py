from collections.abc import Sequence

from django.db.models import QuerySet

from agencycore.refs import ProjectedField, Projection, ResourceRef
from agencycore.tenancy import Actor
from crm.models import Company, Prospect, ProspectEvidence
from crm.promotion import promotion_blockers
from crm.queries import STRONGEST, companies_by_domain, grouped, newest_of_each
from crm.readers.fields import EVIDENCE_ITEMS, EVIDENCE_WORDS, evidence_fields, owner_field, plain_field, ref_to
from crm.readers.records import RecordReader
from crm.wording import local_date, prospect_state_words

REVIEW_WORDS = ("why", "review", "waiting", "wait", "state", "status", "reason", "needed", "marked", "since", "long",
                "approved", "rejected", "pending")  # fmt: skip
PROMOTION_WORDS = ("promote", "promoted", "promotion", "can", "may", "crm", "move", "add", "blocked", "why not")


class ProspectReader(RecordReader[Prospect]):
    kind = "prospect"

    def visible_to(self, actor: Actor) -> QuerySet[Prospect]:
        rows = Prospect.objects.visible_to(actor)
        return rows.select_related("organization", "owner", "reviewed_by", "company", "person")

    def project_all(self, actor: Actor, records: Sequence[Prospect]) -> list[Projection]:
        existing = companies_by_domain(actor, records)
        owners = Prospect.objects.visible_to(actor).filter(pk__in=[prospect.pk for prospect in records])
        items = ProspectEvidence.objects.visible_to(actor)
        strongest = newest_of_each(items, owners=owners, link="prospect", order=STRONGEST, limit=EVIDENCE_ITEMS)
        evidence = grouped(strongest, "prospect_id")
        return [
            _project(prospect, evidence.get(prospect.pk, []), existing.get(prospect.domain)) for prospect in records
        ]


def _project(prospect: Prospect, evidence: Sequence[ProspectEvidence], existing: Company | None) -> Projection:
    organization = prospect.organization
    since = local_date(prospect.review_since, organization)
    return Projection(
        ref=ref_to(prospect, "prospect"),
        title=str(prospect),
        fields=(
            plain_field("Company", _company_words(prospect), "company", "which", "industry", "country", "domain"),
            plain_field("Contact", _contact_words(prospect), "contact", "person", "who", "email", "title"),
            ProjectedField("Review state", prospect_state_words(prospect), since, REVIEW_WORDS),
            ProjectedField("Score", f"{prospect.score} of 100.", None, EVIDENCE_WORDS),
            *evidence_fields(evidence),
            _found_field(prospect),
            _promotion_field(prospect, existing),
            owner_field(prospect.owner, "prospect"),
        ),
        url=prospect.get_absolute_url(),
        updated_at=prospect.updated_at,
        related=_related(prospect),
    )


def _company_words(prospect: Prospect) -> str:
    facts = (prospect.domain, prospect.industry, prospect.country, prospect.get_size_band_display())
    known = ", ".join(fact for fact in facts if fact)
    return f"{prospect.company_name} ({known})" if known else prospect.company_name


def _contact_words(prospect: Prospect) -> str:
    facts = (prospect.contact_name, prospect.contact_title, prospect.contact_email)
    return ", ".join(fact for fact in facts if fact)


def _found_field(prospect: Prospect) -> ProjectedField:
    words = ("found", "find", "came", "source", "where", "which run", "run", "agent", "discovered")
    value = f"{prospect.found_by_label}." if prospect.found_by_label else "It is not recorded what found it."
    return ProjectedField("Found by", value, local_date(prospect.found_at, prospect.organization), words)


def _promotion_field(prospect: Prospect, existing: Company | None) -> ProjectedField:
    blockers = promotion_blockers(prospect, existing)
    if not blockers:
        value = "Yes, it may be promoted to the CRM now."
    elif prospect.review_state == Prospect.ReviewState.PROMOTED:
        value = f"It has been promoted already, to {prospect.company or 'a company that was deleted since'}."
    else:
        value = f"No, it may not be promoted yet. {' '.join(blockers)}"
    return ProjectedField("May be promoted", value, question_words=PROMOTION_WORDS)


def _related(prospect: Prospect) -> tuple[ResourceRef, ...]:
    refs = []
    if prospect.company:
        refs.append(ref_to(prospect.company, "company"))
    if prospect.person:
        refs.append(ref_to(prospect.person, "person"))
    if prospect.found_by_run:
        refs.append(ResourceRef("run", str(prospect.found_by_run), prospect.found_by_label))
    return tuple(refs)
