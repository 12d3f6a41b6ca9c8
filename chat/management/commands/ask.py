"""``manage.py ask``: one real turn, carried out in this process."""

import json
import time
import uuid

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from agencycore.dispatch import queue
from agencycore.errors import ProductError
from agencycore.refs import parse_ref
from agencycore.tenancy import Actor, tenant
from chat.actions import DISPATCH_KIND, accept_claimed_message, accept_message
from chat.models import Turn
from chat.run_following import is_any_worker_alive, see_through
from chat.turn_json import turn_as_json
from chat.turns import process_turn
from organizations.access import find_membership
from organizations.models import User
from runs.models import Run
from runs.wording import run_cause, run_state

POLL_SECONDS = 0.5
# Exit statuses of --wait beside 0, the run has ended, and 1, the message was not answered.
WAITS_FOR_A_PERSON = 3
NOBODY_AT_WORK = 4


class Command(BaseCommand):
    help = "Ask one question as a member and print what came of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("text")
        parser.add_argument("--user", required=True, help="user name")
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument("--conversation", help="continue this conversation")
        parser.add_argument(
            "--ref", action="append", default=[], metavar="kind:id", help="a record meant by the message"
        )
        parser.add_argument("--page", metavar="kind:id", help="the record whose page is open")
        parser.add_argument("--run", metavar="ID", help="the run whose question this answers")
        parser.add_argument(
            "--wait",
            action="store_true",
            help="see a run through to its end, to where it waits (exit status 3), or until nobody works on it (4)",
        )
        parser.add_argument("--json", action="store_true", help="print the whole turn as JSON")

    def handle(
        self,
        *,
        text: str,
        user: str,
        org: str,
        conversation: str | None,
        ref: list[str],
        page: str | None,
        run: str | None,
        **options: object,
    ) -> None:
        actor = _get_actor(user, org)
        try:
            turn = ask(
                actor=actor,
                text=text,
                conversation_id=_id(conversation, "conversation"),
                refs=ref,
                page=page,
                run_id=_id(run, "run"),
            )
        except ProductError as error:
            raise CommandError(str(error)) from error
        followed = _follow(turn) if options["wait"] else None
        with tenant(actor.organization_id):
            found = Turn.objects.select_related("reply").get(id=turn.id)
            contract = turn_as_json(found)
        self.stdout.write(json.dumps(contract, ensure_ascii=False, indent=2) if options["json"] else _as_text(contract))
        if found.shown_state in {Turn.State.FAILED, Turn.State.CANCELLED}:
            raise CommandError("The message was not answered.")
        self._tell_run(found, followed)

    def _tell_run(self, turn: Turn, followed: Run | None) -> None:
        """Say on the side where a run is left that has not ended; waiting for its end in vain is no success."""
        if followed is not None and followed.state == Run.State.WAITING:
            words = f"The run is {run_state(followed)}. {run_cause(followed)}".strip()
            raise CommandError(words, returncode=WAITS_FOR_A_PERSON)
        if followed is not None and followed.is_live:
            words = "Nobody is working on the run yet; it is left to the workers."
            raise CommandError(words, returncode=NOBODY_AT_WORK)
        if followed is None and turn.state == Turn.State.DELEGATED and not is_any_worker_alive():
            self.stderr.write("The run is left to the workers, and none is running.")


def ask(
    *,
    actor: Actor,
    text: str,
    conversation_id: uuid.UUID | None,
    refs: list[str],
    page: str | None,
    run_id: uuid.UUID | None = None,
) -> Turn:
    """Accept and carry out one message in this process; raises ProductError for what a person did wrong."""
    if run_id is not None:
        with tenant(actor.organization_id):
            return accept_message(
                actor=actor,
                conversation_id=conversation_id,
                text=text,
                client_message_id=str(uuid.uuid4()),
                run_id=run_id,
            )
    with tenant(actor.organization_id):
        turn, claim = accept_claimed_message(
            actor=actor,
            conversation_id=conversation_id,
            text=text,
            refs=[parse_ref(ref) for ref in refs],
            page=parse_ref(page) if page else None,
        )
    process_turn(organization_id=actor.organization_id, turn_id=turn.id, claim=claim)
    _insist(turn)
    return turn


def _follow(turn: Turn) -> Run | None:
    with tenant(turn.organization_id):
        run_id = Turn.objects.values_list("run_id", flat=True).get(id=turn.id)
    return see_through(organization_id=turn.organization_id, run_id=run_id) if run_id else None


def _insist(turn: Turn) -> None:
    """Try again as a worker would after a fault, until the turn ends or its deadline passes."""
    while timezone.now() < turn.deadline_at:
        with tenant(turn.organization_id):
            if Turn.objects.get(id=turn.id).is_finished:
                return
        claim = queue.claim(kind=DISPATCH_KIND, object_id=turn.id)
        if claim is None:
            time.sleep(POLL_SECONDS)
        else:
            process_turn(organization_id=turn.organization_id, turn_id=turn.id, claim=claim)


def _get_actor(username: str, organization_slug: str) -> Actor:
    user = User.objects.filter(username=username).first()
    membership = find_membership(user, organization_slug) if user else None
    if membership is None:
        raise CommandError(f"There is no member “{username}” in an organization “{organization_slug}”.")
    return membership.actor


def _id(text: str | None, noun: str) -> uuid.UUID | None:
    if text is None:
        return None
    try:
        return uuid.UUID(text)
    except ValueError:
        raise CommandError(f"This {noun} does not exist.") from None


def _as_text(contract: dict[str, object]) -> str:
    lines = [str(contract["text"])]
    for citation in contract["citations"]:  # type: ignore[attr-defined]
        position = f", {citation['position']}" if citation["position"] else ""
        lines.append(f"  [{citation['marker']}] {citation['label']}{position}")
    lines.extend(f"  Not answered: {words}" for words in contract["unresolved"])  # type: ignore[attr-defined]
    lines.extend(f"  - {option['label']}" for option in contract["options"])  # type: ignore[attr-defined]
    if contract["report"]:
        lines.extend(["", str(contract["report"])])
    return "\n".join(lines)
