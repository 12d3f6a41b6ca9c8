"""What is typed is not lost: by a reload, by going back, by a session that ends meanwhile."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.chat.conversations import answer, ask, citation

pytestmark = pytest.mark.browser

HALF = "Which of our deals are\nhalf-written?"


def field(page: Page):
    return page.get_by_label("Your message")


def drafts(page: Page) -> list[str]:
    return page.evaluate_handle("Object.keys(sessionStorage)").json_value()


def log_in_again(page: Page, owner) -> None:
    owner.user.set_password("a long password")
    owner.user.save()
    page.get_by_label("Username").fill(owner.user.username)
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()


def test_a_draft_outlives_a_reload_and_going_away_and_back(visits, owner):
    question = ask(owner)
    page = visits.open(f"/chat/{question.conversation_id}/").page
    field(page).fill(HALF)

    page.reload()
    expect(field(page)).to_have_value(HALF)

    page.goto("/knowledge/")
    page.go_back()
    expect(field(page)).to_have_value(HALF)

    page.goto("/")
    expect(field(page)).to_have_value("")


def test_each_chat_has_its_own_draft_with_its_records(visits, owner, company):
    question = ask(owner)
    page = visits.open("/").page
    field(page).fill("Of a new chat")
    page.goto(f"/chat/{question.conversation_id}/")
    expect(field(page)).to_have_value("")
    field(page).press_sequentially("Of an old chat @lar")
    page.get_by_role("option").click()

    page.reload()

    expect(field(page)).to_have_value(re.compile("^Of an old chat"))
    expect(page.locator("#composer-chips .composer-chip")).to_have_text(re.compile("Larch & Sons"))
    page.goto("/")
    expect(field(page)).to_have_value("Of a new chat")


def test_a_draft_ends_when_its_message_was_accepted(page, worker):
    worker.pause()
    field(page).fill(HALF)
    assert len(drafts(page)) == 1

    page.keyboard.press("Enter")

    expect(field(page)).to_have_value("")
    assert drafts(page) == []
    page.reload()
    expect(field(page)).to_have_value("")


@pytest.mark.parametrize("gone", [("sessionid",), ("sessionid", "csrftoken")])
def test_a_session_that_ended_is_said_and_the_text_is_there_after_log_in(visits, owner, worker, gone):
    question = ask(owner)
    visit = visits.open(f"/chat/{question.conversation_id}/")
    page = visit.page
    field(page).fill(HALF)
    for name in gone:
        visit.context.clear_cookies(name=name)

    page.keyboard.press("Enter")

    error = page.locator("#composer-error")
    expect(error).to_contain_text("What you wrote is kept.")
    expect(field(page)).to_have_value(HALF)
    error.get_by_role("link").click()
    log_in_again(page, owner)
    expect(page).to_have_url(re.compile(f"/chat/{question.conversation_id}/$"))
    expect(field(page)).to_have_value(HALF)
    worker.pause()
    field(page).press("Enter")
    expect(page.locator(".said-text").last).to_have_text(HALF)


def test_a_page_whose_token_is_gone_is_loaded_again_with_the_text(visits, owner):
    visit = visits.open("/")
    field(visit.page).fill(HALF)
    visit.context.clear_cookies(name="csrftoken")

    visit.page.keyboard.press("Enter")

    error = visit.page.locator("#composer-error")
    expect(error).to_have_text("This page has been open for too long. What you wrote is kept. Load it again")
    error.get_by_role("link").click()
    expect(error).to_be_hidden()
    expect(field(visit.page)).to_have_value(HALF)


def test_who_logs_out_leaves_no_draft_behind(page, owner):
    field(page).fill(HALF)

    page.locator("summary[aria-label=Account]").click()
    page.get_by_role("button", name="Log out").click()

    expect(page).to_have_url(re.compile("/login/"))
    assert drafts(page) == []


def test_a_copied_answer_keeps_its_markers_apart(visits, owner):
    question = ask(owner)
    answer(owner, question, "Which one? [1] [2]", [citation(1, "r1"), citation(2, "r2")])
    visit = visits.open(f"/chat/{question.conversation_id}/", permissions=["clipboard-read", "clipboard-write"])

    visit.page.get_by_role("button", name="Copy the answer").click()

    expect(visit.page.locator("#announcer")).to_have_text("Copied.")
    copied = visit.page.evaluate_handle("navigator.clipboard.readText()").json_value()
    assert copied.split() == ["Which", "one?", "[1]", "[2]"]
    expect(visit.page.locator("a.marker").first).to_have_text("1")
