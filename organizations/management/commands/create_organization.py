import getpass
import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agencycore.errors import ProductError
from organizations.actions import create_organization
from organizations.models import User


class Command(BaseCommand):
    help = "Makes an organization and its first admin. A new admin's password is asked for, or read from a pipe."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="Short name for addresses and commands, for example northwind.")
        parser.add_argument("--name", help="As people read it; default: the slug.")
        parser.add_argument("--admin", required=True, metavar="USERNAME", help="A new or an existing user.")
        parser.add_argument("--time-zone", default="UTC", help="IANA name, for example Europe/Oslo.")

    def handle(self, *, slug: str, name: str | None, admin: str, time_zone: str, **options: object) -> None:
        is_new = not User.objects.filter(username=admin).exists()
        try:
            membership = create_organization(
                slug=slug,
                name=name or slug,
                admin_username=admin,
                password=_read_password() if is_new else None,
                time_zone=time_zone,
            )
        except ProductError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{membership.organization.name} ({slug}) is made; {admin} is its admin.")


def _read_password() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("Password of the new admin: ")
    return sys.stdin.readline().rstrip("\n")
