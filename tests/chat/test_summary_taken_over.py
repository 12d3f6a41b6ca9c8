"""A worker that dies while it summarises a finished turn: its call is given up when the turn is taken over."""

import pytest
from django.utils import timezone

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer
from agencycore.dispatch.models import Dispatch
from agencycore.tenancy import tenant
from organizations.limits import tokens_of_day
from organizations.models import ModelCall, UsageRecord
from tests.chat.turning import expire_lease, reread, send, work_on

pytestmark = pytest.mark.django_db

UNKNOWN = WireAnswer(outcome="answer", citations=[], unresolved=["The vault"], offer="", text="Not known here.")


class Killed(BaseException):
    """As kill -9: nothing of ours catches it."""


def die(_: object) -> str:
    raise Killed


@pytest.fixture
def taken_over(owner, monkeypatch):
    monkeypatch.setattr("chat.summary.KEPT_MESSAGES", 1)
    monkeypatch.setattr("chat.summary.MESSAGES_BEYOND", 1)
    turn = send(owner, "What is kept in the vault?")
    with playing([UNKNOWN]) as model:
        monkeypatch.setattr(model, "summarise", die)
        with pytest.raises(Killed):
            work_on(turn)
    expire_lease(turn)
    return turn


def reserved(turn) -> int:
    with tenant(turn.organization_id):
        return tokens_of_day(turn.organization, timezone.now()).reserved


def test_its_reservation_ends_with_the_takeover(taken_over):
    assert reserved(taken_over) > 0

    work_on(taken_over)

    assert reserved(taken_over) == 0
    with tenant(taken_over.organization_id):
        call = ModelCall.objects.get(purpose="summary")
        usage = UsageRecord.objects.get(purpose="summary")
    assert (call.state, call.error_code) == ("failed", "lost")
    assert (usage.owner_id, usage.calls, usage.input_tokens) == (taken_over.id, 1, 0)
    assert reread(taken_over).state == "answered"
    assert not Dispatch.objects.exists()


def test_a_finished_turn_that_had_no_summary_gets_no_usage_row_for_one(owner):
    with playing([UNKNOWN]):
        turn = work_on(send(owner, "What is kept in the vault?"))

    work_on(turn)

    with tenant(turn.organization_id):
        assert list(UsageRecord.objects.values_list("purpose", flat=True)) == ["decision"]
