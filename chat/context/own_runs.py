"""The runs a message may be about: this conversation's, then the actor's others. Teammates' never."""

import uuid
import zoneinfo
from dataclasses import dataclass
from typing import cast

from django.db.models import Case, Q, QuerySet, When

from agencycore.refs import Projection, ResourceRef
from agencycore.tenancy import Actor
from chat.context.run_reference import RunFact, RunState
from runs.models import Run
from runs.readers import project_runs

RUNS_READ = 8


@dataclass(frozen=True, slots=True)
class OwnRun:
    """One run as the reader tells it, with what decides whether a message means it.

    ``refs`` are the records it began with, ``started`` is the moment in its organization's time, in words.
    """

    fact: RunFact
    projection: Projection
    waiting_for: str
    question: str
    started: str = ""
    refs: tuple[ResourceRef, ...] = ()

    @property
    def is_live(self) -> bool:
        return self.fact.state in ("queued", "running", "waiting")


def load_runs(actor: Actor, conversation_id: uuid.UUID) -> tuple[OwnRun, ...]:
    """Live and recent runs, the conversation's first, newest first: two statements, and one per kind of result."""
    mine = Run.objects.filter(organization_id=actor.organization_id, starter_id=actor.user_id)
    # Many people have none: that is asked without the joins of the list.
    if not mine.exists():
        return ()
    here = _newest(mine.filter(conversation_id=conversation_id))
    others = _newest(mine.exclude(conversation_id=conversation_id))
    found = Run.objects.filter(Q(id__in=here) | Q(id__in=others))
    found = found.select_related("organization", "version__definition", "cancelled_by")
    newest = sorted(found, key=lambda run: (run.created_at, run.id), reverse=True)
    runs = sorted(newest, key=lambda run: run.conversation_id != conversation_id)
    projections = project_runs(actor, runs)
    return tuple(_own_run(run, told, conversation_id) for run, told in zip(runs, projections, strict=True))


def _newest(runs: QuerySet[Run]) -> QuerySet[Run, uuid.UUID]:
    """Those that are live before those that have ended: a run that works is never pushed out by what is over."""
    is_over = Case(When(state__in=Run.LIVE, then=0), default=1)
    return runs.order_by(is_over, "-created_at", "-id").values_list("id", flat=True)[:RUNS_READ]


def _own_run(run: Run, projection: Projection, conversation_id: uuid.UUID) -> OwnRun:
    fact = RunFact(
        ref=ResourceRef("run", str(run.id), projection.title),
        definition=run.version.definition.name,
        goal=str(run.goal.get("message", "")),
        state=cast(RunState, run.state),
        changed_at=run.ended_at or run.started_at or run.created_at,
        is_of_conversation=run.conversation_id == conversation_id,
    )
    started = run.created_at.astimezone(zoneinfo.ZoneInfo(run.organization.time_zone))
    return OwnRun(fact, projection, run.waiting_for, run.question, f"{started:%-d %B, %H:%M}", _begun_with(run))


def _begun_with(run: Run) -> tuple[ResourceRef, ...]:
    stored = run.goal.get("refs")
    rows = stored if isinstance(stored, list) else []
    return tuple(ResourceRef(str(row["kind"]), str(row["id"])) for row in rows if isinstance(row, dict))
