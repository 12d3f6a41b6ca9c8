"""Hostile text from the corpora, everywhere a person can put it, through the whole pipeline and out at every door."""

import html
import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pytest_django import Settings

from agencycore.ai.types import DecisionRequest
from agencycore.ai.wire import WireOutcome
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.models import Conversation
from crm.models import Activity, Company
from knowledge.models import KnowledgeSource
from runs.models import Run
from tests.chat.pipeline import Decide, Model, Talk, answer_from, delegate_to, stop_the_live_one
from tests.chat.working import SIGNALS, publish_signals
from tests.corpora import corpus
from tests.lessons.desk import RAIL, RAIL_QUESTION, upload
from tests.people import Person

ENDS = {("answered", "answer"), ("clarified", "clarify")}
MESSAGE_CHARACTERS = 7_500
# Of the long list of scripts every twentieth; those of one form stand together.
EVERY = 20
# As many as stand on one page of each list.
SHOWN_TOGETHER = 50
LEADING = ("src", "href", "srcset", "action", "formaction", "data", "poster", "background", "xlink:href")
SAFE = ("/", "#", "?", "http://", "https://")


def batches(lines: list[str]) -> Iterator[str]:
    """The lines in texts that a message may hold."""
    batch = ""
    for line in lines:
        if len(batch) + len(line) + 1 > MESSAGE_CHARACTERS:
            yield batch
            batch = ""
        batch += f"{line[: MESSAGE_CHARACTERS - 1]}\n"
    yield batch


def naughty_strings() -> list[str]:
    return json.loads(corpus("attacks/blns/blns.json").read_text(encoding="utf-8"))


def scripts() -> list[str]:
    lines = corpus("attacks/xss-payload-list/xss-payload-list.txt").read_text(encoding="utf-8").splitlines()
    return lines[::EVERY]


