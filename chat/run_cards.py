"""A run as its card shows it: what it is for, how far it is, and what its person can do."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agencycore.tenancy import Actor
from runs.models import Run
from runs.wording import run_label

StepState = Literal["done", "current", "failed", "todo"]


@dataclass(frozen=True, slots=True)
class ShownStep:
    name: str
    state: StepState


@dataclass(frozen=True, slots=True)
class RunCard:
    """``steps`` are those of the definition, or the one it is in where that names none."""

    run: Run
    name: str
    label: str
    goal: str
    steps: tuple[ShownStep, ...]

    @property
    def is_live(self) -> bool:
        return self.run.is_live

    @property
    def asks(self) -> bool:
        return self.run.waiting_for == Run.WaitingFor.CUSTOMER_ASK

    @property
    def failure(self) -> str:
        return self.run.failure_text if self.run.state == Run.State.FAILED else ""

    @property
    def was_stopped(self) -> bool:
        return self.run.state == Run.State.CANCELLED


def cards_of(actor: Actor, run_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, RunCard]:
    """Those the person may see; one statement, and none without ids."""
    wanted = set(run_ids)
    if not wanted:
        return {}
    runs = Run.objects.visible_to(actor).select_related("version__definition", "cancelled_by").filter(id__in=wanted)
    return {run.id: _card(run) for run in runs}


def _card(run: Run) -> RunCard:
    return RunCard(
        run=run,
        name=run.version.definition.name,
        label=run_label(run),
        goal=str(run.goal.get("message", "")),
        steps=_steps(run),
    )


def _steps(run: Run) -> tuple[ShownStep, ...]:
    names = _step_names(run.version.spec)
    if run.step not in names:
        return (ShownStep(run.step, _state_of_present(run)),) if run.step else _all(names, run)
    at = names.index(run.step)
    done = [ShownStep(name, "done") for name in names[:at]]
    after: StepState = "done" if run.state == Run.State.SUCCEEDED else "todo"
    later = [ShownStep(name, after) for name in names[at + 1 :]]
    return (*done, ShownStep(run.step, _state_of_present(run)), *later)


def _all(names: Sequence[str], run: Run) -> tuple[ShownStep, ...]:
    state: StepState = "done" if run.state == Run.State.SUCCEEDED else "todo"
    return tuple(ShownStep(name, state) for name in names)


def _state_of_present(run: Run) -> StepState:
    """Of the step that had begun: a stopped run's may have been done."""
    match run.state:
        case Run.State.SUCCEEDED:
            return "done"
        case Run.State.FAILED:
            return "failed"
        case _:
            return "current"


def _step_names(spec: Mapping[str, object]) -> list[str]:
    steps = spec.get("steps")
    if not isinstance(steps, list):
        return []
    return [str(step["name"]) for step in steps if isinstance(step, Mapping) and step.get("name")]
