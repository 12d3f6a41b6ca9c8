"""The ledger of model calls: reserved before, settled after, summed once."""

import datetime
import logging
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agencycore.ai.scripted import ScriptedResponder
from agencycore.ai.types import CallOwner, ModelError, ModelReply, Purpose, Usage
from agencycore.identifiers import new_id
from agencycore.tenancy import tenant
from organizations.ledger import DayLimitReached, fail, metered, record_usage, reserve, settle
from organizations.models import ModelCall, Organization, UsageRecord
from tests.agencycore.ai.requests import decision_request
from tests.people import Person

pytestmark = pytest.mark.django_db

REPLY = ModelReply("{}", "complete", Usage(900, 400, 100), "openai", "gpt-test-2026-01-01", "call_123")
TIMED_OUT = ModelError("timeout", "Slow.", retryable=True, reached_vendor=True, usage=Usage(input=700))
REFUSED = ModelError("unreachable", "Down.", retryable=True, reached_vendor=False, usage=Usage(input=700))


def owner_of(organization: Organization, purpose: Purpose = "decision") -> CallOwner:
    return CallOwner(organization.id, new_id(), purpose)


def reserve_tokens(owner: CallOwner, tokens: int = 1_000, *, is_repair: bool = False) -> ModelCall:
    return reserve(
        owner=owner, provider="openai", model="gpt-test", tokens=tokens, timeout_seconds=60, is_repair=is_repair
    )


def stored(call: ModelCall) -> ModelCall:
    with tenant(call.organization_id):
        return ModelCall.objects.get(id=call.id)


def test_a_call_is_a_row_before_it_is_made(organization: Organization):
    owner = owner_of(organization)
    before = timezone.now()

    call = stored(reserve_tokens(owner, is_repair=True))

    assert (call.owner_id, call.purpose, call.provider, call.model) == (
        owner.owner_id,
        "decision",
        "openai",
        "gpt-test",
    )
    assert (call.state, call.reserved_tokens, call.is_repair, call.settled_at) == ("reserved", 1_000, True, None)
    assert before + datetime.timedelta(seconds=90) <= call.expires_at <= timezone.now() + datetime.timedelta(seconds=90)


def test_a_reply_settles_its_call_with_what_it_cost(organization: Organization):
    call = reserve_tokens(owner_of(organization))

    settle(call, REPLY)

    row = stored(call)
    assert (row.state, row.input_tokens, row.cached_input_tokens, row.output_tokens) == ("settled", 900, 400, 100)
    assert (row.model, row.request_id, row.error_code) == ("gpt-test-2026-01-01", "call_123", "")
    assert row.settled_at is not None


def test_what_a_vendor_says_of_itself_is_made_to_fit_the_columns(organization: Organization):
    call = reserve_tokens(owner_of(organization))

    settle(call, ModelReply("", "empty", Usage(10**12, 10**12, 10**12), "p\0" * 500, "m\n" * 500, "\ud800r" * 500))

    row = stored(call)
    assert (row.provider, row.model, row.request_id) == ("p" * 40, "m" * 120, "r" * 120)
    assert (row.input_tokens, row.cached_input_tokens, row.output_tokens) == (100_000_000,) * 3


@pytest.mark.parametrize(("error", "tokens"), [(TIMED_OUT, 700), (REFUSED, 0)], ids=["reached", "never reached"])
def test_a_failed_call_costs_what_it_may_have_cost(organization: Organization, error: ModelError, tokens: int):
    call = reserve_tokens(owner_of(organization))

    fail(call, error)

    row = stored(call)
    assert (row.state, row.error_code, row.input_tokens, row.output_tokens) == ("failed", error.code, tokens, 0)


def test_a_closed_row_stays_as_it_was(organization: Organization, caplog: pytest.LogCaptureFixture):
    call = reserve_tokens(owner_of(organization))
    fail(call, TIMED_OUT)

    with caplog.at_level(logging.WARNING):
        settle(call, REPLY)

    assert (stored(call).state, stored(call).input_tokens) == ("failed", 700)
    assert caplog.messages == [f"Model call {call.id} ended after its row was closed"]


def test_reserving_inside_a_transaction_is_refused(transactional_db: None):
    organization = Organization.objects.create(slug="acorn", name="Acorn")

    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        reserve_tokens(owner_of(organization))


