import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from agencycore.tenancy import tenant
from knowledge.candidates import Hit
from knowledge.search import search
from organizations.models import Organization

LIMIT_AT_MOST = 100


class Command(BaseCommand):
    help = "Search an organization's knowledge and the platform's, as chat does."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("words")
        parser.add_argument("--org", required=True, help="The organization's slug.")
        parser.add_argument("--limit", type=int, default=8)
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *args: object, words: str, org: str, limit: int, as_json: bool, **options: object) -> None:
        if not words.strip():
            raise CommandError("Name some words to search for.")
        if not 1 <= limit <= LIMIT_AT_MOST:
            raise CommandError(f"--limit must be 1 to {LIMIT_AT_MOST}.")
        organization = Organization.objects.filter(slug=org).first()
        if organization is None:
            raise CommandError(f"There is no organization “{org}”.")
        with tenant(organization.id):
            result = search(actor_organization_id=organization.id, query=words, limit=limit)
        if as_json:
            self.stdout.write(json.dumps([_as_json(hit) for hit in result.hits], ensure_ascii=False, indent=2))
            return
        for hit in result.hits:
            self.stdout.write(f"{hit.score:.3f}  {hit.label} · {hit.position}\n{hit.text}\n")
        if not result.hits:
            self.stdout.write("Nothing relevant was found.")


def _as_json(hit: Hit) -> dict[str, object]:
    return {
        "chunk": str(hit.chunk_id),
        "source": str(hit.source_id),
        "label": hit.label,
        "position": hit.position or None,
        "score": round(hit.score, 4),
        "text": hit.text,
    }
