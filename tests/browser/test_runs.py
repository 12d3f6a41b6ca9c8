"""A run's card in a browser: it follows the run, is stopped, and takes an answer."""

import re

import pytest
from playwright.sync_api import expect

from agencycore.ai.wire import WireAnswer
from agencycore.streams.publisher import NewEvent, publish
from agencycore.tenancy import tenant
from conversations.feedback import give_feedback
from runs.ender import Ask, Enter, Succeed
from runs.models import Run
from tests.chat.working import delegate, end, publish_signals, report_on

pytestmark = pytest.mark.browser

STEPS = [{"name": "Search signals"}, {"name": "Write the list"}]


@pytest.fixture
def turn(worker, owner):
    publish_signals(owner, steps=STEPS)
    with worker.held():
        return delegate(owner)


@pytest.fixture
def page(visits, turn):
    opened = visits.open(f"/chat/{turn.conversation_id}/").page
    expect(opened.locator(".run-card")).to_be_visible()
    return opened


def test_the_card_follows_the_run_to_its_report(page, turn):
    card = page.locator(".run-card")
    expect(card).to_contain_text("Queued")

    end(turn, Enter("Write the list"))
    expect(card.locator("[aria-current=step]")).to_have_text("Write the list")
    end(turn, Succeed("Found three companies."))
    expect(card).to_contain_text("Succeeded")
    report_on(turn)

    expect(page.locator(".reply-report .prose")).to_contain_text("Found three companies.")
    expect(page.locator("#announcer span")).to_have_text(["The report of Signals Search arrived."])
    expect(card.get_by_role("button", name="Stop")).to_have_count(0)


def test_a_run_is_stopped_by_keyboard(page, turn):
    page.get_by_role("button", name="Stop Signals Search").press("Enter")

    expect(page.locator(".run-cause")).to_have_text(re.compile(r"^Stopped by olivia, "))
    expect(page.locator(".said-text")).to_have_count(1)


def test_what_is_being_written_stays_when_the_exchange_is_rendered_anew(page, turn, owner):
    end(turn, Ask("Which country?"))
    field = page.get_by_label("Your answer")
    field.press_sequentially("Nor")

    with tenant(turn.organization_id):
        give_feedback(actor=owner.actor, message_id=turn.reply_id, rating="helpful")
    announce(turn)
    expect(page.get_by_label("Helpful", exact=True).first).to_have_attribute("aria-pressed", "true")
    page.keyboard.type("way")

    expect(field).to_have_value("Norway")


def announce(turn):
    payload = {"message": str(turn.reply_id), "in_reply_to": str(turn.message_id)}
    with tenant(turn.organization_id):
        publish(
            stream=f"conversation:{turn.conversation_id}",
            organization_id=turn.organization_id,
            events=[NewEvent("message.created", payload)],
        )


def test_a_question_is_answered_where_it_stands(page, turn, worker):
    end(turn, Ask("Which country?"))
    field = page.get_by_label("Your answer")

    field.fill("Norway")
    field.press("Enter")

    expect(page.locator(".said-text")).to_have_text([re.compile("Find 20"), "Norway"])
    expect(page.locator(".stopped")).to_have_text("Your answer was passed on, and the work goes on.")
    expect(field).to_have_count(0)
    expect(page.locator(".run-card")).to_contain_text("Running")
    expect(page.get_by_label("Helpful", exact=True)).to_have_count(1)  # of the handoff; a question is not rated
    expect(page.locator("#announcer span").last).to_have_text("Your answer was passed on, and the work goes on.")


def test_question_answer_and_report_stand_in_the_order_in_which_they_were_said(page, turn, worker):
    end(turn, Ask("Which country?"))
    page.get_by_label("Your answer").fill("Norway")
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".stopped")).to_be_visible()
    end(turn, Ask("Which year?"))
    expect(page.get_by_text("Which year?").first).to_be_visible()
    page.get_by_label("Your answer").fill("2026")
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".stopped")).to_have_count(2)
    end(turn, Succeed("Found three companies."))
    report_on(turn)

    told = page.locator(".said-text, .reply-question .prose, .reply-report .prose")
    story = [re.compile("Find 20"), "Which country?", "Norway", "Which year?", "2026", re.compile("Found three")]
    expect(told).to_have_text(story)
    page.locator(".reply-report").get_by_role("button", name="Helpful", exact=True).click()
    expect(page.locator(".reply-report [aria-label=Helpful]")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(told).to_have_text(story)


def answers_of(turn):
    with tenant(turn.organization_id):
        return [given["text"] for given in Run.objects.get(id=turn.run_id).answers]


def test_the_composer_says_who_gets_the_message_and_lets_it_go_elsewhere_by_keyboard(page, turn, responder):
    words = page.locator("#recipient-words")
    composer = page.get_by_label("Your message")
    expect(words).to_have_count(0)

    end(turn, Ask("Which country?"))
    expect(page.locator("#announcer")).to_contain_text("A question of running work arrived.")
    expect(words).to_have_text(re.compile(r"Answering: Signals Search\s+Which country\?"))
    expect(page.locator("#announcer")).to_contain_text("Answering: Signals Search")
    to_chat = page.get_by_role("button", name="Send to chat instead")
    expect(to_chat).to_be_disabled()
    composer.press_sequentially("What is that good for?")
    expect(words).to_contain_text("Sending to chat.")
    expect(page.get_by_role("button", name="Send to Signals Search instead")).to_be_enabled()
    composer.fill("Norway")
    expect(words).to_contain_text("Answering: Signals Search")

    responder.plan(WireAnswer(outcome="answer", citations=[], unresolved=["Norway"], offer="", text="Unknown."))
    composer.press("Shift+Tab")  # the documents stand between
    page.keyboard.press("Shift+Tab")
    expect(to_chat).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator(".said-text")).to_have_text([re.compile("Find 20"), "Norway"])
    expect(page.locator(".reply .prose").last).to_have_text("Unknown.")
    expect(composer).to_have_value("")
    expect(composer).to_be_focused()
    assert answers_of(turn) == []


def test_what_went_to_chat_is_sent_to_the_run_after_all(page, turn, responder):
    end(turn, Ask("Which country?"))
    composer = page.get_by_label("Your message")
    expect(page.locator("#recipient-words")).to_contain_text("Answering: Signals Search")
    responder.plan(WireAnswer(outcome="answer", citations=[], unresolved=["The north"], offer="", text="Unknown."))

    composer.fill("What about the north?")
    composer.press("Enter")
    page.locator(".exchange").last.get_by_role("button", name="Send to Signals Search instead").press("Enter")

    expect(page.locator(".stopped")).to_have_text("Your answer was passed on, and the work goes on.")
    expect(page.locator("#recipient-words")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Send to"))).to_have_count(0)
    assert answers_of(turn) == ["What about the north?"]


def test_without_script_the_choice_is_a_button_of_the_form(visits, turn):
    end(turn, Ask("Which country?"))
    plain = visits.open(f"/chat/{turn.conversation_id}/", java_script_enabled=False).page

    plain.get_by_label("Your message").fill("What about the north?")
    plain.get_by_role("button", name="Send to chat instead").click()

    expect(plain.locator(".said-text")).to_have_text([re.compile("Find 20"), "What about the north?"])
    assert answers_of(turn) == []
