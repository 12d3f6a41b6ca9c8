from collections.abc import Sequence

from django.db.models import QuerySet

from agencycore.refs import Projection
from agencycore.tenancy import Actor
from crm.models import Activity, Person
from crm.queries import NEWEST_ACTIVITY, activities_of, contacts_of, grouped, newest_of_each
from crm.readers.fields import activity_fields, contact_field, owner_field, plain_field, ref_to
from crm.readers.records import RecordReader


class PersonReader(RecordReader[Person]):
    kind = "person"

    def visible_to(self, actor: Actor) -> QuerySet[Person]:
        return Person.objects.visible_to(actor).select_related("organization", "owner", "company")

    def project_all(self, actor: Actor, records: Sequence[Person]) -> list[Projection]:
        owners = Person.objects.visible_to(actor).filter(pk__in=[person.pk for person in records])
        newest, contacts = (
            grouped(newest_of_each(rows, owners=owners, link="person", order=NEWEST_ACTIVITY, limit=1), "person_id")
            for rows in (activities_of(actor), contacts_of(actor))
        )
        return [_project(person, newest.get(person.pk, []), contacts.get(person.pk, [])) for person in records]


def _project(person: Person, newest: list[Activity], contacts: list[Activity]) -> Projection:
    named = {item.pk: ref_to(item, "activity") for item in (*newest, *contacts)}
    company = [ref_to(person.company, "company")] if person.company else []
    return Projection(
        ref=ref_to(person, "person"),
        title=person.name,
        fields=(
            plain_field("Company", str(person.company or ""), "company", "works", "employer", "where"),
            plain_field("Title", person.title, "title", "role", "job", "position", "what does", "do"),
            plain_field("E-mail", person.email, "email", "e-mail", "mail", "address", "reach"),
            owner_field(person.owner, "person"),
            contact_field(contacts[0] if contacts else None, newest, person.organization),
            *activity_fields(newest, person.organization),
        ),
        url=person.get_absolute_url(),
        updated_at=person.updated_at,
        related=(*company, *named.values()),
    )
