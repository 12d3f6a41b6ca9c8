"""Records for tests of the CRM; made inside a tenant block."""

import datetime

from crm.models import (
    Activity,
    Company,
    Deal,
    FieldChange,
    IdealCustomerProfile,
    Opportunity,
    OpportunityEvidence,
    Person,
    Prospect,
    ProspectEvidence,
    Signal,
)
from tests.people import Person as Member

NOON = datetime.datetime(2026, 3, 10, 12, 0, tzinfo=datetime.UTC)


def make_company(member: Member, name: str = "Lumenpay", **fields) -> Company:
    fields.setdefault("domain", f"{name.lower().replace(' ', '')}.example")
    return Company.objects.create(organization=member.organization, name=name, **fields)


def make_contact(member: Member, company: Company, name: str = "Jane Doe", **fields) -> Person:
    return Person.objects.create(organization=member.organization, company=company, name=name, **fields)


def make_deal(member: Member, company: Company, name: str = "Annual licence", **fields) -> Deal:
    return Deal.objects.create(organization=member.organization, company=company, name=name, **fields)


def make_activity(member: Member, company: Company | None, subject: str = "Pricing", **fields) -> Activity:
    fields.setdefault("kind", Activity.Kind.CALL)
    fields.setdefault("happened_at", NOON)
    return Activity.objects.create(organization=member.organization, company=company, subject=subject, **fields)


def make_prospect(member: Member, name: str = "Peppercorn", **fields) -> Prospect:
    fields.setdefault("domain", f"{name.lower()}.example")
    return Prospect.objects.create(organization=member.organization, company_name=name, **fields)


def make_prospect_evidence(member: Member, prospect: Prospect, text: str, weight: int) -> ProspectEvidence:
    return ProspectEvidence.objects.create(
        organization=member.organization,
        prospect=prospect,
        text=text,
        weight=weight,
        observed_on=NOON.date(),
        source="Press release",
    )


def make_opportunity(member: Member, company: Company, name: str = "New funding", **fields) -> Opportunity:
    return Opportunity.objects.create(organization=member.organization, company=company, name=name, **fields)


def make_evidence(member: Member, opportunity: Opportunity, text: str, weight: int, **fields) -> OpportunityEvidence:
    fields.setdefault("observed_on", NOON.date())
    fields.setdefault("source", "Careers page")
    return OpportunityEvidence.objects.create(
        organization=member.organization, opportunity=opportunity, text=text, weight=weight, **fields
    )


def make_icp(member: Member, name: str = "Growth-stage SaaS") -> IdealCustomerProfile:
    return IdealCustomerProfile.objects.create(organization=member.organization, name=name, criteria="B2B software.")


def make_signal(member: Member, company: Company, text: str = "Raised a Series A") -> Signal:
    return Signal.objects.create(
        organization=member.organization, company=company, kind=Signal.Kind.FUNDING, text=text, detected_at=NOON
    )


def make_change(member: Member, record, field: str = "owner", **fields) -> FieldChange:
    return FieldChange.objects.create(
        organization=member.organization,
        object_kind=type(record).__name__.lower(),
        object_id=record.pk,
        field=field,
        **fields,
    )
