"""Who is told when a run changes: the port through which the rooms above hear of runs."""

import uuid
from functools import cache
from typing import Protocol

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from agencycore.errors import NotFound
from agencycore.tenancy import Actor
from runs.models import Run


class RunListener(Protocol):
    """Hears of runs inside the transaction that changes them, so it writes in the same breath.

    ``RUN_LISTENERS`` in the settings lists the listeners in use. An error of a listener undoes the
    change it was told of. ``run_asked`` is told of a question, ``run_ended`` of every end.
    """

    def run_moved(self, run: Run) -> None: ...

    def run_asked(self, run: Run) -> None: ...

    def run_ended(self, run: Run) -> None: ...


@cache
def listeners() -> tuple[RunListener, ...]:
    return tuple(import_string(path)() for path in settings.RUN_LISTENERS)


def lock_run(run_id: uuid.UUID) -> Run:
    """The run's row, locked to the end of the transaction: the first lock of every change to it. Raises NotFound."""
    return _lock(Run.objects.filter(id=run_id))


def lock_run_for(actor: Actor, run_id: uuid.UUID) -> Run:
    """As ``lock_run``, for the person who asks."""
    return _lock(Run.objects.visible_to(actor).filter(id=run_id))


def _lock(runs: QuerySet[Run]) -> Run:
    run = runs.select_for_update(of=("self",)).select_related("version__definition").first()
    if run is None:
        raise NotFound("This run does not exist.")
    return run


def tell(run: Run, *, asked: bool = False) -> None:
    for listener in listeners():
        listener.run_moved(run)
        if asked:
            listener.run_asked(run)
        if not run.is_live:
            listener.run_ended(run)