# --- metered ---------------------------------------------------------------------------------


def ask(organization: Organization, responder: ScriptedResponder, tokens: int = 1_000) -> ModelReply:
    return metered(
        owner=owner_of(organization),
        responder=responder,
        tokens=tokens,
        timeout_seconds=60,
        call=lambda: responder.decide(decision_request()),
    )


def only_call(organization: Organization) -> ModelCall:
    with tenant(organization.id):
        return ModelCall.objects.get()


def test_a_metered_reply_is_settled(organization: Organization):
    assert ask(organization, ScriptedResponder([REPLY])) == REPLY

    row = only_call(organization)
    assert (row.state, row.reserved_tokens, row.input_tokens, row.output_tokens) == ("settled", 1_000, 900, 100)


def test_a_metered_error_is_recorded_and_raised(organization: Organization):
    with pytest.raises(ModelError) as caught:
        ask(organization, ScriptedResponder([TIMED_OUT]))

    assert caught.value is TIMED_OUT
    assert (only_call(organization).state, only_call(organization).error_code) == ("failed", "timeout")


def test_an_error_of_ours_counts_what_was_reserved(organization: Organization):
    with pytest.raises(AssertionError):
        ask(organization, ScriptedResponder())

    row = only_call(organization)
    assert (row.state, row.error_code, row.input_tokens) == ("failed", "broken_off", 1_000)


def test_no_call_is_made_over_the_day_limit(organization: Organization):
    responder = ScriptedResponder([REPLY])

    with pytest.raises(DayLimitReached) as caught:
        ask(organization, responder, tokens=2_000_001)

    assert (caught.value.code, caught.value.retryable, caught.value.reached_vendor) == ("limit", False, False)
    assert str(caught.value) == "Acorn has used its 2,000,000 model tokens of today."
    assert responder.requests == []
    with tenant(organization.id):
        assert ModelCall.objects.count() == 0


def test_a_responder_that_is_no_language_model_reserves_nothing_and_knows_no_limit(organization: Organization):
    Organization.objects.filter(id=organization.id).update(daily_token_limit=0)
    responder = ScriptedResponder([ModelReply("{}", "complete", Usage(), "builtin", "features", "")])
    responder.is_language_model = False

    ask(organization, responder)

    row = only_call(organization)
    assert (row.state, row.reserved_tokens, row.input_tokens) == ("settled", 0, 0)


# --- The day limit ---------------------------------------------------------------------------


def limit_to(organization: Organization, tokens: int) -> None:
    Organization.objects.filter(id=organization.id).update(daily_token_limit=tokens)


def test_the_last_token_of_the_day_may_be_reserved(organization: Organization):
    limit_to(organization, 3_000)
    settle(reserve_tokens(owner_of(organization)), REPLY)
    reserve_tokens(owner_of(organization), 1_000)

    reserve_tokens(owner_of(organization), 1_000)

    with pytest.raises(DayLimitReached):
        reserve_tokens(owner_of(organization), 1)


def test_settling_gives_back_what_was_not_used(organization: Organization):
    limit_to(organization, 3_000)
    call = reserve_tokens(owner_of(organization), 3_000)

    settle(call, REPLY)

    assert reserve_tokens(owner_of(organization), 2_000).reserved_tokens == 2_000


def test_a_reservation_that_was_never_settled_stops_counting(organization: Organization):
    limit_to(organization, 1_000)
    call = reserve_tokens(owner_of(organization))
    with tenant(organization.id):
        ModelCall.objects.filter(id=call.id).update(expires_at=timezone.now())

    assert reserve_tokens(owner_of(organization)).reserved_tokens == 1_000


def test_yesterday_does_not_count(organization: Organization):
    limit_to(organization, 1_000)
    call = reserve_tokens(owner_of(organization))
    settle(call, REPLY)
    with tenant(organization.id):
        ModelCall.objects.filter(id=call.id).update(created_at=timezone.now() - datetime.timedelta(days=1))

    assert reserve_tokens(owner_of(organization)).reserved_tokens == 1_000


def test_another_organizations_calls_do_not_count(organization: Organization, other_organization: Organization):
    limit_to(organization, 1_000)
    reserve_tokens(owner_of(other_organization), 5_000)

    assert reserve_tokens(owner_of(organization)).reserved_tokens == 1_000


