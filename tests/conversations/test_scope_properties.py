"""Random sequences of writers against a plain model of the rules, two writers at once included."""

import datetime
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from conversations.models import Conversation, ConversationEntity, Message
from conversations.scope import SCOPE_BOUND, add_cited_refs, add_run_result, add_sent_refs, cut_to_bound
from tests.conversations.test_scope import add_message, start
from tests.people import Person

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
NOW = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)
STEP = datetime.timedelta(microseconds=1)
KINDS = ("company", "person", "prospect", "deal", "opportunity")

MESSAGES = 3

refs = st.builds(
    lambda kind, number: ResourceRef(kind, str(number)), st.sampled_from((*KINDS, "memory")), st.integers(1, 12)
)
some_refs = st.lists(refs, max_size=30)


@dataclass(frozen=True)
class Write:
    """One of the three writers, at a moment; ``message`` is the ordinal of the one it writes for."""

    writer: Literal["run_result", "citations", "sent"]
    refs: list[ResourceRef]
    message: int
    offset: int = 0

    def carry_out(self, conversation: Conversation) -> None:
        with tenant(conversation.organization_id):
            now = NOW + self.offset * STEP
            if self.writer == "run_result":
                add_run_result(conversation=conversation, refs=self.refs, now=now)
                return
            message = Message.objects.get(conversation=conversation, ordinal=self.message)
            if self.writer == "citations":
                add_cited_refs(reply=message, refs=self.refs, now=now)
            else:
                add_sent_refs(message=message, refs=self.refs, now=now)


@dataclass(frozen=True)
class Delete:
    """The message is deleted, and what it introduced goes with it."""

    message: int

    def carry_out(self, conversation: Conversation) -> None:
        with tenant(conversation.organization_id):
            Message.objects.filter(conversation=conversation, ordinal=self.message).delete()


writers = st.sampled_from(("run_result", "citations", "sent"))
ordinals = st.integers(1, MESSAGES)
writes = st.builds(Write, writers, some_refs, ordinals, st.integers(-50, 500))
writes_of_one_moment = st.builds(Write, writers, some_refs, ordinals)


@st.composite
def sequences(draw: st.DrawFn) -> list[Write | Delete]:
    """Steps of which none writes for a message that is gone."""
    gone: set[int] = set()
    steps: list[Write | Delete] = []
    for step in draw(st.lists(st.one_of(writes, writes, writes, st.builds(Delete, ordinals)), min_size=1, max_size=8)):
        if isinstance(step, Write) and step.writer != "run_result" and step.message in gone:
            continue
        steps.append(step)
        if isinstance(step, Delete):
            gone.add(step.message)
    return steps


@dataclass
class Row:
    time: datetime.datetime
    id: int
    message: int | None


class Model:
    """The rules, said as plainly as possible."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Row] = {}
        self.made = 0

    def carry_out(self, step: Write | Delete) -> None:
        if isinstance(step, Delete):
            self.rows = {key: row for key, row in self.rows.items() if row.message != step.message}
        else:
            self.write(step)

    def write(self, step: Write) -> None:
        keys = share([ref.key for ref in step.refs if ref.kind in KINDS])
        now = NOW + step.offset * STEP
        newest = max((row.time for row in self.rows.values()), default=None)
        first = now if newest is None else max(now, newest + STEP)
        for index, key in enumerate(keys):
            self.made += 1
            old = self.rows.get(key)
            introduced = step.message if step.writer != "run_result" else old.message if old else None
            self.rows[key] = Row(first + index * STEP, old.id if old else self.made, introduced)
        self.rows = {key: self.rows[key] for key in self.order()[:SCOPE_BOUND]}

    def order(self) -> list[tuple[str, str]]:
        return sorted(self.rows, key=lambda key: (self.rows[key].time, self.rows[key].id), reverse=True)

    def facts(self) -> list[tuple[tuple[str, str], int | None]]:
        """What is in scope, foremost first, and the message that introduced it."""
        return [(key, self.rows[key].message) for key in self.order()]


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
@settings(max_examples=60, suppress_health_check=QUIET)
@given(steps=sequences())
def test_any_sequence_of_writers_and_deletions_ends_where_the_rules_say(
    owner: Person, steps: list[Write | Delete]
) -> None:
    conversation = start_with_messages(owner)
    model = Model()

    for step in steps:
        step.carry_out(conversation)
        model.carry_out(step)

    assert facts_of(conversation) == model.facts()
    assert times_of(conversation) == [model.rows[key].time for key in model.order()]


@pytest.mark.django_db(transaction=True)
@settings(max_examples=25, suppress_health_check=QUIET)
@given(before=writes_of_one_moment, one=writes_of_one_moment, other=writes_of_one_moment)
def test_any_two_writers_at_once_end_as_if_one_had_come_first(
    owner: Person, before: Write, one: Write, other: Write
) -> None:
    conversation = start_with_messages(owner)
    before.carry_out(conversation)

    at_once([partial(one.carry_out, conversation), partial(other.carry_out, conversation)])

    assert facts_of(conversation) in [outcome(before, one, other), outcome(before, other, one)]


def start_with_messages(owner: Person) -> Conversation:
    conversation = start(owner)
    for ordinal in range(1, MESSAGES + 1):
        add_message(conversation, ordinal)
    return conversation


def rows_of(conversation: Conversation) -> list[ConversationEntity]:
    with tenant(conversation.organization_id):
        rows = ConversationEntity.objects.filter(conversation=conversation).select_related("introduced_by_message")
        return list(rows.order_by("-last_referenced_at", "-id"))


def facts_of(conversation: Conversation) -> list[tuple[tuple[str, str], int | None]]:
    return [
        ((row.kind, row.resource_id), row.introduced_by_message and row.introduced_by_message.ordinal)
        for row in rows_of(conversation)
    ]


def times_of(conversation: Conversation) -> list[datetime.datetime]:
    return [row.last_referenced_at for row in rows_of(conversation)]


def outcome(*steps: Write) -> list[tuple[tuple[str, str], int | None]]:
    model = Model()
    for step in steps:
        model.carry_out(step)
    return model.facts()


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
