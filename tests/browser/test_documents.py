"""Documents of a chat in a browser: chosen in the dialog, dropped into the composer, followed until ready."""

import base64
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agencycore.tenancy import tenant
from chat.documents import choose_documents
from conversations.actions import start_conversation
from conversations.models import Conversation
from knowledge.models import KnowledgeSource

pytestmark = pytest.mark.browser

DROP = """([name, data]) => {
    const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name));
    document.querySelector(".composer-box")
        .dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(autouse=True)
def _files(settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def handbook(owner):
    return document(owner, "Handbook")


def document(person, title):
    with tenant(person.organization.id):
        return KnowledgeSource.objects.create(
            organization=person.organization, title=title, content_hash=title, size=10, state="ready"
        )


def drop(page, name, data):
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def chosen(person):
    with tenant(person.organization.id):
        return Conversation.objects.get().documents


def test_documents_are_chosen_by_keyboard_before_the_first_message(page, owner, worker, handbook):
    document(owner, "Price list")
    worker.pause()
    page.get_by_label("Choose or add documents").press("Enter")
    page.get_by_label("Ready documents").press_sequentially("hand")
    expect(page.locator(".document-option")).to_have_text([re.compile("Handbook")])
    page.get_by_role("checkbox").press("Space")
    page.get_by_role("button", name="Use these").press("Enter")

    chip = page.locator(".document-chip")
    expect(chip).to_have_text([re.compile("Handbook")])
    expect(page.get_by_label("Choose or add documents")).to_be_focused()
    page.get_by_label("Your message").fill("What does it say?")
    page.keyboard.press("Enter")

    expect(page.locator(".exchange")).to_be_visible()
    expect(chip).to_have_text([re.compile("Handbook")])
    assert chosen(owner) == [str(handbook.id)]
    page.reload()
    expect(chip).to_have_text([re.compile("Handbook")])


def test_what_ends_a_dialog_is_in_sight_in_a_low_window(page, owner):
    for number in range(12):
        document(owner, f"Handbook {number}")

    for width, height in ((1000, 700), (360, 480)):
        page.set_viewport_size({"width": width, "height": height})
        page.get_by_label("Choose or add documents").click()
        expect(page.get_by_role("button", name="Use these")).to_be_in_viewport(ratio=1)
        page.get_by_role("button", name="Close", exact=True).click()


def test_a_dropped_file_is_uploaded_chosen_and_followed_until_it_is_ready(page, owner, worker):
    worker.pause()
    page.get_by_label("Your message").fill("How long is the trial?")
    drop(page, "trial.md", b"# Trial\n\nThe trial takes fourteen days.")

    chip = page.locator("[data-document]")
    expect(chip).to_have_attribute("data-state", "uploaded")
    expect(chip).to_contain_text("waiting")
    expect(page.get_by_label("Your message")).to_have_value("How long is the trial?")
    worker.go_on()

    expect(chip).to_have_attribute("data-state", "ready")
    expect(page.locator("#announcer")).to_contain_text("Trial is ready.")


def test_a_file_that_is_on_its_way_when_the_chat_begins_is_chosen_for_it(page, owner, worker):
    worker.pause()
    held = []
    page.route("**/chat/documents/", lambda route: held.append(route))
    drop(page, "trial.md", b"# Trial\n\nThe trial takes fourteen days.")
    expect(page.locator(".document-chip")).to_contain_text("uploading")

    page.get_by_label("Your message").fill("How long is the trial?")
    page.keyboard.press("Enter")
    expect(page.locator(".exchange")).to_be_visible()
    expect(page.locator(".document-chip")).to_contain_text("uploading")
    with page.expect_response(lambda response: re.search(r"/chat/[0-9a-f-]{36}/documents/$", response.url)):
        held[0].continue_()

    expect(page.locator("[data-document]")).to_have_attribute("data-state", "uploaded")
    expect(page.locator(".document-chip")).to_have_count(1)
    with tenant(owner.organization.id):
        source = KnowledgeSource.objects.get()
    assert chosen(owner) == [str(source.id)]


def test_a_file_that_cannot_be_taken_is_explained(page, owner):
    drop(page, "empty.md", b"")

    expect(page.get_by_role("alert")).to_have_text("The file is empty.")
    expect(page.locator(".document-chip")).to_have_count(0)


def test_a_chip_is_removed_and_the_other_tab_follows(visits, owner, handbook):
    with tenant(owner.organization.id):
        conversation = start_conversation(actor=owner.actor, title="Talk")
        choose_documents(actor=owner.actor, conversation_id=conversation.id, documents=[handbook.id])
    tabs = [visits.open(f"/chat/{conversation.id}/").page for _ in range(2)]
    expect(tabs[1].locator(".document-chip")).to_have_count(1)

    tabs[0].get_by_role("button", name="Do not read Handbook").press("Enter")

    for tab in tabs:
        expect(tab.locator(".document-chip")).to_have_count(0)
    expect(tabs[0].get_by_label("Choose or add documents")).to_be_focused()
    assert chosen(owner) == []


def test_documents_are_chosen_without_script(visits, owner, handbook):
    page = visits.open(java_script_enabled=False).page

    page.get_by_label("Choose or add documents").click()
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Use these").click()
    page.get_by_label("Your message").fill("What does it say?")
    page.get_by_role("button", name="Send").click()

    expect(page.locator(".document-chip")).to_have_text([re.compile("Handbook")])
    page.get_by_role("button", name="Do not read Handbook").click()
    expect(page.locator(".document-chip")).to_have_count(0)
    assert chosen(owner) == []
