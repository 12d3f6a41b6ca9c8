"""The knowledge page in a browser: it follows what becomes of documents, without asking again and again."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agencycore.tenancy import tenant
from knowledge.actions import delete_source
from tests.knowledge.documents import HANDBOOK, upload

pytestmark = pytest.mark.browser

FILE = {"name": "handbook.md", "mimeType": "text/markdown", "buffer": HANDBOOK}


@pytest.fixture(autouse=True)
def _files(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


def rows(page: Page):
    return page.locator("[data-sources] tbody tr")


def lists_fetched(page: Page) -> list[str]:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if request.resource_type == "fetch" else None)
    return fetched


def test_an_upload_is_followed_until_it_is_ready(visits, worker):
    worker.pause()
    page = visits.open("/knowledge/").page
    page.locator("input[type=file]").set_input_files(FILE)
    expect(rows(page)).to_have_text([re.compile("handbook.*Waiting", re.DOTALL)])

    worker.go_on()

    expect(rows(page)).to_have_text([re.compile("Travel handbook.*3 passages", re.DOTALL)])


def test_why_a_document_failed_is_not_squeezed_by_a_long_file_name(visits, owner):
    upload(owner, b"%PDF-1.4 a page", "the-quarterly-report-of-the-whole-northern-region-as-it-was-sent.pdf")
    page = visits.open("/knowledge/", width=1000).page
    expect(page.locator(".source-reason")).to_be_visible()

    for width in (1000, 700, 360):
        page.set_viewport_size({"width": width, "height": 800})
        reason = page.locator(".source-reason").bounding_box()
        room, wanted = page.locator(".table-wrap").evaluate("(wrap) => [wrap.clientWidth, wrap.scrollWidth]")
        assert (reason["width"] >= 180, reason["height"] <= 100, wanted <= room) == (True, True, True), width


def test_what_a_colleague_does_is_shown(visits, worker, teammate):
    page = visits.open("/knowledge/").page
    expect(page.get_by_text("No documents yet")).to_be_visible()

    source = upload(teammate)

    expect(rows(page)).to_have_text([re.compile("Travel handbook.*3 passages", re.DOTALL)])
    with tenant(teammate.organization.id):
        delete_source(actor=teammate.actor, source_id=source.id)
    expect(page.get_by_text("No documents yet")).to_be_visible()


def test_while_nothing_happens_the_list_is_asked_for_now_and_then_only(visits, worker, owner):
    worker.pause()
    upload(owner)
    page = visits.open("/knowledge/").page
    page.clock.install()  # the page's own time: nobody waits for it
    page.reload()
    expect(rows(page)).to_have_text([re.compile("Waiting")])
    fetched = lists_fetched(page)

    page.clock.run_for(15_000)
    assert fetched == []

    with page.expect_request("**/knowledge/"):
        page.clock.run_for(10_000)


def test_a_menu_that_is_open_stays_and_the_list_is_renewed_after_it(visits, worker, owner):
    upload(owner)
    page = visits.open("/knowledge/").page
    expect(rows(page)).to_have_text([re.compile("3 passages")])
    with page.expect_websocket() as socket:
        page.reload()
    page.get_by_label("Delete Travel handbook").click()

    with socket.value.expect_event("framereceived", lambda said: '"ready"' in str(said)):
        upload(owner, b"Fees are listed here.", "fees.txt")

    expect(page.get_by_role("button", name="Delete for everyone")).to_be_visible()
    expect(rows(page)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(rows(page)).to_have_count(2)
