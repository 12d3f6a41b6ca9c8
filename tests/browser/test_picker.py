"""The picker of records in a browser: "@" and the first letters of a name."""

import re

import pytest
from playwright.sync_api import expect

from agencycore.tenancy import tenant
from conversations.models import Message
from crm.models import Company

pytestmark = pytest.mark.browser


def test_a_record_is_chosen_with_an_at_sign(page, owner, worker, company):
    worker.pause()
    field = page.get_by_label("Your message")

    field.press_sequentially("Who owns @lar")
    expect(page.get_by_role("option", name="Larch & Sons Company · larch.example")).to_be_visible()
    field.press("Enter")
    expect(field).to_have_value("Who owns Larch & Sons ")
    expect(page.locator(".composer-chip")).to_have_text(re.compile("Larch & Sons"))
    field.press_sequentially("today?")
    field.press("Enter")

    expect(page.locator(".said-chips")).to_have_text("Larch & Sons")
    with tenant(owner.organization.id):
        assert [(ref["kind"], ref["id"]) for ref in Message.objects.get().refs] == [("company", str(company.pk))]


def test_a_record_goes_with_the_text_it_was_picked_in_and_comes_back_with_it(visits, company, owner):
    with tenant(owner.organization.id):
        opened = Company.objects.create(organization=owner.organization, name="Alder Ltd")
    page = visits.open(f"/?ref=company:{opened.pk}").page
    field = page.get_by_label("Your message")
    chips = page.locator("#composer-chips .composer-chip .truncate")
    field.press_sequentially("Who owns @lar")
    page.get_by_role("option").click()
    expect(chips).to_have_text(["Alder Ltd", "Larch & Sons"])
    page.reload()
    expect(chips).to_have_text(["Alder Ltd", "Larch & Sons"])

    field.fill("Who owns it?")
    expect(chips).to_have_text(["Alder Ltd", "Larch & Sons"])
    field.fill("")
    expect(chips).to_have_text(["Alder Ltd"])
    expect(page.locator("#announcer")).to_contain_text("Larch & Sons was left out with the text.")
    field.fill("Who owns Larch & Sons today?")
    expect(chips).to_have_text(["Alder Ltd", "Larch & Sons"])

    field.fill("")
    page.reload()
    expect(chips).to_have_text(["Alder Ltd"])


def test_a_second_record_is_chosen_right_behind_the_first(page, owner, company):
    with tenant(owner.organization.id):
        Company.objects.create(organization=owner.organization, name="Alder Ltd")
    field = page.get_by_label("Your message")

    for typed in ("@lar", "@ald"):
        field.press_sequentially(typed)
        expect(page.get_by_role("option")).to_have_count(1)
        field.press("Enter")

    expect(field).to_have_value("Larch & Sons Alder Ltd ")
    expect(page.locator(".composer-chip .truncate")).to_have_text(["Larch & Sons", "Alder Ltd"])


def test_the_picker_says_that_nothing_matches_and_lets_the_message_go(page, worker, company):
    worker.pause()
    field = page.get_by_label("Your message")

    field.press_sequentially("Meet me @noon")
    expect(page.get_by_role("option")).to_have_text("No record matches “noon”.")
    expect(page.locator("#announcer")).to_contain_text("No record matches “noon”.")
    field.press_sequentially(" or a bit later")
    expect(page.locator("#picker")).to_be_hidden()
    field.fill("Meet me @dusk")
    expect(page.get_by_role("option")).to_have_text("No record matches “dusk”.")
    field.press("Enter")

    expect(page.locator(".said-text")).to_have_text("Meet me @dusk")
