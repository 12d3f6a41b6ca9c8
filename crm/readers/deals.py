from collections.abc import Sequence
from dataclasses import replace

from django.db.models import QuerySet

from agencycore.refs import ProjectedField, Projection
from agencycore.tenancy import Actor
from crm.models import Activity, Company, Deal
from crm.queries import NEWEST_ACTIVITY, activities_of, contacts_of, grouped, newest_of_each
from crm.readers.fields import activity_fields, contact_field, owner_field, plain_field, ref_to
from crm.readers.records import RecordReader
from crm.wording import day, local_date, money, reason_words

STAGE_WORDS = ("stage", "status", "where", "why", "reason", "since", "won", "lost", "progress", "far")


class DealReader(RecordReader[Deal]):
    kind = "deal"

    def visible_to(self, actor: Actor) -> QuerySet[Deal]:
        return Deal.objects.visible_to(actor).select_related("organization", "owner", "company")

    def project_all(self, actor: Actor, records: Sequence[Deal]) -> list[Projection]:
        """The last activity is the deal's own; the last contact is with its company, on any matter."""
        deals = Deal.objects.visible_to(actor).filter(pk__in=[deal.pk for deal in records])
        companies = Company.objects.visible_to(actor).filter(pk__in={deal.company_id for deal in records})
        newest = grouped(
            newest_of_each(activities_of(actor), owners=deals, link="deal", order=NEWEST_ACTIVITY, limit=1), "deal_id"
        )
        contacts = grouped(
            newest_of_each(contacts_of(actor), owners=companies, link="company", order=NEWEST_ACTIVITY, limit=1),
            "company_id",
        )
        return [_project(deal, newest.get(deal.pk, []), contacts.get(deal.company_id, [])) for deal in records]


def _project(deal: Deal, newest: list[Activity], contacts: list[Activity]) -> Projection:
    named = {item.pk: ref_to(item, "activity") for item in (*newest, *contacts)}
    return Projection(
        ref=ref_to(deal, "deal"),
        title=deal.name,
        fields=(
            plain_field("Company", deal.company.name, "company", "customer", "client", "with whom", "which"),
            owner_field(deal.owner, "deal"),
            _stage_field(deal),
            plain_field(
                "Amount", money(deal.amount, deal.currency), "amount", "worth", "value", "much", "money", "size"
            ),
            _close_field(deal),
            _contact_field(deal, contacts[0] if contacts else None, newest),
            *activity_fields(newest, deal.organization, "No activity is recorded on this deal itself."),
        ),
        url=deal.get_absolute_url(),
        updated_at=deal.updated_at,
        related=(ref_to(deal.company, "company"), *named.values()),
    )


def _contact_field(deal: Deal, contact: Activity | None, newest: list[Activity]) -> ProjectedField:
    """Says where the contact was, if not on the deal: beside it stands the last activity of the deal alone."""
    field = contact_field(contact, newest, deal.organization)
    if contact is None or contact.deal_id == deal.pk:
        return field
    return replace(field, value=f"{field.value} It was with {deal.company.name} and is not logged on this deal.")


def _stage_field(deal: Deal) -> ProjectedField:
    value = f"{deal.get_stage_display()}.{reason_words(deal.stage_cause)}"
    return ProjectedField("Stage", value, local_date(deal.stage_since, deal.organization), STAGE_WORDS)


def _close_field(deal: Deal) -> ProjectedField:
    words = ("close", "closes", "closing", "closed", "when", "date", "expected", "sign")
    if deal.close_date is None:
        return ProjectedField("Close date", "No close date is recorded.", question_words=words)
    verb = "Expected to close on" if deal.is_open else "Closed on"
    return ProjectedField("Close date", f"{verb} {day(deal.close_date)}.", question_words=words)
