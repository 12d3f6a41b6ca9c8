"""A brief where sources fail, are late, or wait for another machine."""

import threading
import time

import pytest
from django.db import connection

from agencycore.ai.types import BriefItem, ContextBrief, SourceName, SourceReport
from agencycore.tenancy import tenant
from chat.context import port, slow
from chat.context.items import make_item
from chat.context.port import ContextRequest
from conversations.models import Message
from crm.models import Company
from organizations.models import Preference
from tests.chat.context.talk import Talk, company
from tests.people import Person

pytestmark = pytest.mark.django_db


class BrokenSource:
    name: SourceName = "memory"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        Company.objects.raw("SELECT no_such_column FROM crm_company")[0]
        return []


class WritingSource:
    name: SourceName = "memory"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        Preference.objects.create(organization_id=request.actor.organization_id, text="I was here")
        return []


class SlowSource:
    name: SourceName = "memory"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")
        return []


class SlowNextSource(SlowSource):
    name: SourceName = "knowledge"


class QuickSource:
    name: SourceName = "definitions"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 'quick'")
            return [make_item("definitions", "definition", "1", label="Told", text=cursor.fetchone()[0])]


class ManyStatementsSource:
    name: SourceName = "memory"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        with connection.cursor() as cursor:
            while True:
                cursor.execute("SELECT pg_sleep(0.05)")


class CallingSource:
    """Answers from outside, on its own connection."""

    name: SourceName = "memory"
    calls_out = True

    def read(self, request: ContextRequest) -> list[BriefItem]:
        names = ", ".join(Company.objects.values_list("name", flat=True))
        return [make_item("memory", "memory", "1", label="Told", text=f"{threading.current_thread().name}: {names}")]


class HangingSource:
    name: SourceName = "memory"
    calls_out = True
    released = threading.Event()

    def read(self, request: ContextRequest) -> list[BriefItem]:
        self.released.wait(timeout=30)
        return []


@pytest.fixture
def sources(settings, monkeypatch):
    """Puts more sources behind the conversation's and the application's."""

    def put(*more: type) -> None:
        settings.CONTEXT_SOURCES = [
            "chat.context.sources.conversation.ConversationSource",
            "chat.context.sources.application.ApplicationSource",
            *(f"{__name__}.{source.__name__}" for source in more),
        ]
        port.get_sources.cache_clear()

    yield put
    port.get_sources.cache_clear()


def report(brief: ContextBrief, name: SourceName) -> SourceReport:
    return next(source for source in brief.sources if source.name == name)


def texts(brief: ContextBrief, source: SourceName) -> list[str]:
    return [item.text for item in brief.of(source)]


def test_a_failing_source_is_unavailable_and_the_brief_goes_on(owner: Person, sources) -> None:
    sources(BrokenSource)
    acorn = company(owner, "Acorn Foods")

    brief = Talk(owner).ask("Who owns this company?", refs=[acorn])

    assert (report(brief, "memory").state, report(brief, "memory").reason) == ("unavailable", "It could not be read.")
    assert (report(brief, "application").state, brief.evidence[0].id) == ("ok", acorn.id)


def test_a_source_cannot_write(owner: Person, sources) -> None:
    sources(WritingSource)

    brief = Talk(owner).ask("What is lifecycle stage?")

    assert report(brief, "memory").state == "unavailable"
    with tenant(owner.organization.id):
        assert Preference.objects.count() == 0
        Message.objects.update(text="and afterwards writing works again")


@pytest.mark.parametrize("source", [SlowSource, ManyStatementsSource])
def test_a_late_source_is_unavailable(owner: Person, sources, settings, source: type) -> None:
    sources(source)
    settings.SOURCE_TIMEOUT_SECONDS = 0.3

    brief = Talk(owner).ask("What is lifecycle stage?")

    assert (report(brief, "memory").state, report(brief, "memory").reason) == ("unavailable", "It took too long.")


def test_after_a_source_that_failed_the_next_has_its_time_limit_and_the_one_after_it_is_read(
    owner: Person, sources, settings
) -> None:
    sources(BrokenSource, SlowNextSource, QuickSource)
    settings.SOURCE_TIMEOUT_SECONDS = 0.3

    brief = Talk(owner).ask("What is lifecycle stage?")

    assert [report(brief, name).reason for name in ("memory", "knowledge", "definitions")] == [
        "It could not be read.",
        "It took too long.",
        "",
    ]
    assert texts(brief, "definitions") == ["quick"]


def test_past_the_deadline_the_rest_is_not_read(owner: Person, sources) -> None:
    sources(SlowSource)

    brief = Talk(owner).brief(Talk(owner).say("What is lifecycle stage?"), deadline=time.monotonic() - 1)

    assert [(source.name, source.state) for source in brief.sources] == [
        ("conversation", "unavailable"),
        ("application", "unavailable"),
        ("memory", "unavailable"),
    ]


def test_a_slow_source_is_named_once_while_it_is_read(owner: Person, sources, settings, monkeypatch) -> None:
    sources(SlowSource)
    settings.SOURCE_TIMEOUT_SECONDS = 1
    monkeypatch.setattr(slow, "SLOW_SECONDS", 0.05)
    named: list[SourceName] = []
    talk = Talk(owner)
    turn = talk.say("What is lifecycle stage?")

    talk.brief(turn, on_slow=named.append)

    assert named.count("memory") == 1


def test_telling_that_a_source_is_slow_may_fail(owner: Person, sources, settings, monkeypatch) -> None:
    sources(SlowSource)
    settings.SOURCE_TIMEOUT_SECONDS = 1
    monkeypatch.setattr(slow, "SLOW_SECONDS", 0.05)

    def fail(name: SourceName) -> None:
        raise RuntimeError(name)

    talk = Talk(owner)
    brief = talk.brief(talk.say("What is lifecycle stage?"), on_slow=fail)

    assert report(brief, "memory").state == "unavailable"


@pytest.mark.django_db(transaction=True)
def test_a_source_that_calls_out_runs_beside_the_others_inside_the_same_walls(
    owner: Person, stranger: Person, sources
) -> None:
    sources(CallingSource)
    company(owner, "Acorn Foods")
    company(stranger, "Secret Works")

    brief = Talk(owner).ask("What is lifecycle stage?")

    (told,) = texts(brief, "memory")
    assert told.startswith("context_")
    assert told.endswith(": Acorn Foods")


@pytest.mark.django_db(transaction=True)
def test_a_source_that_hangs_outside_is_left_behind(owner: Person, sources, settings) -> None:
    sources(HangingSource)
    settings.CONTEXT_TIMEOUT_SECONDS = 0.3
    settings.SOURCE_TIMEOUT_SECONDS = 0.2

    brief = Talk(owner).ask("What is lifecycle stage?")

    HangingSource.released.set()
    assert (report(brief, "memory").state, report(brief, "memory").reason) == ("unavailable", "It took too long.")
