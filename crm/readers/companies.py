from collections.abc import Sequence

from django.db.models import QuerySet

from agencycore.refs import ProjectedField, Projection
from agencycore.tenancy import Actor
from crm.models import Company, Deal, FieldChange, Signal
from crm.queries import (
    NEWEST_ACTIVITY,
    NEWEST_CHANGE,
    NEWEST_SIGNAL,
    NEXT_TO_CLOSE,
    activities_of,
    changes_of,
    contacts_of,
    grouped,
    newest_of_each,
    open_deals_of,
    signals_of,
)
from crm.readers.fields import activity_fields, change_fields, contact_field, owner_field, plain_field, ref_to
from crm.readers.records import RecordReader
from crm.wording import deal_words, icp_words, local_date, reason_words, sentence

ACTIVITIES = 5
CHANGES = 5
DEALS = 5
SIGNALS = 5

STAGE_WORDS = ("lifecycle", "stage", "status", "why", "marked", "cause", "reason", "since", "when", "became",
               *(word for label in Company.LifecycleStage.labels for word in label.lower().split()))  # fmt: skip
ICP_WORDS = ("icp", "ideal customer profile", "match", "matches", "matching", "fit", "fits", "qualify", "why",
             "reason", "stop", "stopped", "no longer", "since", "when")  # fmt: skip


class CompanyReader(RecordReader[Company]):
    kind = "company"

    def visible_to(self, actor: Actor) -> QuerySet[Company]:
        return Company.objects.visible_to(actor).select_related("organization", "owner", "icp")

    def project_all(self, actor: Actor, records: Sequence[Company]) -> list[Projection]:
        surroundings = _Surroundings(actor, records)
        return [_project(company, surroundings) for company in records]


class _Surroundings:
    """What lies around the companies, one statement for each kind of thing."""

    def __init__(self, actor: Actor, companies: Sequence[Company]) -> None:
        owners = Company.objects.visible_to(actor).filter(pk__in=[company.pk for company in companies])
        of_company = "company"
        self.changes = grouped(
            newest_of_each(
                changes_of(actor, FieldChange.ObjectKind.COMPANY),
                owners=owners, link="object_id", order=NEWEST_CHANGE, limit=CHANGES,
            ),
            "object_id",
        )  # fmt: skip
        self.activities = grouped(
            newest_of_each(
                activities_of(actor), owners=owners, link=of_company, order=NEWEST_ACTIVITY, limit=ACTIVITIES
            ),
            "company_id",
        )
        self.contacts = grouped(
            newest_of_each(contacts_of(actor), owners=owners, link=of_company, order=NEWEST_ACTIVITY, limit=1),
            "company_id",
        )
        self.deals = grouped(
            newest_of_each(open_deals_of(actor), owners=owners, link=of_company, order=NEXT_TO_CLOSE, limit=DEALS),
            "company_id",
        )
        self.signals = grouped(
            newest_of_each(signals_of(actor), owners=owners, link=of_company, order=NEWEST_SIGNAL, limit=SIGNALS),
            "company_id",
        )


def _project(company: Company, around: _Surroundings) -> Projection:
    organization = company.organization
    activities = around.activities.get(company.pk, [])
    contacts = around.contacts.get(company.pk, [])
    deals = around.deals.get(company.pk, [])
    named = {ref.key: ref for ref in (*(ref_to(item, "activity") for item in (*activities, *contacts)),
                                      *(ref_to(deal, "deal") for deal in deals))}  # fmt: skip
    return Projection(
        ref=ref_to(company, "company"),
        title=company.name,
        fields=(
            plain_field("Domain", company.domain, "website", "site", "url", "web", "domain"),
            plain_field("Industry", company.industry, "industry", "sector", "business", "what do they do"),
            plain_field("Country", company.country, "where", "country", "based", "located", "location"),
            plain_field("Size", company.get_size_band_display(), "size", "employees", "headcount", "how big", "large"),
            _stage_field(company),
            owner_field(company.owner, "company"),
            _icp_field(company),
            *change_fields(around.changes.get(company.pk, []), organization),
            contact_field(contacts[0] if contacts else None, activities, organization),
            *activity_fields(activities, organization),
            *_deal_fields(deals, company),
            *_signal_fields(around.signals.get(company.pk, []), company),
        ),
        url=company.get_absolute_url(),
        updated_at=company.updated_at,
        related=tuple(named.values()),
    )


def _stage_field(company: Company) -> ProjectedField:
    value = f"{company.get_lifecycle_stage_display()}.{reason_words(company.stage_cause)}"
    return ProjectedField("Lifecycle stage", value, local_date(company.stage_since, company.organization), STAGE_WORDS)


def _icp_field(company: Company) -> ProjectedField:
    since = local_date(company.icp_since, company.organization) if company.icp_since else None
    return ProjectedField("ICP match", icp_words(company), since, ICP_WORDS)


def _deal_fields(deals: Sequence[Deal], company: Company) -> list[ProjectedField]:
    words = ("deal", "deals", "open", "sale", "sales", "pipeline", "worth", "amount", "close")
    if not deals:
        return [ProjectedField("Open deal", "No deal is open.", question_words=words)]
    return [
        ProjectedField("Open deal", deal_words(deal), local_date(deal.stage_since, company.organization), words)
        for deal in deals
    ]


def _signal_fields(signals: Sequence[Signal], company: Company) -> list[ProjectedField]:
    words = ("signal", "signals", "news", "noticed", "hiring", "funding", "raised", "launch")
    if not signals:
        return [ProjectedField("Signal", "No signal is recorded.", question_words=words)]
    return [
        ProjectedField("Signal", sentence(str(signal)), local_date(signal.detected_at, company.organization), words)
        for signal in signals
    ]
