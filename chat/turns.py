"""One turn from claim to reply: stop? → gather → decide → checkpoint → commit → after.

Every stage is a short transaction of its own; no transaction is open while a model is asked. Locks
are taken in one order everywhere: conversation, turn, dispatch, stream.
"""

import datetime
import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import DatabaseError, OperationalError, connection
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from agencycore.ai.ports import get_responder
from agencycore.ai.types import ContextBrief, SourceName
from agencycore.dispatch import queue
from agencycore.dispatch.work import carry
from agencycore.errors import Refused
from agencycore.tenancy import Actor, Role, tenant
from chat.actions import DISPATCH_KIND, end_turn
from chat.context.brief_json import brief_as_json, brief_from_json
from chat.context.builder import build_context
from chat.context.guard import SourceLate, time_limit
from chat.deltas import DeltaPublisher
from chat.frontdoor import door
from chat.frontdoor.decision import Clarify, Delegate, decision_as_json, decision_from_json
from chat.metering import MeteredCaller
from chat.models import Turn
from chat.outcomes import commit_reply, offer_of
from chat.progress import publish_slow_source, publish_states
from chat.run_answers import ForRun, find_recipient, pass_to_run
from chat.summary import Fold, close_lost_pass, find_due, fold_history
from conversations.actions import lock_conversation
from conversations.models import Message
from organizations.models import Membership

logger = logging.getLogger(__name__)

HINT_LOCK_TIMEOUT = "300ms"
VERDICT_FIELDS = (
    "decision",
    "prompt",
    "prompt_version",
    "rejected_refs",
    "refusals",
    "edits",
    "offer",
    "provider",
    "model",
    "fallback",
    "timings",
)
FAILED_TEXT = "This message could not be answered. Nothing was changed; try again."


@dataclass(slots=True)
class Work:
    """A claimed turn while this process works on it."""

    claim: queue.Claim
    turn: Turn
    actor: Actor
    recipient: ForRun | Clarify | None = None
    brief: ContextBrief | None = None

    def remaining_seconds(self) -> float:
        """Time left until the turn's deadline."""
        return (self.turn.deadline_at - timezone.now()).total_seconds()


def process_turn(*, organization_id: uuid.UUID, turn_id: uuid.UUID, claim: queue.Claim | None = None) -> None:
    """Carry one turn to its end, from wherever an earlier attempt left it.

    Does nothing if the turn is done, held by another process, or not the first of its conversation.
    """
    held = claim or queue.claim(kind=DISPATCH_KIND, object_id=turn_id, deadline_seconds=settings.TURN_DEADLINE_SECONDS)
    if held is None or held.organization_id != organization_id:
        return
    carry(held, _carry_out)


def give_up(*, organization_id: uuid.UUID, object_id: uuid.UUID) -> None:
    """End a turn that is past its deadline or out of attempts: failed, with Retry."""
    with tenant(organization_id):
        turn = Turn.objects.filter(id=object_id).first()
        if turn is None:
            queue.withdraw(kind=DISPATCH_KIND, object_id=object_id)
            return
        lock_conversation(turn.conversation_id)
        end_turn(turn, Turn.State.FAILED, error_code="gave_up", error_text=FAILED_TEXT)


def _carry_out(held: queue.Claim) -> None:
    work = _begin(held)
    if work is not None and not _is_for_a_run(work):
        if work.turn.decision is None:
            _think(work)
        due = _commit(work)
        if due is None:
            return
        _summarise(work, due)
    queue.finish(held)


def _begin(held: queue.Claim) -> Work | None:
    """The claimed turn, marked as being worked on; None if it has ended already."""
    with tenant(held.organization_id):
        turn = (
            Turn.objects.select_related("message", "conversation", "organization")
            .annotate(role=Subquery(_role_of_asker()))
            .filter(id=held.object_id)
            .first()
        )
        if turn is None:
            return None
        if turn.is_finished:
            close_lost_pass(turn)
            return None
        role: Role | None = turn.role  # type: ignore[attr-defined]  # annotated above
        if role is None:
            lock_conversation(turn.conversation_id)
            end_turn(turn, Turn.State.FAILED, error_code="not_a_member", error_text=FAILED_TEXT)
            return None
        turn.claimed_at = turn.claimed_at or timezone.now()
        turn.deadline_at = min(turn.deadline_at, turn.claimed_at + _deadline())
        work = Work(held, turn, Actor(turn.conversation.starter_id, turn.organization_id, role))
        if turn.decision is None:
            work.recipient = _find_recipient(work)
        _take_up(work)
        return work


def _role_of_asker() -> QuerySet[Membership, str]:
    """Of whoever the conversation belongs to; none for one who is no member any more."""
    asker = Membership.objects.filter(
        organization_id=OuterRef("organization_id"),
        user_id=OuterRef("conversation__starter_id"),
        user__is_active=True,
    )
    return asker.values_list("role", flat=True)[:1]


def _take_up(work: Work) -> None:
    """Say how far the turn is: decided, for a run that asked, or about to be read for."""
    fields = ["claimed_at", "deadline_at"]
    if isinstance(work.recipient, Clarify):
        work.turn.decision = decision_as_json(work.recipient)
        fields.append("decision")
    states = [Turn.State.THINKING]
    if work.turn.decision is None and work.recipient is None:
        states.append(Turn.State.CHECKING_CONTEXT)
    _enter(work, states, fields)


def _find_recipient(work: Work) -> ForRun | Clarify | None:
    """The run that the message answers, or the question which of several it does; in doubt it is a turn like any other.

    None also where the runs cannot be read in time: the turn goes on, and its answer says so.
    """
    try:
        with time_limit(settings.SOURCE_TIMEOUT_SECONDS):
            return find_recipient(work.turn, work.actor)
    except (OperationalError, SourceLate) as error:
        logger.warning("Whether turn %s answers a run could not be read: %s", work.turn.id, error)
        return None


