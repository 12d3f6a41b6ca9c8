"""Random sequences of writers against a plain model of the rules, two writers at once included."""

import datetime
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from conversations.models import Conversation, ConversationEntity
from conversations.scope import SCOPE_BOUND, add_run_result, cut_to_bound, write_refs
from tests.conversations.test_scope import add_message, start
from tests.people import Person

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
NOW = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
STEP = datetime.timedelta(microseconds=1)
KINDS = ("company", "person", "prospect", "deal", "opportunity")

refs = st.builds(
    lambda kind, number: ResourceRef(kind, str(number)), st.sampled_from((*KINDS, "memory")), st.integers(1, 12)
)
writes = st.lists(st.tuples(st.lists(refs, max_size=30), st.booleans(), st.integers(-50, 500)), min_size=1, max_size=6)


@dataclass
class Row:
    time: datetime.datetime
    id: int
    has_message: bool


class Model:
    """The rules, said as plainly as possible."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self.made = 0

    def write(self, given_refs: list[ResourceRef], has_message: bool, now: datetime.datetime) -> None:
        keys = share([ref.key for ref in given_refs if ref.kind in KINDS])
        newest = max((row.time for row in self.rows.values()), default=None)
        first = now if newest is None else max(now, newest + STEP)
        for index, key in enumerate(keys):
            self.made += 1
            old = self.rows.get(key)
            self.rows[key] = Row(
                first + index * STEP, old.id if old else self.made, has_message or (old is not None and old.has_message)
            )
        self.rows = {key: self.rows[key] for key in self.order()[:SCOPE_BOUND]}

    def order(self) -> list[tuple[str, str]]:
        return sorted(self.rows, key=lambda key: (self.rows[key].time, self.rows[key].id), reverse=True)


def share(keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
    unique = [key for index, key in enumerate(keys) if key not in keys[index + 1 :]]
    kept: list[tuple[str, str]] = []
    remaining = SCOPE_BOUND
    kinds = sorted({kind for kind, _ in unique}, key=lambda kind: (sum(k == kind for k, _ in unique), kind))
    while kinds:
        mine = [key for key in unique if key[0] == kinds[0]]
        take = min(len(mine), remaining // len(kinds))
        kept += mine[len(mine) - take :]
        remaining -= take
        kinds = kinds[1:]
    return [key for key in unique if key in kept]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(refs, max_size=150))
def test_a_cut_keeps_order_bound_and_shares(given_refs: list[ResourceRef]) -> None:
    kept = cut_to_bound(given_refs)

    assert [ref.key for ref in kept] == share([ref.key for ref in given_refs])
    assert len(kept) <= SCOPE_BOUND
    assert len(kept) == min(SCOPE_BOUND, len({ref.key for ref in given_refs}))


@pytest.mark.django_db
@settings(max_examples=40, suppress_health_check=QUIET)
@given(sequence=writes)
def test_any_sequence_of_writers_ends_where_the_rules_say(
    owner: Person, sequence: list[tuple[list[ResourceRef], bool, int]]
) -> None:
    conversation = start(owner)
    message = add_message(conversation, 1)
    model = Model()

    with tenant(owner.organization.id):
        for given_refs, has_message, offset in sequence:
            now = NOW + offset * STEP
            write_refs(conversation=conversation, refs=given_refs, message=message if has_message else None, now=now)
            model.write(given_refs, has_message, now)
        rows = ConversationEntity.objects.filter(conversation=conversation).order_by("-last_referenced_at", "-id")
        found = [(row.kind, row.resource_id) for row in rows]
        facts = {(r.kind, r.resource_id): (r.last_referenced_at, r.introduced_by_message_id is not None) for r in rows}

    assert found == model.order()
    assert facts == {key: (row.time, row.has_message) for key, row in model.rows.items()}


@pytest.mark.django_db(transaction=True)
@settings(max_examples=10, suppress_health_check=QUIET)
@given(one=st.lists(refs, max_size=30), other=st.lists(refs, max_size=30), before=st.lists(refs, max_size=30))
def test_two_writers_at_once_end_as_if_one_had_come_first(
    owner: Person, one: list[ResourceRef], other: list[ResourceRef], before: list[ResourceRef]
) -> None:
    conversation = start(owner)
    with tenant(owner.organization.id):
        add_run_result(conversation=conversation, refs=before, now=NOW)

    at_once([lambda: write(conversation, one), lambda: write(conversation, other)])

    with tenant(owner.organization.id):
        rows = ConversationEntity.objects.filter(conversation=conversation).order_by("-last_referenced_at", "-id")
        found = [(row.kind, row.resource_id) for row in rows]
    assert found in [outcome(before, one, other), outcome(before, other, one)]


def write(conversation: Conversation, given_refs: list[ResourceRef]) -> None:
    with tenant(conversation.organization_id):
        add_run_result(conversation=conversation, refs=given_refs, now=NOW)


def outcome(*sequence: list[ResourceRef]) -> list[tuple[str, str]]:
    model = Model()
    for given_refs in sequence:
        model.write(given_refs, False, NOW)
    return model.order()


def at_once(works: list[Callable[[], None]]) -> None:
    barrier = threading.Barrier(len(works))
    failures: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            barrier.wait(timeout=10)
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert failures == []
