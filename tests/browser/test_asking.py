"""Asking by a click: a suggested question, and once more what was stopped."""

import re

import pytest
from playwright.sync_api import expect

from agencycore.tenancy import tenant
from conversations.models import Conversation, Message

pytestmark = pytest.mark.browser

LONG = "How many of our companies in Portugal and in Spain have a deal that is still open today?"


def test_a_suggested_question_is_sent_at_once_with_what_is_chosen(visits, owner, worker, company):
    worker.pause()
    page = visits.open(f"/?ref=company:{company.pk}").page
    expect(page.get_by_role("heading", level=1)).to_have_text("What would you like to know?")

    page.get_by_role("button", name="What is lifecycle stage?").press("Enter")

    expect(page.locator(".said-text")).to_have_text("What is lifecycle stage?")
    expect(page.locator(".said-chips")).to_have_text("Larch & Sons")
    expect(page.get_by_role("heading", level=1)).to_have_text("What is lifecycle stage?")
    expect(page.locator(".composer-chip")).to_have_count(0)
    expect(page.get_by_label("Your message")).to_be_focused()


def test_a_suggested_question_leaves_alone_what_is_being_written(visits, worker):
    worker.pause()
    page = visits.open().page
    page.get_by_label("Your message").fill("Half a thought")

    page.get_by_role("button", name="What is lifecycle stage?").click()

    expect(page.locator(".said-text")).to_have_text("What is lifecycle stage?")
    expect(page.get_by_label("Your message")).to_have_value("Half a thought")


def test_what_was_stopped_is_asked_again_with_its_record(visits, owner, worker, company):
    worker.pause()
    page = visits.open(f"/?ref=company:{company.pk}").page
    page.get_by_label("Your message").fill("Who owns it?")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Ask again").press("Enter")

    expect(page.locator(".said-text")).to_have_text(["Who owns it?", "Who owns it?"])
    expect(page.locator(".said-chips")).to_have_text(["Larch & Sons", "Larch & Sons"])
    expect(page.get_by_role("button", name="Ask again")).to_be_hidden()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Ask again")).to_have_count(1)  # of the newest
    with tenant(owner.organization.id):
        assert Message.objects.count() == 2


def test_the_name_of_a_long_question_says_that_it_is_cut(visits, owner, worker):
    worker.pause()
    page = visits.open().page
    page.get_by_label("Your message").fill(LONG)
    page.keyboard.press("Enter")
    expect(page.locator("#chat-title")).to_have_text(re.compile("still…$"))
    with tenant(owner.organization.id):
        name = Conversation.objects.get().title

    expect(page.locator("#chat-title")).to_have_text(name)
    expect(page.locator(".talk-link")).to_have_attribute("title", name)
    page.locator("#chat-manage").click()
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("title", name)


def test_a_new_api_token_is_shown_whole_on_a_narrow_screen(visits):
    page = visits.open("/account/", width=360).page

    page.get_by_role("button", name="Create a token").click()

    field = page.get_by_label("New API token")
    expect(field).to_have_value(re.compile("^[0-9a-f]{40}$"))
    assert field.evaluate("field => field.scrollWidth <= field.clientWidth && field.scrollHeight <= field.clientHeight")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
