"""The one terminal report of a run, written back to the conversation that asked for the work.

Read → ask a model, once, outside any transaction → write. Once the report stands, nothing is read or
paid again; whatever goes wrong before that, the person gets a report.
"""

import logging
import uuid
from dataclasses import dataclass

from django.conf import settings

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.output_limits import prose_output_tokens
from agencycore.ai.ports import get_responder
from agencycore.ai.types import CallOwner, ModelError, ModelReply, ReportRequest
from agencycore.dispatch import queue
from agencycore.dispatch.work import carry
from agencycore.refs import read_refs
from agencycore.tenancy import Actor, tenant
from chat.context.tokens import count_tokens
from chat.outcomes import citation_of
from chat.report_text import ReportText, build_request, checked_text, fallback_text
from chat.run_events import REPORT_KIND, REPORTED, find_handoff, lock_conversation_of, publish_message
from conversations import scope
from conversations.actions import put_report
from conversations.models import Message
from organizations.ledger import metered, record_usage
from organizations.models import Membership
from runs.listeners import lock_run
from runs.models import Run

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Due:
    """A report that is to be written. ``actor`` is None where the run's starter is no member any more."""

    run: Run
    actor: Actor | None
    request: ReportRequest


@dataclass(frozen=True, slots=True)
class Written:
    """A report's words and who wrote them."""

    report: ReportText
    provider: str
    model: str


def process_report(*, organization_id: uuid.UUID, run_id: uuid.UUID, claim: queue.Claim | None = None) -> None:
    """Write the report of an ended run. Does nothing if it stands, is not due, or another process is at it."""
    held = claim or queue.claim(kind=REPORT_KIND, object_id=run_id, deadline_seconds=settings.TURN_DEADLINE_SECONDS)
    if held is None or held.organization_id != organization_id:
        return
    carry(held, _carry_out)


def give_up(*, organization_id: uuid.UUID, object_id: uuid.UUID) -> None:
    """Close the loop without a model: out of attempts or past the deadline, a report is still owed."""
    with tenant(organization_id):
        due = find_due(object_id)
        if due is not None:
            _keep(due, _without_model(due.request))
        queue.withdraw(kind=REPORT_KIND, object_id=object_id)


def find_due(run_id: uuid.UUID) -> Due | None:
    """What is needed to report on a run; None where there is nothing to report, nowhere, or it was done."""
    runs = Run.objects.select_related("version__definition", "cancelled_by")
    run = runs.filter(id=run_id, state__in=REPORTED).first()
    if run is None or find_handoff(run) is None or _find_report(run) is not None:
        return None
    actor = _find_starter(run)
    return Due(run, actor, build_request(run, actor, settings.MODEL_TIMEOUT_SECONDS))


def _carry_out(held: queue.Claim) -> None:
    with tenant(held.organization_id):
        due = find_due(held.object_id)
    if due is not None:
        written = _write(due)
        with tenant(held.organization_id):
            _keep(due, written)
            queue.hold(held)
    queue.finish(held)


def _write(due: Due) -> Written:
    """One model call; without it, or without a usable word of it, the deterministic report."""
    if due.actor is None:
        return _without_model(due.request)
    try:
        reply = _ask(due.run, due.request)
    except ModelError as error:
        logger.warning("No model wrote the report of run %s: %s", due.run.id, error)
        return _without_model(due.request)
    report = checked_text(reply, due.request)
    return Written(report, reply.provider, reply.model) if report else _without_model(due.request)


def _ask(run: Run, request: ReportRequest) -> ModelReply:
    responder = get_responder()
    return metered(
        owner=_owner(run),
        responder=responder,
        tokens=_estimate(request),
        timeout_seconds=request.timeout_seconds,
        call=lambda: responder.report(request),
    )


def _without_model(request: ReportRequest) -> Written:
    return Written(fallback_text(request), BuiltinResponder.name, BuiltinResponder.model)


def _keep(due: Due, written: Written) -> None:
    """The report, the scope and the usage row in the caller's transaction: run, then conversation, then the rest."""
    run = lock_run(due.run.id)
    conversation = lock_conversation_of(run)
    record_usage(owner=_owner(run), user_id=run.starter_id, provider=written.provider, model=written.model)
    handoff = find_handoff(run) if conversation else None
    if conversation is None or handoff is None or handoff.in_reply_to is None:
        return
    report = put_report(
        conversation=conversation,
        in_reply_to=handoff.in_reply_to,
        text=written.report.text,
        citations=[citation_of(source) for source in written.report.citations],
        run_id=run.id,
    )
    found = read_refs(due.actor, run.results) if due.actor else []
    scope.add_run_result(conversation=conversation, refs=[projection.ref for projection in found])
    publish_message(report)


def _find_report(run: Run) -> Message | None:
    return Message.objects.filter(run_id=run.id, kind=Message.Kind.REPORT).first()


def _find_starter(run: Run) -> Actor | None:
    if run.starter_id is None:
        return None
    membership = Membership.objects.filter(
        organization_id=run.organization_id, user_id=run.starter_id, user__is_active=True
    ).first()
    return membership.actor if membership else None


def _owner(run: Run) -> CallOwner:
    return CallOwner(organization_id=run.organization_id, owner_id=run.id, purpose="report")


def _estimate(request: ReportRequest) -> int:
    size = count_tokens(request.question) + count_tokens(request.result)
    size += sum(source.tokens for source in request.sources)
    return size + prose_output_tokens(request.max_tokens)
