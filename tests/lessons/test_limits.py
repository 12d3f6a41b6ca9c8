"""The day's tokens and runs: reserved before, settled after; a denial is a plain reply that everybody can explain."""

import threading

import pytest
from django.db import connections
from pytest_django import Settings

from agencycore.ai.scripted import SCRIPTED_USAGE, ScriptedResponder, playing
from agencycore.tenancy import tenant
from chat import tasks
from chat.frontdoor import speech
from organizations.models import ModelCall, Organization, UsageRecord
from runs.models import Run
from tests.chat.pipeline import Talk, delegate_to
from tests.chat.working import REQUEST, SIGNALS, publish_signals
from tests.lessons.desk import page_of, said
from tests.people import Person

QUESTION = "What is kept in the vault?"
UNKNOWN = said("That is not known here.", unresolved=("The vault",))
SPENT = SCRIPTED_USAGE.input + SCRIPTED_USAGE.output
PARALLEL = 12
AFFORDABLE = 3


def set_limits(person: Person, **limits: int) -> None:
    Organization.objects.filter(id=person.organization.id).update(**limits)


def calls(person: Person) -> list[ModelCall]:
    with tenant(person.organization.id):
        return list(ModelCall.objects.order_by("created_at"))


def cost_of_one(person: Person) -> int:
    """What one such turn reserves, found by one."""
    first = Talk(person, None)
    with playing([UNKNOWN]):
        first.work(first.post(QUESTION))
    [call] = calls(person)
    assert (call.state, call.input_tokens + call.output_tokens) == ("settled", SPENT)
    return call.reserved_tokens


@pytest.mark.django_db(transaction=True)
def test_parallel_turns_at_the_last_three_reservable_calls_spend_exactly_three(owner: Person, settings: Settings):
    settings.MESSAGES_PER_MINUTE = 1_000
    reserved = cost_of_one(owner)
    set_limits(owner, daily_token_limit=SPENT + AFFORDABLE * reserved + reserved - 1)
    talks = [Talk(owner, None) for _ in range(PARALLEL)]
    posted = [talk.post(QUESTION) for talk in talks]
    all_were_denied = threading.Event()
    denied = threading.Semaphore(0)

    def answer_last(_: object):
        """The model takes until every other turn has ended: nothing is given back meanwhile."""
        assert all_were_denied.wait(timeout=60)
        return UNKNOWN

    def work(turn) -> None:
        try:
            tasks.process_turn(str(turn.organization_id), str(turn.id))
            denied.release()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in posted]
    with playing(ScriptedResponder([answer_last] * PARALLEL)) as model:
        for thread in threads:
            thread.start()
        for _ in range(PARALLEL - AFFORDABLE):
            assert denied.acquire(timeout=60)
        all_were_denied.set()
        for thread in threads:
            thread.join()

    assert len(model.requests) == AFFORDABLE
    ended = [talk.reread(turn) for talk, turn in zip(talks, posted, strict=True)]
    assert sorted(turn.fallback for turn in ended) == [""] * AFFORDABLE + ["limit"] * (PARALLEL - AFFORDABLE)
    assert {turn.state for turn in ended} == {"answered"}
    assert len(calls(owner)) == 1 + AFFORDABLE
    assert {call.state for call in calls(owner)} == {"settled"}
    with tenant(owner.organization.id):
        rows = UsageRecord.objects.filter(owner_id__in=[turn.id for turn in posted])
        assert sorted(rows.values_list("calls", flat=True)) == [0] * (PARALLEL - AFFORDABLE) + [1] * AFFORDABLE
    # What was reserved and not used is there again.
    with playing([UNKNOWN]):
        again = Talk(owner, None)
        assert again.work(again.post(QUESTION)).fallback == ""


@pytest.mark.parametrize(("spare", "fallback"), [(0, ""), (-1, "limit")])
def test_the_last_token_is_spent_and_not_one_more(owner: Person, spare: int, fallback: str):
    reserved = cost_of_one(owner)
    set_limits(owner, daily_token_limit=SPENT + reserved + spare)
    talk = Talk(owner, None)
    turn = talk.post(QUESTION)

    with playing([] if fallback else [UNKNOWN]):
        turn = talk.work(turn)

    assert (turn.state, turn.fallback) == ("answered", fallback)


def test_a_denial_is_a_plain_reply_and_members_and_staff_see_why(owner: Person, admin: Person):
    cost_of_one(owner)
    set_limits(owner, daily_token_limit=SPENT)
    talk = Talk(owner, None)
    turn = talk.post(QUESTION)

    with playing([]):
        turn = talk.work(turn)

    [reply] = talk.replies(turn)
    assert (turn.state, turn.outcome, turn.fallback) == ("answered", "answer", "limit")
    assert speech.LIMIT_REACHED in reply.text
    assert page_of(owner.client, talk.conversation_id).count("limit for the language model is reached") == 1
    for person in (owner, admin):
        page = person.client.get("/limits/").content.decode()
        assert "Today’s model tokens are used up." in page
        assert f"{SPENT:,}" in page
    set_limits(owner, daily_token_limit=1_000_000)
    with playing([UNKNOWN]):
        assert talk.work(talk.post(QUESTION)).fallback == ""


def test_the_days_runs_end_with_a_plain_refusal(owner: Person):
    publish_signals(owner)
    set_limits(owner, daily_run_limit=1)
    talk = Talk(owner, None)
    with playing([delegate_to(SIGNALS), delegate_to(SIGNALS)]):
        started = talk.work(talk.post(REQUEST))
        refused = talk.work(talk.post(REQUEST))

    [reply] = talk.replies(refused)
    assert (started.state, refused.state, refused.outcome) == ("delegated", "answered", "answer")
    assert (reply.text, reply.unresolved) == (speech.runs_limit_reached(), [speech.not_started(REQUEST)])
    assert "limit" not in reply.unresolved[0]
    with tenant(owner.organization.id):
        assert Run.objects.count() == 1
    assert "Today’s runs are used up." in owner.client.get("/limits/").content.decode()


def test_without_a_language_model_no_limit_is_touched(owner: Person):
    set_limits(owner, daily_token_limit=0)
    talk = Talk(owner, None)

    turn = talk.work(talk.post(QUESTION))

    assert (turn.state, turn.fallback) == ("answered", "")
    assert "limit" not in talk.replies(turn)[0].text
    assert sum(call.reserved_tokens for call in calls(owner)) == 0
