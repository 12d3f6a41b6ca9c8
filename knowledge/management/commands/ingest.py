import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from knowledge.local_files import ingest_file
from organizations.models import Organization


class Command(BaseCommand):
    help = "Read files into an organization's knowledge, in this process."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="Files, or folders of files.")
        parser.add_argument("--org", required=True, help="The organization's slug.")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: object, paths: list[Path], org: str, as_json: bool, **options: object) -> None:
        organization = Organization.objects.filter(slug=org).first()
        if organization is None:
            raise CommandError(f"There is no organization “{org}”.")
        results = []
        for path in files_of(paths):
            result = ingest_file(path, organization.id)
            results.append(result)
            if not as_json:
                self.stdout.write(f"{result.state:8} {path} {result.reason or f'{result.chunks} passages'}")
        if as_json:
            self.stdout.write(json.dumps([result.as_json() for result in results], ensure_ascii=False, indent=2))
        if any(result.state != "ready" for result in results):
            raise CommandError("Some files could not be read.")


def files_of(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
        elif path.is_file():
            yield path
        else:
            raise CommandError(f"{path} is not a file or folder.")
