"""The second line: with the application's own filters removed, another organization's rows stay unseen."""

from pathlib import Path

import pytest
from django.db.models import QuerySet
from pytest_django import Settings

from agencycore.ai.types import ContextBrief
from agencycore.tenancy import Actor
from conversations.models import MessageQuerySet
from crm.models import Company
from knowledge import candidates, search_sql
from tests.chat.context.talk import Talk, company
from tests.knowledge.documents import ingested
from tests.people import Person

pytestmark = pytest.mark.django_db


def everything(self: QuerySet, actor: Actor) -> QuerySet:
    return self.all()


@pytest.fixture
def no_filters(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path)
    monkeypatch.setattr(type(Company.objects.all()), "visible_to", everything)
    monkeypatch.setattr(MessageQuerySet, "visible_to", everything)
    unfiltered = search_sql.ALL_SOURCES.replace("organization_id = %(organization)s", "true")
    assert unfiltered != search_sql.ALL_SOURCES
    monkeypatch.setattr(candidates, "ALL_SOURCES", unfiltered)


def test_a_brief_holds_nothing_of_another_organization_also_without_filters(
    owner: Person, stranger: Person, no_filters: None
) -> None:
    secret = company(owner, "Secret Works")
    ingested(owner)
    own = Talk(owner).ask("When are second class tickets refunded?", refs=[secret])

    foreign = Talk(stranger).ask("When are second class tickets refunded?", refs=[secret])

    assert {source_of(own, "application"), source_of(own, "knowledge")} == {True}
    assert (foreign.evidence, foreign.reference.status) == ((), "absent")


def source_of(brief: ContextBrief, name: str) -> bool:
    return any(item.source == name for item in brief.evidence)