def _is_for_a_run(work: Work) -> bool:
    """Whether the message was an answer to a run that asked, and went to it."""
    return isinstance(work.recipient, ForRun) and _is_passed_on(work, work.recipient)


def _is_passed_on(work: Work, answer: ForRun) -> bool:
    try:
        with tenant(work.turn.organization_id):
            pass_to_run(work.turn, work.actor, answer.run_id, text=answer.text)
            queue.hold(work.claim)
    except Refused:  # it was answered, or it ended, a moment ago
        with tenant(work.turn.organization_id):
            _enter(work, (Turn.State.CHECKING_CONTEXT,))
        return False
    return True


def _think(work: Work) -> None:
    """Gather the brief, ask for the decision, and checkpoint it."""
    brief = _gather(work)
    started = time.monotonic()
    deltas = DeltaPublisher(work.turn)
    if work.claim.attempt > 1:
        deltas.reset()
    verdict = door.decide(
        brief=brief,
        caller=MeteredCaller(work.turn),
        remaining_seconds=work.remaining_seconds,
        # What is there at once is shown once: as the reply.
        on_text=deltas.feed if get_responder().is_language_model else None,
    )
    deltas.flush()
    _record(work.turn, verdict)
    work.turn.timings = work.turn.timings | {"decision": _since(started)}
    with tenant(work.turn.organization_id):
        _save(work, VERDICT_FIELDS)


def _record(turn: Turn, verdict: door.Verdict) -> None:
    turn.decision = decision_as_json(verdict.decision)
    turn.prompt = {"messages": [{"role": m.role, "text": m.text} for m in verdict.prompt.messages]}
    turn.prompt_version = verdict.prompt.version
    turn.rejected_refs = list(verdict.rejected_refs)
    turn.refusals = list(verdict.refusals)
    turn.edits = list(verdict.notes)
    turn.offer = offer_of(verdict.decision)
    turn.provider = verdict.provider
    turn.model = verdict.model
    turn.fallback = verdict.fallback


def _gather(work: Work) -> ContextBrief:
    started = time.monotonic()
    turn = work.turn

    brief = build_context(turn=turn, actor=work.actor, on_slow=partial(_announce_slow, turn))
    work.brief = brief
    turn.brief = brief_as_json(brief)
    turn.token_breakdown = dict(brief.token_breakdown)
    turn.timings = turn.timings | {"context": _since(started)}
    turn.message.preamble = brief.preamble
    with tenant(turn.organization_id):
        Message.objects.filter(id=turn.message_id).update(preamble=brief.preamble)
        _enter(work, (Turn.State.FINDING_CAPABILITY,), ("brief", "token_breakdown", "timings"))
    return brief


def _announce_slow(turn: Turn, source: SourceName) -> None:
    """Called from a thread of its own, whose connection nobody else closes. A hint waits for nobody."""
    try:
        with tenant(turn.organization_id):
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lock_timeout', %s, true)", [HINT_LOCK_TIMEOUT])
            publish_slow_source(turn, source)
    except DatabaseError:
        logger.info("Turn %s did not get to say that %s is slow.", turn.id, source)
    finally:
        connection.close()


def _commit(work: Work) -> Fold | None:
    """Write the reply and end the turn. What is to be folded into the summary is left to do; else the work ends too."""
    started = time.monotonic()
    turn = work.turn
    brief = work.brief or (brief_from_json(turn.brief) if turn.brief else None)
    decision = decision_from_json(turn.decision or {})
    if isinstance(decision, Delegate):
        with tenant(turn.organization_id):
            _enter(work, (Turn.State.PREPARING_TASK,))
    with tenant(turn.organization_id):
        committed = commit_reply(turn=turn, actor=work.actor, brief=brief, decision=decision)
        turn.reply = committed.reply
        turn.outcome = committed.outcome
        turn.state = committed.state
        turn.run_id = committed.run_id
        turn.finished_at = timezone.now()
        turn.timings = turn.timings | {"commit": _since(started), "total": _total_milliseconds(turn)}
        _write(work, ("reply", "outcome", "state", "run_id", "finished_at", "timings"))
        due = find_due(turn.conversation)
        if due is not None:
            queue.hold(work.claim)
        elif not queue.finish(work.claim):
            raise queue.LostLease(f"turn {turn.id} was taken over")
        committed.announce(turn)
    return due


def _summarise(work: Work, due: Fold) -> None:
    """The reply is written: whatever goes wrong here is tried again by the next turn."""
    try:
        fold_history(work.turn, work.claim, due)
    except queue.LostLease:
        raise
    except Exception:
        logger.exception("Conversation %s could not be summarised.", work.turn.conversation_id)


def _enter(work: Work, states: Sequence[Turn.State], fields: Sequence[str] = ()) -> None:
    """Go through ``states``, each of them announced."""
    work.turn.state = states[-1]
    _save(work, ("state", *fields))
    publish_states(work.turn, states)


def _save(work: Work, fields: Sequence[str]) -> None:
    """Write fields of an unfinished turn under our lease; raises LostLease otherwise."""
    _write(work, fields)
    queue.hold(work.claim)


def _write(work: Work, fields: Sequence[str]) -> None:
    values = {name: getattr(work.turn, name) for name in fields}
    if not Turn.objects.filter(id=work.turn.id).open().update(**values):
        raise queue.LostLease(f"turn {work.turn.id} has ended")


def _deadline() -> datetime.timedelta:
    return datetime.timedelta(seconds=settings.TURN_DEADLINE_SECONDS)


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _total_milliseconds(turn: Turn) -> int:
    return round((timezone.now() - turn.created_at).total_seconds() * 1000)