@pytest.mark.parametrize("tokens", [0, 1])
def test_a_limit_of_zero_allows_only_what_costs_nothing(organization: Organization, tokens: int):
    limit_to(organization, 0)

    if tokens:
        with pytest.raises(DayLimitReached):
            reserve_tokens(owner_of(organization), tokens)
    else:
        assert reserve_tokens(owner_of(organization), tokens).reserved_tokens == 0


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_spend_exactly_the_limit():
    organization = Organization.objects.create(slug="acorn", name="Acorn", daily_token_limit=3_500)

    def spend(_: int) -> bool:
        try:
            call = reserve_tokens(owner_of(organization))
        except DayLimitReached:
            return False
        else:
            settle(call, REPLY)
            return True
        finally:
            connection.close()

    with ThreadPoolExecutor(16) as pool:
        spent = list(pool.map(spend, range(50)))

    # Each costs the 1,000 it reserves, and half a call is none.
    assert spent.count(True) == 3
    with tenant(organization.id):
        assert ModelCall.objects.count() == 3


# --- The usage row ---------------------------------------------------------------------------


def usage_of(owner: CallOwner, person: Person) -> UsageRecord:
    with tenant(owner.organization_id):
        record_usage(owner=owner, user_id=person.user.id, provider="openai", model="gpt-test")
        return UsageRecord.objects.get(owner_id=owner.owner_id, purpose=owner.purpose)


def counts(record: UsageRecord) -> tuple[int, int, int, int]:
    return record.calls, record.input_tokens, record.cached_input_tokens, record.output_tokens


def test_the_usage_row_sums_the_calls_of_its_owner(owner: Person):
    turn = owner_of(owner.organization)
    settle(reserve_tokens(turn), REPLY)
    fail(reserve_tokens(turn), TIMED_OUT)
    settle(reserve_tokens(turn, is_repair=True), REPLY)
    settle(reserve_tokens(owner_of(owner.organization)), REPLY)
    settle(reserve_tokens(CallOwner(turn.organization_id, turn.owner_id, "summary")), REPLY)

    record = usage_of(turn, owner)

    assert counts(record) == (3, 2_500, 800, 200)
    assert (record.organization_id, record.user_id, record.owner_id) == (
        owner.organization.id,
        owner.user.id,
        turn.owner_id,
    )
    assert (record.purpose, record.provider, record.model) == ("decision", "openai", "gpt-test")


def test_a_call_that_never_reached_the_vendor_leaves_a_zero_row(owner: Person):
    turn = owner_of(owner.organization)
    fail(reserve_tokens(turn), REFUSED)

    assert counts(usage_of(turn, owner)) == (1, 0, 0, 0)


def test_no_call_at_all_leaves_a_zero_row(owner: Person):
    assert counts(usage_of(owner_of(owner.organization), owner)) == (0, 0, 0, 0)


def test_there_is_one_usage_row_however_often_it_is_recorded(owner: Person):
    turn = owner_of(owner.organization)
    settle(reserve_tokens(turn), REPLY)

    first, second = usage_of(turn, owner), usage_of(turn, owner)

    assert first.id == second.id
    with tenant(owner.organization.id):
        assert UsageRecord.objects.count() == 1


def test_a_call_whose_worker_died_is_closed_as_lost(owner: Person):
    turn = owner_of(owner.organization)
    lost = reserve_tokens(turn)
    settle(reserve_tokens(turn), REPLY)

    assert counts(usage_of(turn, owner)) == (2, 900, 400, 100)

    assert (stored(lost).state, stored(lost).error_code, stored(lost).input_tokens) == ("failed", "lost", 0)


def test_a_stranger_sees_no_call_and_no_usage(owner: Person, stranger: Person):
    turn = owner_of(owner.organization)
    settle(reserve_tokens(turn), REPLY)
    usage_of(turn, owner)

    with tenant(stranger.organization.id):
        assert ModelCall.objects.count() == 0
        assert UsageRecord.objects.count() == 0


def test_an_organization_that_does_not_exist_reserves_nothing(db: None):
    with pytest.raises(Organization.DoesNotExist):
        reserve_tokens(CallOwner(uuid.uuid4(), new_id(), "decision"))
