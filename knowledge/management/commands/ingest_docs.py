from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from knowledge.platform_docs import sync_platform_docs


class Command(BaseCommand):
    help = "Make the platform's knowledge equal to the Markdown pages of a folder; only changed pages are read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="For example docs/product.")

    def handle(self, *args: object, folder: Path, verbosity: int, **options: object) -> None:
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        results = sync_platform_docs(folder)
        for result in results:
            if verbosity > 1 or result.change != "unchanged":
                self.stdout.write(f"{result.change:9} {result.path} {result.reason or f'{result.chunks} passages'}")
        self.stdout.write(f"{len(results)} pages, {sum(result.change != 'unchanged' for result in results)} changed.")
        if any(result.change == "failed" for result in results):
            raise CommandError("Some pages could not be read.")