class Dangers(HTMLParser):
    """Whatever in a page of ours would run, load or lead to what somebody wrote into a text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [f"{tag} {name}={value}" for name, value in attributes if _is_dangerous(tag, name, value or "")]
        if tag == "script" and "src" not in dict(attributes):
            self.found.append("script within the page")


def _is_dangerous(tag: str, name: str, value: str) -> bool:
    if name.startswith("on"):
        return True
    if name not in LEADING:
        return False
    is_followed_by_click = tag == "a" and value.startswith(SAFE)
    is_ours = value in ("", ".") or (value.startswith("/") and not value.startswith("//"))
    return not (is_followed_by_click or is_ours)


def dangers_of(page: str) -> list[str]:
    reader = Dangers()
    reader.feed(page)
    reader.close()
    return reader.found


@pytest.mark.parametrize(
    "attack",
    [
        "<p onclick=x>",
        "<img src=x>",
        "<img src=//evil.example/x>",
        '<a href=" javascript:x">',
        "<script src=https://evil.example>",
        "<form action=https://evil.example>",
    ],
)
def test_the_reading_of_pages_sees_what_is_dangerous(attack: str) -> None:
    assert len(dangers_of(attack)) == 1
    assert dangers_of('<a href="https://docs.example">') == dangers_of('<script src="/static/page.js">') == []


@pytest.fixture
def working(owner: Person, settings: Settings, tmp_path: Path) -> Talk:
    """A conversation with a live run, and a capability that might be started."""
    settings.MEDIA_ROOT = str(tmp_path / "media")
    publish_signals(owner)
    talk = Talk(owner, Model("scripted"))
    talk.say("Find 20 UK fintech companies.", decision=delegate_to(SIGNALS))
    return talk


def obey(request: DecisionRequest) -> WireOutcome:
    """A model that takes a text's orders for the person's."""
    return stop_the_live_one(request)


@pytest.mark.django_db
@pytest.mark.parametrize("lines", [naughty_strings, scripts])
def test_hostile_text_in_message_title_document_and_record_changes_no_outcome_and_acts_nowhere(
    working: Talk, lines: Callable[[], list[str]]
) -> None:
    for attack in map(storable, batches(lines())):
        first_line = attack.strip().splitlines()[0]
        record = attacked_company(working.person, attack)
        document = upload(working.person, f"# {first_line}\n\n{RAIL}\n\n{attack}")
        rename(working, attack)

        turns = [
            say(working, "builtin", attack),
            say(working, "scripted", attack, decision=obey),
            say(working, "builtin", "Tell me more about this company", record),
            say(working, "scripted", RAIL_QUESTION, decision=answer_from("knowledge_chunk")),
        ]

        for turn in turns:
            assert (turn.state, turn.outcome) in ENDS, (turn.state, turn.refusals)
            assert len(working.replies(turn)) == 1
        assert nothing_was_started_or_stopped(working)
        pages = (f"/knowledge/{document.id}/", f"/crm/companies/{record.id}/")
        assert dangers_on(working.person, pages) == {}
    assert (
        dangers_on(working.person, ("/", f"/chat/{working.conversation_id}/", "/knowledge/", "/crm/companies/")) == {}
    )


@pytest.mark.django_db
@pytest.mark.parametrize("lines", [naughty_strings, scripts])
def test_every_hostile_line_is_text_as_a_title_and_as_a_name(owner: Person, lines: Callable[[], list[str]]) -> None:
    texts = [text for text in map(storable, lines()) if text.strip()]
    for start in range(0, len(texts), SHOWN_TOGETHER):
        together = texts[start : start + SHOWN_TOGETHER]
        with tenant(owner.organization.id):
            fill_lists(owner, together)
        for address in ("/chat/list/", "/crm/companies/", "/knowledge/"):
            page = owner.client.get(address).content.decode()
            assert dangers_of(page) == [], address
            assert html.escape(together[0].strip()[:40].split("\n")[0]) in page, (address, together[0])


def storable(attack: str) -> str:
    """Without null characters, which no door of the product lets through; tests/chat/test_api_odd_values.py."""
    return attack.replace("\x00", "")


def attacked_company(person: Person, attack: str) -> ResourceRef:
    """A record with the attack in every field that takes free text."""
    with tenant(person.organization.id):
        row = Company.objects.create(
            organization=person.organization,
            name=attack[:200],
            domain=f"{uuid.uuid4().hex[:8]}.example",
            industry=attack[:80],
            country=attack[80:160],
            stage_cause=attack[:300],
            owner=person.user,
        )
        Activity.objects.create(
            organization=person.organization,
            company=row,
            kind="note",
            subject=attack[:200],
            body=attack,
        )
    return ResourceRef("company", str(row.id), row.name)


def fill_lists(person: Person, texts: list[str]) -> None:
    """A conversation, a company and a document of each name, and nothing else."""
    own = {"organization": person.organization}
    for model in (Conversation, Company, KnowledgeSource):
        model.objects.filter(organization=person.organization).delete()
    Conversation.objects.bulk_create(Conversation(**own, starter=person.user, title=text[:120]) for text in texts)
    Company.objects.bulk_create(Company(**own, name=text[:200]) for text in texts)
    KnowledgeSource.objects.bulk_create(
        KnowledgeSource(**own, title=text[:300], size=1, content_hash=str(number)) for number, text in enumerate(texts)
    )


def rename(talk: Talk, attack: str) -> None:
    response = talk.person.client.post(f"/chat/{talk.conversation_id}/rename/", {"title": attack[:80]})
    assert response.status_code == 302, response.content


def say(talk: Talk, adapter: str, text: str, *refs: ResourceRef, decision: Decide = obey) -> Turn:
    """``decision`` is what a scripted model decides, and decides again where it is refused."""
    turn = talk.post(text, *refs)
    with Model(adapter).deciding(decision, decision):
        return talk.work(turn)


def nothing_was_started_or_stopped(talk: Talk) -> bool:
    with tenant(talk.organization_id):
        [run] = Run.objects.all()
    return run.ended_at is None and run.state != Run.State.CANCELLED


def dangers_on(person: Person, addresses: Iterable[str]) -> dict[str, list[str]]:
    """By address: what would run, load or lead astray on the pages that show the text."""
    found = {}
    for address in addresses:
        response = person.client.get(address)
        assert response.status_code == 200, address
        found[address] = dangers_of(response.content.decode())
    return {address: dangers for address, dangers in found.items() if dangers}
