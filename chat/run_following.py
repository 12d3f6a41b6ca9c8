"""Seeing a run through from a command: until it ends or waits for somebody, with its report."""

import time
import uuid

from django.utils import timezone

from agencycore.celery import app
from agencycore.dispatch.models import Dispatch
from agencycore.tenancy import tenant
from chat.reports import process_report
from chat.run_events import REPORT_KIND
from runs.models import Run

# The dispatch kind of a run that is being worked on.
RUN_KIND = "run"
POLL_SECONDS = 0.5
PING_SECONDS = 1.0


def see_through(*, organization_id: uuid.UUID, run_id: uuid.UUID) -> Run:
    """The run as it stands when nothing more is to be waited for; the report of an ended one is written.

    One that is still live then waits for a person, or nobody is working on it.
    """
    while _is_queued(RUN_KIND, run_id):
        time.sleep(POLL_SECONDS)
    while _is_queued(REPORT_KIND, run_id):
        process_report(organization_id=organization_id, run_id=run_id)
        if _is_queued(REPORT_KIND, run_id):
            time.sleep(POLL_SECONDS)
    with tenant(organization_id):
        return Run.objects.select_related("version__definition").get(id=run_id)


def is_any_worker_alive() -> bool:
    """Whether a worker answers within a second; no broker, no worker."""
    try:
        return bool(app.control.ping(timeout=PING_SECONDS))
    except Exception:  # whatever the broker's client raises
        return False


def _is_queued(kind: str, object_id: uuid.UUID) -> bool:
    """Whether somebody may still do that work: it is due and not past its deadline."""
    row = Dispatch.objects.filter(kind=kind, object_id=object_id).first()
    return row is not None and (row.deadline_at is None or row.deadline_at > timezone.now())
