from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agencycore.errors import ProductError
from agencycore.tenancy import tenant
from crm.importing import IMPORTERS, ImportRefused, import_records
from organizations.models import Membership

PROBLEMS_SHOWN = 100


class Command(BaseCommand):
    help = "Import companies, people or deals from a CSV file; all rows or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=sorted(IMPORTERS))
        parser.add_argument("file", type=Path)
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--user", required=True, help="user name of the member who imports")

    def handle(self, *args: object, **options: Any) -> None:
        member = Membership.objects.filter(
            organization__slug=options["org"], user__username=options["user"], user__is_active=True
        ).first()
        if member is None:
            raise CommandError(f"“{options['user']}” is not a member of the organization “{options['org']}”.")
        file: Path = options["file"]
        try:
            data = file.read_bytes()
            with tenant(member.organization_id):
                result = import_records(actor=member.actor, kind=options["kind"], file_name=file.name, data=data)
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        except ImportRefused as refusal:
            problems = [str(problem) for problem in refusal.problems[:PROBLEMS_SHOWN]]
            raise CommandError("\n".join([str(refusal), *problems])) from refusal
        except ProductError as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(str(result))
