from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agencycore.tenancy import tenant
from crm.models import Activity, Company, Deal, Opportunity, Person, Prospect
from crm.models.records import Record
from organizations.models import Organization

# The model of each kind, and the column its label is searched and sorted by.
KINDS: dict[str, tuple[type[Record], str]] = {
    "company": (Company, "name"),
    "person": (Person, "name"),
    "prospect": (Prospect, "company_name"),
    "deal": (Deal, "name"),
    "opportunity": (Opportunity, "name"),
    "activity": (Activity, "subject"),
}


class Command(BaseCommand):
    help = "Print the records of an organization as kind:id and label, ready for ask --ref."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--kind", required=True, choices=sorted(KINDS))
        parser.add_argument("--search", default="", help="only records whose name contains this")
        parser.add_argument("--limit", type=int, default=50)

    def handle(self, *args: object, **options: Any) -> None:
        organization = Organization.objects.filter(slug=options["org"]).first()
        if organization is None:
            raise CommandError(f"There is no organization “{options['org']}”.")
        model, column = KINDS[options["kind"]]
        with tenant(organization.pk):
            rows = model.objects.filter(organization=organization, **{f"{column}__icontains": options["search"]})
            for record in rows.order_by(column, "pk")[: options["limit"]]:
                self.stdout.write(f"{options['kind']}:{record.pk}  {record}")
