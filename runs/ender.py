"""The scripted ender: carries runs to where a script wants them, by the manager's own state changes.

For tests, soak runs and trials by hand. Each act is a transaction of its own, as each step of an
engine is.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from runs import manager
from runs.models import Run


@dataclass(frozen=True, slots=True)
class Enter:
    step: str


@dataclass(frozen=True, slots=True)
class Ask:
    question: str


@dataclass(frozen=True, slots=True)
class Succeed:
    text: str
    refs: tuple[ResourceRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Fail:
    """``text`` is for the person, ``code`` for whoever looks after the product."""

    text: str
    code: str = "scripted"


Act: TypeAlias = Enter | Ask | Succeed | Fail


def play(*acts: Act, organization_id: uuid.UUID, run_id: uuid.UUID) -> Run:
    """Carry a live run through ``acts``; raises NotFound, and Refused once it has ended."""
    for act in acts:
        with tenant(organization_id):
            run = _play_one(act, run_id)
    return run


def play_all(acts: Sequence[Act], *, organization_id: uuid.UUID) -> list[Run]:
    """Carry every queued run of the organization through ``acts``."""
    with tenant(organization_id):
        queued = Run.objects.filter(organization_id=organization_id, state=Run.State.QUEUED)
        run_ids = list(queued.order_by("created_at").values_list("id", flat=True))
    return [play(*acts, organization_id=organization_id, run_id=run_id) for run_id in run_ids]


def _play_one(act: Act, run_id: uuid.UUID) -> Run:
    match act:
        case Enter(step):
            return manager.enter_step(run_id=run_id, step=step)
        case Ask(question):
            return manager.ask(run_id=run_id, question=question)
        case Succeed(text, refs):
            return manager.succeed(run_id=run_id, result={"text": text}, refs=refs)
        case Fail(text, code):
            return manager.fail(run_id=run_id, code=code, text=text)
        case _:
            assert_never(act)
