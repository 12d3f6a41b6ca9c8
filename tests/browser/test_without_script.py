"""The pages in a browser without script: what works, and that nothing is promised that only a script does."""

import pytest
from playwright.sync_api import expect

from agencycore.ai.wire import WireAnswer
from tests.chat.conversations import answer, ask

pytestmark = pytest.mark.browser


def said(text: str) -> WireAnswer:
    return WireAnswer(outcome="answer", citations=[], unresolved=["More"], offer="", text=text)


def test_everything_works_without_script(visits, owner, worker, responder):
    responder.plan(said("Here it is."))
    page = visits.open(java_script_enabled=False).page

    page.get_by_label("Your message").fill("Without script")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".said-text")).to_have_text("Without script")
    worker.pool.shutdown()
    page.reload()

    expect(page.locator(".reply .prose")).to_have_text("Here it is.")


def test_what_only_a_script_does_is_offered_with_one_alone(visits, company):
    for path, words in [
        (f"/?ref=company:{company.id}", ["Enter to send", "for a record", "Light or dark"]),
        ("/knowledge/", ["or drop them here"]),
    ]:
        for has_script in (True, False):
            page = visits.open(path, java_script_enabled=has_script).page
            page.get_by_label("Account").click()
            for promise in words:
                expect(page.get_by_text(promise)).to_be_visible(visible=has_script)
            leave_out = page.get_by_role("button", name="Leave out Larch & Sons")
            expect(leave_out).to_have_count(int(has_script and "ref" in path))


def test_the_message_says_its_list_and_key_with_a_script_alone(visits):
    with_script, without = (
        visits.open(java_script_enabled=each).page.locator("#composer-text") for each in (True, False)
    )

    for name, value in [("aria-controls", "picker"), ("aria-autocomplete", "list"), ("enterkeyhint", "send")]:
        expect(with_script).to_have_attribute(name, value)
        expect(without).not_to_have_attribute(name, value)
    expect(without).to_have_accessible_description("Check the sources of what matters.")


def test_without_script_the_page_looks_for_the_answer_by_itself(visits, owner, worker, responder):
    responder.plan(said("It says how far a company has come."))
    worker.pause()
    page = visits.open("/", java_script_enabled=False).page

    page.get_by_role("button", name="What is lifecycle stage?").click()  # a starter

    expect(page.locator(".said-text")).to_have_text("What is lifecycle stage?")
    expect(page.get_by_role("link", name="Show the answer")).to_be_visible()
    worker.go_on()
    expect(page.locator(".reply .prose")).to_have_text("It says how far a company has come.")
    assert page.locator("meta[http-equiv=refresh]").count() == 0


def test_a_source_is_a_page_of_its_own_without_script(visits, owner):
    question = ask(owner)
    answer(owner, question)
    page = visits.open(f"/chat/{question.conversation_id}/", java_script_enabled=False).page

    page.locator("a.source").click()

    expect(page.locator(".passage")).to_contain_text("A lifecycle stage says")
    page.get_by_role("link", name="Back to the answer").click()
    expect(page.locator(".said-text")).to_be_visible()
