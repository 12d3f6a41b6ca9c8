"""What an organization has used of its day, and the page that says so."""

import datetime
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from pytest_django import Settings

from agencycore.ai.types import CallOwner, ModelReply, Usage
from agencycore.identifiers import new_id
from agencycore.tenancy import tenant
from organizations.ledger import reserve, settle
from organizations.limits import DayUsage, day_end, usage_today
from organizations.models import ModelCall, Organization
from tests.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _counted_runs(settings: Settings) -> None:
    settings.DAY_RUN_COUNTER = f"{__name__}.two_runs"


def two_runs(organization: Organization) -> int:
    return 2


def spend(organization: Organization, tokens: int) -> ModelCall:
    call = set_aside(organization, tokens)
    settle(call, ModelReply("{}", "complete", Usage(tokens - 10, 5, 10), "openai", "gpt-test"))
    return call


def set_aside(organization: Organization, tokens: int) -> ModelCall:
    owner = CallOwner(organization.id, new_id(), "decision")
    return reserve(owner=owner, provider="openai", model="gpt-test", tokens=tokens, timeout_seconds=60)


def test_the_day_is_what_was_spent_and_what_is_set_aside(organization: Organization):
    spend(organization, 1_500)
    set_aside(organization, 400)

    with tenant(organization.id):
        usage = usage_today(organization)

    assert usage == DayUsage(
        tokens_used=1_500,
        tokens_reserved=400,
        token_limit=2_000_000,
        runs_used=2,
        run_limit=200,
        resets_at=day_end(organization),
    )
    assert (usage.tokens_left, usage.runs_left) == (1_998_100, 198)


def test_nothing_left_is_never_less_than_nothing(organization: Organization):
    spend(organization, 1_500)
    organization.daily_token_limit, organization.daily_run_limit = 1_000, 1

    with tenant(organization.id):
        usage = usage_today(organization)

    assert (usage.tokens_left, usage.runs_left) == (0, 0)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_the_day_begins_at_midnight_of_the_organizations_own_clock(organization: Organization, zone: str):
    Organization.objects.filter(id=organization.id).update(time_zone=zone)
    organization.refresh_from_db()
    midnight = timezone.now().astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    before, after = spend(organization, 100), spend(organization, 1_000)
    with tenant(organization.id):
        ModelCall.objects.filter(id=before.id).update(created_at=midnight - datetime.timedelta(seconds=1))
        ModelCall.objects.filter(id=after.id).update(created_at=midnight)

        assert usage_today(organization).tokens_used == 1_000


def test_a_day_ends_at_the_next_midnight_also_when_the_clock_is_changed(
    organization: Organization, monkeypatch: pytest.MonkeyPatch
):
    organization.time_zone = "Europe/Oslo"
    monkeypatch.setattr(timezone, "now", lambda: datetime.datetime(2026, 10, 25, 12, tzinfo=datetime.UTC))

    # The day of 25 hours: from 22:00 to 23:00 UTC.
    assert day_end(organization).astimezone(datetime.UTC) == datetime.datetime(2026, 10, 25, 23, tzinfo=datetime.UTC)


def test_members_see_what_their_organization_used(owner: Person):
    spend(owner.organization, 1_500)
    set_aside(owner.organization, 400)

    page = owner.client.get("/limits/").content.decode()

    assert "1,500" in page
    assert "1,998,100 left; 400 set aside" in page
    assert "2 <span" in page
    assert "are used up" not in page


def test_members_are_told_when_the_day_is_spent(owner: Person):
    Organization.objects.filter(id=owner.organization.id).update(daily_token_limit=1_000, daily_run_limit=2)
    spend(owner.organization, 1_000)

    page = owner.client.get("/limits/").content.decode()

    assert "Today’s model tokens are used up." in page
    assert "Today’s runs are used up." in page


def test_a_stranger_sees_their_own_organizations_day(owner: Person, stranger: Person):
    spend(owner.organization, 1_500)

    page = stranger.client.get("/limits/").content.decode()

    assert "Birch" in page
    assert "1,500" not in page
    assert "2,000,000 left" in page


def test_the_page_asks_for_a_log_in(client):
    response = client.get("/limits/")

    assert (response.status_code, response["Location"]) == (302, "/login/?next=/limits/")
