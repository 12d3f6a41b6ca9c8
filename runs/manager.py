"""RunManager: the only way a run starts, ends, waits, or is answered. State changes; the engine works."""

import uuid
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from agencycore.errors import Refused
from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from runs.capabilities import Capability, check_input
from runs.limits import reserve_run
from runs.listeners import lock_run, lock_run_for, tell
from runs.models import Run
from runs.wording import run_state


@transaction.atomic
def start(
    *,
    actor: Actor,
    capability: Capability,
    message: str,
    values: Mapping[str, object],
    start_key: str,
    conversation_id: uuid.UUID | None = None,
    refs: Sequence[ResourceRef] = (),
) -> Run:
    """Queue a run of a published version with the goal ``{message, …values, refs}``.

    A second call with the same ``start_key`` returns the first run. Raises InvalidInput for values
    off the capability's schema and RunLimitReached where the organization's runs of today are spent.
    """
    check_input(capability.input_schema, values)
    known = Run.objects.filter(start_key=start_key).first()
    if known is not None:
        return known
    reserve_run(actor.organization_id)
    run = Run.objects.create(
        organization_id=actor.organization_id,
        version_id=capability.version_id,
        starter_id=actor.user_id,
        start_key=start_key,
        conversation_id=conversation_id,
        goal={**values, "message": message, "refs": [ref.as_json() for ref in refs]},
    )
    tell(run)
    return run


@transaction.atomic
def cancel(*, actor: Actor, run_id: uuid.UUID) -> tuple[Run, bool]:
    """Stop a live run; the flag is False where it had ended before. Raises NotFound."""
    run = lock_run_for(actor, run_id)
    if not run.is_live:
        return run, False
    _cancel(run, actor)
    return run, True


@transaction.atomic
def cancel_all(*, actor: Actor, conversation_id: uuid.UUID) -> list[Run]:
    """Stop the person's live runs of a conversation; all of them are locked before any is told of."""
    live = Run.objects.visible_to(actor).live().filter(conversation_id=conversation_id)
    locked = live.select_for_update(of=("self",)).select_related("version__definition").order_by("id")
    runs = list(locked)
    for run in runs:
        _cancel(run, actor)
    return runs


@transaction.atomic
def reply(*, actor: Actor, run_id: uuid.UUID, text: str, message_id: uuid.UUID) -> Run:
    """Hand a person's answer to the run that asked; it goes on. Raises NotFound, and Refused if none was asked."""
    run = lock_run_for(actor, run_id)
    if not run.is_live:
        raise Refused(f"{run.version.definition.name} takes no answer any more: that run has ended ({run_state(run)}).")
    if run.waiting_for != Run.WaitingFor.CUSTOMER_ASK:
        raise Refused("That run is not waiting for an answer.")
    run.answers = [*run.answers, {"question": run.question, "text": text, "message": str(message_id)}]
    run.question = ""
    _move(run, Run.State.RUNNING, "answers", "question")
    tell(run)
    return run


@transaction.atomic
def ask(*, run_id: uuid.UUID, question: str) -> Run:
    """Let a live run wait for a person's answer."""
    run = _lock_live(run_id)
    run.question = question
    _move(run, Run.State.WAITING, "question", waiting_for=Run.WaitingFor.CUSTOMER_ASK)
    tell(run, asked=True)
    return run


@transaction.atomic
def enter_step(*, run_id: uuid.UUID, step: str) -> Run:
    """Mark the step a live run works on, by its name in the definition."""
    run = _lock_live(run_id)
    run.step = step
    run.started_at = run.started_at or timezone.now()
    _move(run, Run.State.RUNNING, "step", "started_at")
    tell(run)
    return run


@transaction.atomic
def succeed(*, run_id: uuid.UUID, result: Mapping[str, object], refs: Sequence[ResourceRef]) -> Run:
    """End a live run with its result; ``result["text"]`` is what it has to say."""
    run = _lock_live(run_id)
    run.result = dict(result)
    run.result_refs = [ref.as_json() for ref in refs]
    _move(run, Run.State.SUCCEEDED, "result", "result_refs")
    tell(run)
    return run


@transaction.atomic
def fail(*, run_id: uuid.UUID, code: str, text: str) -> Run:
    """End a live run that cannot go on; ``text`` says why in product words."""
    run = _lock_live(run_id)
    run.failure_code, run.failure_text = code, text
    _move(run, Run.State.FAILED, "failure_code", "failure_text")
    tell(run)
    return run


def _cancel(run: Run, actor: Actor) -> None:
    run.cancelled_by_id = actor.user_id
    _move(run, Run.State.CANCELLED, "cancelled_by_id")
    tell(run)


def _lock_live(run_id: uuid.UUID) -> Run:
    run = lock_run(run_id)
    if not run.is_live:
        raise Refused("That run has ended.")
    return run


def _move(run: Run, state: Run.State, *fields: str, waiting_for: str = "") -> None:
    run.state, run.waiting_for = state, waiting_for
    if not run.is_live:
        run.ended_at = timezone.now()
    run.save(update_fields=["state", "waiting_for", "ended_at", *fields])
