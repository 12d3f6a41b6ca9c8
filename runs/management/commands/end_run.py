"""``manage.py end_run``: end a run, or let it ask, by hand."""

import uuid

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agencycore.errors import ProductError
from agencycore.refs import parse_ref
from organizations.models import Organization
from runs.ender import Act, Ask, Enter, Fail, Succeed, play, play_all
from runs.models import Run
from runs.wording import run_state


class Command(BaseCommand):
    help = "Carry a run, or all queued runs of an organization, to a scripted end."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", nargs="?", help="id of the run")
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--all", action="store_true", help="all queued runs of the organization")
        parser.add_argument("--step", metavar="NAME", help="first mark this step as begun")
        parser.add_argument("--ref", action="append", default=[], metavar="kind:id", help="a record it came back with")
        act = parser.add_mutually_exclusive_group(required=True)
        act.add_argument("--succeed", metavar="TEXT", help="end it with this result")
        act.add_argument("--fail", metavar="TEXT", help="end it as failed, for this reason in product words")
        act.add_argument("--ask", metavar="QUESTION", help="let it wait for a person's answer")

    def handle(self, *, run: str | None, org: str, **options: object) -> None:
        organization = Organization.objects.filter(slug=org).first()
        if organization is None:
            raise CommandError(f"There is no organization “{org}”.")
        if bool(run) == bool(options["all"]):
            raise CommandError("Name one run, or say --all.")
        try:
            for played in _play(organization, run, _acts(options)):
                self.stdout.write(f"{played.id} {run_state(played)}")
        except ProductError as error:
            raise CommandError(str(error)) from error


def _play(organization: Organization, run: str | None, acts: list[Act]) -> list[Run]:
    if run is None:
        return play_all(acts, organization_id=organization.id)
    return [play(*acts, organization_id=organization.id, run_id=_run_id(run))]


def _acts(options: dict[str, object]) -> list[Act]:
    acts: list[Act] = [Enter(str(options["step"]))] if options["step"] else []
    if options["succeed"] is not None:
        refs = options["ref"]
        assert isinstance(refs, list)
        return [*acts, Succeed(str(options["succeed"]), tuple(parse_ref(ref) for ref in refs))]
    if options["fail"] is not None:
        return [*acts, Fail(str(options["fail"]))]
    return [*acts, Ask(str(options["ask"]))]


def _run_id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise CommandError("This run does not exist.") from None
