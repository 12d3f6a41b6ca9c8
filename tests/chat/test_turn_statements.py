"""How many SQL statements a turn costs: exactly, and the same however much there is."""

import datetime
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from conversations.actions import add_reply, add_user_message, lock_conversation
from conversations.models import Conversation
from crm.models import Activity, Company
from knowledge.platform_docs import sync_platform_docs
from runs import manager
from runs.ender import Succeed
from tests.chat.turning import publish_lifecycle_page, send, work_on
from tests.chat.working import delegate, end, publish_signals, report_on, reports_of
from tests.people import Person
from tests.runs.definitions import capability, publish_definition

ACCEPT_STATEMENTS = 8
WORK_STATEMENTS = 34
# What a person's runs cost, and one kind of record among their results.
RUNS_STATEMENTS = 1
RESULTS_STATEMENTS = 1
FRAME = re.compile("SAVEPOINT|set_config|current_setting")


def cite_first(request) -> str:
    """What the question is about: a run would enter the scope, which costs statements of its own."""
    key = next(item.key for item in request.brief.evidence if item.kind != "run")
    return render_decision(
        WireAnswer(outcome="answer", citations=[key], unresolved=[], offer="", text=f"It is a stage [{key}].")
    )


@pytest.fixture(autouse=True)
def _docs(db, tmp_path, settings):
    settings.MESSAGES_PER_MINUTE = 1_000
    publish_lifecycle_page(tmp_path)


@pytest.fixture
def conversation(owner: Person) -> Conversation:
    return begin(owner)


def begin(person: Person) -> Conversation:
    """A conversation with one exchange."""
    return work_on(send(person, "hello")).conversation


def make_companies(person: Person, number: int) -> list[ResourceRef]:
    with tenant(person.actor.organization_id):
        companies = [
            Company.objects.create(
                organization=person.organization,
                name=f"C{n} of {number}",
                domain=f"c{n}-{number}.example",
                stage_since=timezone.now(),
            )
            for n in range(number)
        ]
        return [ResourceRef("company", str(company.id)) for company in companies]


def cost(person: Person, conversation: Conversation, refs: list[ResourceRef]) -> tuple[int, int]:
    """Statements of accepting a question about lifecycle stages, and of working on it."""
    with CaptureQueriesContext(connection) as accepting:
        turn = send(person, "What is lifecycle stage?", conversation_id=conversation.id, refs=refs)
    with playing([cite_first]), CaptureQueriesContext(connection) as working:
        assert work_on(turn).state == "answered"
    return count(accepting), count(working)


def count(captured: CaptureQueriesContext) -> int:
    """Without what surrounds a transaction: here every one of them is nested in that of the test."""
    return sum(not FRAME.search(query["sql"]) for query in captured.captured_queries)


def cover(conversation: Conversation, messages: int) -> None:
    """A summary that covers so many messages, so that none is due."""
    with tenant(conversation.organization_id):
        Conversation.objects.filter(id=conversation.id).update(summary="A recap.", summary_message_count=messages)


def talk_on(conversation: Conversation, exchanges: int) -> None:
    with tenant(conversation.organization_id):
        for number in range(exchanges):
            locked = lock_conversation(conversation.id)
            message = add_user_message(
                conversation=locked, text=f"Question {number}", client_message_id=f"m{number}", refs=[], page=None
            )
            add_reply(conversation=locked, in_reply_to=message, text=f"Answer {number}")


def test_a_turn_costs_exactly_these_statements(owner, conversation):
    assert cost(owner, conversation, []) == (ACCEPT_STATEMENTS, WORK_STATEMENTS)


def test_the_statements_do_not_grow_with_the_history(owner, conversation):
    talk_on(conversation, 40)
    cover(conversation, 80)

    assert cost(owner, conversation, []) == (ACCEPT_STATEMENTS, WORK_STATEMENTS)


def test_the_statements_do_not_grow_with_the_corpus(owner, conversation, tmp_path):
    for number in range(40):
        (tmp_path / f"page-{number}.md").write_text(f"# Page {number}\n\nA lifecycle stage is told on page {number}.")
    sync_platform_docs(tmp_path)

    assert cost(owner, conversation, []) == (ACCEPT_STATEMENTS, WORK_STATEMENTS)


def test_the_statements_do_not_grow_with_the_runs_and_the_definitions(owner, conversation):
    with tenant(owner.actor.organization_id):
        for number in range(12):
            publish_definition(owner.organization, f"helper-{number}", steps=[{"name": "Read"}])
            for place in (conversation.id, None):
                manager.start(
                    actor=owner.actor,
                    capability=capability(owner, f"helper-{number}"),
                    message="Read the news",
                    values={},
                    start_key=f"turn:{number}:{place}",
                    conversation_id=place,
                )

    assert cost(owner, conversation, []) == (ACCEPT_STATEMENTS, WORK_STATEMENTS + RUNS_STATEMENTS)


def end_runs(person: Person, conversation: Conversation, results: list[ResourceRef], runs: int) -> None:
    with tenant(person.actor.organization_id):
        for number in range(runs):
            run = manager.start(
                actor=person.actor,
                capability=capability(person, "helper"),
                message="Read the news",
                values={},
                start_key=f"turn:{conversation.id}:{number}",
                conversation_id=conversation.id,
            )
            manager.succeed(run_id=run.id, result={"text": "Read."}, refs=results)


def test_the_results_of_runs_take_one_statement_for_each_of_their_kinds(owner, conversation):
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "helper")
    end_runs(owner, conversation, make_companies(owner, 1), runs=1)
    assert cost(owner, conversation, []) == (ACCEPT_STATEMENTS, WORK_STATEMENTS + RUNS_STATEMENTS + RESULTS_STATEMENTS)

    busy = begin(owner)
    end_runs(owner, busy, make_companies(owner, 12), runs=6)
    assert cost(owner, busy, []) == (ACCEPT_STATEMENTS, WORK_STATEMENTS + RUNS_STATEMENTS + RESULTS_STATEMENTS)


def report_cost(person: Person, refs: list[ResourceRef]) -> int:
    turn = delegate(person)
    end(turn, Succeed("Found.", tuple(refs)))
    with CaptureQueriesContext(connection) as reporting:
        report_on(turn)
    assert len(reports_of(turn)) == 1
    return count(reporting)


def test_the_statements_of_a_report_do_not_grow_with_its_records(owner):
    publish_signals(owner)
    few, many = make_companies(owner, 2), make_companies(owner, 30)

    assert report_cost(owner, many) == report_cost(owner, few)


def log_calls(person: Person, companies: list[ResourceRef], days: int) -> None:
    with tenant(person.actor.organization_id):
        Activity.objects.bulk_create(
            Activity(
                organization=person.organization,
                company_id=ref.id,
                kind=Activity.Kind.CALL,
                happened_at=timezone.now() - datetime.timedelta(days=day),
                subject="Call",
                by=person.user,
            )
            for ref in companies
            for day in range(days)
        )


def test_the_statements_do_not_grow_with_the_refs_or_with_what_they_hold(owner):
    one, many = make_companies(owner, 1), make_companies(owner, 15)
    log_calls(owner, one, days=1)
    log_calls(owner, many, days=20)

    assert cost(owner, begin(owner), many) == cost(owner, begin(owner), one)
