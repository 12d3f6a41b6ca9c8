"""Handing work to a run, and stopping one: the two outcomes that reach beyond the conversation."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from agencycore.ai.asked import asks_for_work, questions_beside_work
from agencycore.ai.beside_stop import asks_beside_stop
from agencycore.errors import ProductError
from agencycore.refs import ResourceRef, read_refs
from agencycore.tenancy import Actor
from chat.frontdoor import speech
from chat.frontdoor.decision import CitedSource, ControlRun, Delegate
from chat.frontdoor.goal import GOAL, REFS
from chat.models import Turn
from runs import manager
from runs.capabilities import get_capability
from runs.limits import RunLimitReached
from runs.models import Run
from runs.readers import project_runs
from runs.wording import run_state


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of a delegation or a stop: the sentence to say, and the run it concerns.

    ``run`` is None where nothing was started. ``cited`` is the run as evidence of how it ended.
    """

    text: str
    run: Run | None
    unresolved: tuple[str, ...] = ()
    cited: CitedSource | None = None


def start_work(turn: Turn, actor: Actor, decision: Delegate) -> Carried:
    """Start the run a turn decided on. A capability that is gone, or a spent limit, is a plain sentence."""
    try:
        capability = get_capability(actor, decision.capability)
        refs = _refs(decision.input.get(REFS))
        run = manager.start(
            actor=actor,
            capability=capability,
            message=str(decision.input.get(GOAL, turn.message.text)),
            values={name: value for name, value in decision.input.items() if name not in (GOAL, REFS)},
            start_key=f"turn:{turn.id}",
            conversation_id=turn.conversation_id,
            refs=refs,
        )
    except RunLimitReached:
        return _not_started(speech.runs_limit_reached(), turn)
    except ProductError:
        return _not_started(speech.capability_gone(decision.capability), turn)
    # "Run the first one" points at the capability itself.
    about = [ref for ref in refs if ref.key != ("definition", str(capability.definition_id))]
    labels = [projection.ref.label for projection in read_refs(actor, about)]
    handed = speech.handoff(capability.name, refs=labels)
    return Carried(" ".join([handed, *_left_over(turn.message.text, str(decision.input.get(GOAL, "")))]), run)


def _left_over(message: str, goal: str) -> list[str]:
    """What is said of a question that stands beside the work in ``message``; the goal may hold it."""
    questions = questions_beside_work(message)
    if not questions:
        return []
    return [speech.question_along(questions) if message in goal else speech.question_open(questions)]


def stop_work(turn: Turn, actor: Actor, decision: ControlRun) -> Carried:
    """Stop a run in the transaction that writes the reply; one that had ended is cited for how it ended.

    What the message asked beside it is named as open.
    """
    run, stopped = manager.cancel(actor=actor, run_id=uuid.UUID(decision.run_id))
    name = run.version.definition.name
    beside = asks_beside_stop(turn.message.text, [name])
    if stopped:
        told = speech.run_stopped(name, goal=str(run.goal.get("message", "")), step=run.step)
        return Carried(" ".join([told, *_open_beside(beside)]), run)
    ended = f"{speech.run_had_ended(name, run_state(run))} [1]"
    return Carried(" ".join([ended, *_open_beside(beside)]), None, cited=_cite(actor, run))


def _open_beside(asks: Sequence[str]) -> list[str]:
    """What is said of the asks that a stop leaves open."""
    work = [ask for ask in asks if asks_for_work(ask)]
    questions = [ask for ask in asks if ask not in work]
    return [*([speech.question_open(questions)] if questions else []), *([speech.work_open(work)] if work else [])]


def _not_started(sentence: str, turn: Turn) -> Carried:
    return Carried(sentence, None, unresolved=(speech.not_started(turn.message.text),))


def _cite(actor: Actor, run: Run) -> CitedSource:
    [projection] = project_runs(actor, [run])
    excerpt = "\n".join(f"{field.name}: {field.value}" for field in projection.fields)
    return CitedSource(
        marker=1,
        key="r1",
        kind="run",
        id=str(run.id),
        label=projection.ref.label,
        position="",
        excerpt=excerpt,
        claim="",
        url=projection.url,
        support=None,
        content_hash="",
    )


def _refs(stored: object) -> Sequence[ResourceRef]:
    rows = cast(Sequence[Mapping[str, str]], stored or ())
    return [ResourceRef(row["kind"], row["id"], row.get("label", "")) for row in rows]
