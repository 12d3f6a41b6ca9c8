"""A run that works is told however many have ended since."""

from django.utils import timezone

from agencycore.tenancy import tenant
from chat.context.own_runs import RUNS_READ
from runs.models import Run
from tests.chat.context.talk import Talk
from tests.people import Person
from tests.runs.definitions import publish_definition


def test_a_live_run_is_not_pushed_out_by_newer_ones_that_ended(owner: Person) -> None:
    with tenant(owner.organization.id):
        version = publish_definition(owner.organization, "signals").versions.get()
        common = {"organization": owner.organization, "version": version, "starter": owner.user}
        live = Run.objects.create(**common, start_key="live", goal={"message": "in Norway"}, state="queued")
        for number in range(2 * RUNS_READ):
            Run.objects.create(
                **common,
                start_key=f"over-{number}",
                goal={"message": "elsewhere"},
                state="succeeded",
                ended_at=timezone.now(),
                result={"text": "Found 3 companies."},
            )

    brief = Talk(owner).ask("What is running?")

    told = brief.of("runs")
    assert len(told) == RUNS_READ
    assert [item.id for item in told if item.payload["live"]] == [str(live.id)]
    assert all("Found 3 companies." in item.text for item in told if not item.payload["live"])
