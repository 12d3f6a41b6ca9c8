"""Words without a break, as others write them: they wrap or are cut, and no page scrolls sideways for them."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.models import Conversation
from crm.models import Activity
from runs.ender import Ask, Fail
from tests.chat.conversations import answer, ask, citation, turn_of
from tests.chat.working import delegate, end, publish_signals
from tests.crm import records
from tests.knowledge.documents import ingested, upload

pytestmark = pytest.mark.browser

WORD = "wordofothers" * 25
NARROW = 360
DOUBLE_ZOOM = 640  # a window of 1280 px at 200 %


@pytest.fixture(autouse=True)
def _files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def expect_no_sideways_scrolling(page):
    for width in (NARROW, DOUBLE_ZOOM):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width, page.url


def test_a_long_word_in_a_chat_makes_nothing_scroll_sideways(visits, owner):
    question = ask(owner, WORD)
    label = WORD[:200]
    cited = citation(label=label, position=label, excerpt=WORD, claim=WORD)
    answer(owner, question, f"{WORD} [1]\n\n- {WORD}\n\n> {WORD}\n\n### {WORD}", [cited], unresolved=[WORD])
    failed = ask(owner, WORD, question.conversation)
    turn_of(owner, failed, Turn.State.FAILED, finished_at=timezone.now(), error_text=WORD)
    asked = ask(owner, "Which?", question.conversation)
    answer(owner, asked, WORD, [], options=[{"label": WORD, "ref": ""}])
    page = visits.open(f"/chat/{question.conversation_id}/", width=NARROW).page
    expect(page.locator(".option")).to_be_visible()

    expect_no_sideways_scrolling(page)

    page.locator("a.source").first.click()
    expect(page.locator("#panel .passage")).to_be_visible()
    assert page.evaluate("panel.scrollWidth") <= page.evaluate("panel.clientWidth")
    page.goto(page.locator("a.source").first.get_attribute("href"))
    expect_no_sideways_scrolling(page)
    page.goto(f"/chat/{question.conversation_id}/manage/")
    expect_no_sideways_scrolling(page)
    page.goto(f"/?q={WORD}")
    expect_no_sideways_scrolling(page)


def test_a_long_word_on_the_card_of_a_run_makes_nothing_scroll_sideways(visits, owner, worker):
    publish_signals(owner, steps=[{"name": WORD[:100]}])
    with worker.held():
        failed = delegate(owner, f"Find {WORD}")
        waiting = delegate(owner, f"Find {WORD}", failed.conversation_id)
    end(failed, Fail(WORD))
    end(waiting, Ask(WORD))
    page = visits.open(f"/chat/{failed.conversation_id}/", width=NARROW).page
    expect(page.locator("#recipient-words")).to_be_visible()

    expect_no_sideways_scrolling(page)


def test_a_long_word_in_records_and_documents_makes_nothing_scroll_sideways(visits, owner):
    short, name = WORD[:80], WORD[:200]
    with tenant(owner.organization.id):
        facts = {"industry": short, "country": short}
        company = records.make_company(owner, name, domain=WORD[:250], stage_cause=WORD, **facts)
        person = records.make_contact(owner, company, name, title=WORD[:120], email=f"{WORD[:200]}@example.com")
        deal = records.make_deal(owner, company, name, stage_cause=WORD)
        activity = records.make_activity(owner, company, name, body=WORD, kind=Activity.Kind.NOTE)
        prospect = records.make_prospect(owner, name, domain=WORD[:250], contact_name=name, review_reason=WORD, **facts)
        records.make_prospect_evidence(owner, prospect, WORD, 5)
        opportunity = records.make_opportunity(owner, company, name)
        records.make_evidence(owner, opportunity, WORD, 5)
        records.make_change(owner, company, old=WORD, new=WORD, cause=WORD)
        records.make_signal(owner, company, WORD)
    read = ingested(owner, f"# {name}\n\n{WORD}\n\n- {WORD}\n".encode(), filename=f"{short}.md", title=WORD)
    waiting = upload(owner, b"Another text.", filename=f"{short}.txt", title=f"Another {name}")
    shown = [company, person, deal, activity, prospect, opportunity]
    lists = ("crm/companies", "crm/people", "crm/prospects", "crm/deals", "crm/opportunities", "knowledge")
    page = visits.open("/", width=NARROW).page

    for path in (
        *(record.get_absolute_url() for record in shown),
        *(f"/knowledge/{source.id}/" for source in (read, waiting)),
        *(f"/{each}/?q=word" for each in lists),
        f"/?ref=company:{company.pk}",
    ):
        assert page.goto(path).ok, path
        expect(page.get_by_text("wordofothers").first).to_be_attached()
        expect_no_sideways_scrolling(page)


def test_the_dialog_and_the_picker_hold_long_names(visits, owner):
    question = ask(owner, WORD)
    with tenant(owner.organization.id):
        Conversation.objects.update(title=WORD[:80])
        records.make_company(owner, WORD[:200])
    page = visits.open(f"/chat/{question.conversation_id}/", width=NARROW).page

    page.get_by_label("Your message").press_sequentially("@wordof")
    expect(page.get_by_role("option")).to_be_visible()
    expect_no_sideways_scrolling(page)
    page.keyboard.press("Enter")

    expect(page.locator(".composer-chip")).to_be_visible()
    expect_no_sideways_scrolling(page)
