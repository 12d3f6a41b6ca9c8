"""Bring the database to the state this version needs; ``make run`` and deployments call it."""

from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = "Migrates, ingests the platform documents, and loads the demo into the bundled database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="Load the demo even into a database of your own.")

    def handle(self, *, demo: bool, **options: object) -> None:
        self.stdout.write("Preparing the database.")
        call_command("migrate", verbosity=0, interactive=False, stdout=self.stdout)
        if demo or settings.USES_BUNDLED_DATABASE:
            call_command("load_demo", stdout=self.stdout)
        call_command("ingest_docs", str(Path(settings.BASE_DIR) / "docs" / "product"), stdout=self.stdout)
