"""The chat page in a browser: asking, following, checking, stopping, coming back."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from agencycore.ai.wire import WireAnswer, WireClarify, WireOption
from agencycore.streams.doorbell import get_doorbell
from agencycore.streams.publisher import NewEvent, publish, publish_live
from agencycore.streams.subscription import Subscription
from agencycore.tenancy import tenant
from chat.actions import end_turn
from chat.models import Turn
from conversations.feedback import give_feedback
from conversations.models import Feedback, Message
from organizations.models import Membership
from tests.chat.conversations import answer, ask, citation

pytestmark = pytest.mark.browser


def stage(text="Larch & Sons is in evaluation. [r1]", citations=("r1",), unresolved=()):
    return WireAnswer(outcome="answer", citations=list(citations), unresolved=list(unresolved), offer="", text=text)


def write(page: Page, text: str) -> None:
    page.get_by_label("Your message").fill(text)


def send(page: Page, text: str) -> None:
    write(page, text)
    page.keyboard.press("Enter")


def test_a_question_is_followed_to_its_answer_and_the_source_opens(visits, worker, responder, company):
    responder.plan(stage())
    worker.pause()
    page = visits.open(f"/?ref=company:{company.pk}").page
    expect(page.locator(".composer-chip")).to_have_text(re.compile("Larch & Sons"))

    send(page, "Which stage is this company in?")

    expect(page.locator(".said-text")).to_have_text("Which stage is this company in?")
    expect(page.locator("[data-progress]")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_label("Your message")).to_have_value("")
    expect(page).to_have_url(re.compile(r"/chat/[0-9a-f-]{36}/$"))

    worker.go_on()

    expect(page.locator(".reply .prose")).to_have_text("Larch & Sons is in evaluation.\u202f1")
    expect(page.locator("[data-running]")).to_have_count(0)
    page.locator("a.source").click()
    expect(page.locator("#panel h2")).to_have_text(re.compile("Larch & Sons"))
    expect(page.locator("#panel .passage")).to_contain_text("larch.example")
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    expect(page.locator("a.source")).to_be_focused()

    before = page.locator("#exchanges").inner_text()
    page.reload()
    assert page.locator("#exchanges").inner_text() == before


def test_the_marker_in_the_text_opens_the_same_passage_by_keyboard(visits, owner):
    question = ask(owner)
    answer(owner, question, "A [1] b [2]", [citation(1, "r4", excerpt="Fourth."), citation(2, "r1", excerpt="First.")])
    page = visits.open(f"/chat/{question.conversation_id}/").page

    page.get_by_role("link", name="Source 2").press("Enter")

    expect(page.locator("#panel .passage")).to_have_text("First.")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("#panel")).to_be_hidden()


def test_focus_returns_to_a_source_that_was_rendered_anew_meanwhile(visits, owner):
    question = ask(owner)
    reply = answer(owner, question)
    page = visits.open(f"/chat/{question.conversation_id}/").page
    page.locator("a.source").click()
    expect(page.locator("#panel .passage")).to_be_visible()

    with tenant(owner.organization.id):
        give_feedback(actor=owner.actor, message_id=reply.id, rating="helpful")
        publish(
            stream=question.conversation.stream_name,
            organization_id=owner.organization.id,
            events=[NewEvent("message.created", {"message": str(reply.id), "in_reply_to": str(question.id)})],
        )
    expect(page.locator("[aria-label=Helpful]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")

    expect(page.locator("a.source")).to_be_focused()


def test_enter_sends_and_shift_enter_makes_a_line(page, worker):
    worker.pause()
    field = page.get_by_label("Your message")

    field.press_sequentially("one")
    field.press("Shift+Enter")
    field.press_sequentially("two")
    field.press("Enter")

    expect(page.locator(".said-text")).to_have_text("one\ntwo", use_inner_text=True)


def test_an_empty_message_cannot_be_sent(page):
    expect(page.get_by_role("button", name="Send")).to_be_disabled()
    page.get_by_label("Your message").press("Enter")
    expect(page.locator(".exchange")).to_have_count(0)


def test_stop_keeps_the_question_and_no_answer_comes_later(page, worker, responder):
    worker.pause()
    send(page, "Summarise everything")

    page.get_by_role("button", name="Stop").click()

    expect(page.locator(".stopped")).to_have_text("You stopped this answer.")
    worker.go_on()
    worker.pool.shutdown()
    page.reload()
    expect(page.locator(".stopped")).to_be_visible()
    expect(page.locator(".reply")).to_have_count(0)
    assert responder.requests == []


def test_a_failed_question_is_retried_in_place(page, owner, worker, responder):
    responder.plan(stage("It can be asked about.", [], ["Nothing covers this."]))
    worker.pause()
    send(page, "What now?")
    expect(page.locator("[data-running]")).to_be_visible()
    with tenant(owner.organization.id):
        end_turn(Turn.objects.get(), Turn.State.FAILED, error_code="deadline", error_text="This took too long.")

    expect(page.locator(".failed")).to_contain_text("This took too long.")
    page.reload()
    worker.go_on()
    page.get_by_role("button", name="Retry").click()

    expect(page.locator(".unresolved")).to_have_text("Could not answer: Nothing covers this.")
    expect(page.locator(".exchange")).to_have_count(1)


def test_an_option_answers_a_question_that_was_asked_back(page, owner, responder):
    options = [WireOption(label="The first of them", ref=""), WireOption(label="The second", ref="")]
    responder.plan(
        WireClarify(outcome="clarify", question="Which one do you mean?", options=options),
        stage("It is fine.", [], ["No document covers this."]),
    )
    send(page, "Tell me about it")

    page.get_by_role("button", name="The second").click()

    expect(page.locator(".said-text")).to_have_text(["Tell me about it", "The second"])
    expect(page.locator(".reply")).to_have_count(2)
    expect(page.get_by_role("button", name="The first of them")).to_be_hidden()


def test_a_message_that_could_not_be_delivered_stays_and_is_sent_once(page, owner, worker):
    worker.pause()
    page.route("**/chat/messages/", lambda route: route.abort())
    send(page, "Keep me")
    expect(page.get_by_role("alert")).to_have_text(
        "The server could not be reached. Check your connection and try again."
    )
    expect(page.get_by_label("Your message")).to_have_value("Keep me")

    page.unroute("**/chat/messages/")
    page.keyboard.press("Enter")

    expect(page.locator(".said-text")).to_have_text("Keep me")
    with tenant(owner.organization.id):
        assert Message.objects.count() == 1


def test_an_answer_to_the_first_sending_that_got_lost_makes_no_second_message(page, owner, worker):
    worker.pause()

    def deliver_and_lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/chat/messages/", deliver_and_lose)
    send(page, "Once only")
    expect(page.get_by_role("alert")).to_be_visible()
    page.unroute("**/chat/messages/")
    page.keyboard.press("Enter")

    expect(page.locator(".said-text")).to_have_text("Once only")
    with tenant(owner.organization.id):
        assert Message.objects.count() == 1


def test_a_refused_message_is_explained_at_the_composer(page, settings):
    settings.MESSAGES_PER_MINUTE = 0

    send(page, "One too many")

    expect(page.get_by_role("alert")).to_contain_text("messages in a minute")
    expect(page.get_by_label("Your message")).to_have_value("One too many")


def test_two_tabs_end_in_the_same_state(visits, owner, worker, responder):
    responder.plan(stage("It is so.", [], ["No document covers this."]))
    question = ask(owner, "Hello there")
    tabs = [visits.open(f"/chat/{question.conversation_id}/").page for _ in range(2)]

    send(tabs[0], "Is it so?")

    for tab in tabs:
        expect(tab.locator(".said-text")).to_have_text(["Hello there", "Is it so?"])
        expect(tab.locator(".reply .prose")).to_have_text("It is so.")


def test_the_page_catches_up_though_redis_says_nothing(visits, owner, responder, monkeypatch):
    monkeypatch.setattr(get_doorbell(), "ring", lambda group, message: None)
    monkeypatch.setattr(Subscription, "poll_seconds", 0.2)
    responder.plan(stage("Found it.", [], ["No document covers this."]))
    page = visits.open().page

    send(page, "Are you there?")

    expect(page.locator(".reply .prose")).to_have_text("Found it.")


def test_a_reader_that_closed_the_tab_finds_question_and_answer_once(visits, owner, worker, responder):
    responder.plan(stage("Here it is.", [], ["No document covers this."]))
    worker.pause()
    visit = visits.open()
    send(visit.page, "Leaving now")
    expect(visit.page.locator("[data-running]")).to_be_visible()
    visit.page.close()
    worker.go_on()
    worker.pool.shutdown()

    page = visits.open().page
    page.get_by_role("link", name="Leaving now", exact=True).click()

    expect(page.locator(".said-text")).to_have_text(["Leaving now"])
    expect(page.locator(".reply .prose")).to_have_text(["Here it is."])


def test_only_start_and_end_are_announced(page, worker, responder):
    responder.plan(stage("It is so.", [], ["No document covers this."]))
    send(page, "Tell me")

    expect(page.locator(".reply")).to_be_visible()
    expect(page.locator("#announcer span")).to_have_text(
        ["Your message was sent. Working on an answer.", "The answer is here."]
    )


def test_an_answer_with_markup_does_nothing(visits, owner):
    question = ask(owner, '<img src=x onerror="alert(1)">')
    attack = (
        "<script>alert(1)</script> ![p](https://evil.example/p) [x](javascript:alert(1)) <img src=x onerror=alert(1)>"
    )
    answer(
        owner, question, attack, [citation(label='"><script>alert(1)</script>', excerpt="<img src=x onerror=alert(1)>")]
    )
    visit = visits.open()
    asked, opened = [], []
    visit.page.on("request", lambda request: asked.append(request.url))
    visit.page.on("dialog", lambda dialog: opened.append(dialog.message))

    visit.page.goto(f"/chat/{question.conversation_id}/")
    visit.page.locator("a.source").click()
    expect(visit.page.locator("#panel .passage")).to_have_text("<img src=x onerror=alert(1)>")

    assert opened == []
    assert [url for url in asked if not url.startswith(visits.site)] == []


def test_streamed_text_is_shown_while_it_arrives_and_replaced_by_the_answer(page, owner, worker, responder):
    responder.plan(stage("Larch grows slowly.", [], ["No document covers this."]))
    worker.pause()
    send(page, "How does it grow?")
    expect(page.locator("[data-running]")).to_be_visible()
    with tenant(owner.organization.id):
        turn = Turn.objects.get()
    live = {"turn": str(turn.id), "message": str(turn.message_id)}

    expect(page.locator("#chat")).to_have_attribute("data-after", "1")  # the socket has joined

    show(owner, turn, "turn.delta", live | {"text": "🌲 Larch ", "at": 0})
    show(owner, turn, "turn.delta", live | {"text": "lost", "at": 99})
    show(owner, turn, "turn.delta", live | {"text": "<b>grows", "at": 8})
    expect(page.locator("[data-live]")).to_have_text("🌲 Larch <b>grows")
    show(owner, turn, "turn.reset", live)
    expect(page.locator("[data-live]")).to_be_hidden()

    worker.go_on()
    expect(page.locator(".reply .prose")).to_have_text("Larch grows slowly.")
    expect(page.locator("[data-live]")).to_have_count(0)


def show(person, turn, name, payload):
    publish_live(
        stream=f"conversation:{turn.conversation_id}",
        organization_id=person.organization.id,
        event=NewEvent(name, payload),
    )


# --- the frame ------------------------------------------------------------------------------


def test_a_person_logs_in_and_out(browser, site, owner):
    owner.user.set_password("a long password")
    owner.user.save()
    context = browser.new_context(base_url=site)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Username").fill(owner.user.username)
    page.get_by_label("Password").fill("a long password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="What would you like to know?", level=1)).to_be_visible()

    page.locator(".account summary").click()
    page.get_by_role("button", name="Log out").click()

    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
    context.close()


def test_the_chosen_theme_is_remembered(visits):
    page = visits.open(color_scheme="light").page
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)

    page.locator(".account summary").click()
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(background)
    page.reload()

    assert light != dark
    assert page.evaluate(background) == dark
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_narrow_screen_has_a_drawer_and_no_sideways_scrolling(visits, owner):
    question = ask(owner, "word" * 60)
    answer(owner, question, "| a | b |\n|---|---|\n| " + "x" * 200 + " | y |\n\n`" + "z" * 200 + "`")
    page = visits.open(f"/chat/{question.conversation_id}/", width=360).page
    sidebar = page.locator("#sidebar")
    expect(sidebar).to_be_hidden()

    page.get_by_role("button", name="Open navigation").click()
    expect(sidebar.get_by_role("link", name="New chat")).to_be_visible()
    expect(sidebar.get_by_role("link", name="AgencyCore")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".topbar :focus, .main :focus")).to_have_count(0)
    sidebar.get_by_label(re.compile("Rename, export or delete")).click()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(sidebar.get_by_label(re.compile("Rename, export or delete"))).to_be_focused()
    page.keyboard.press("Escape")

    expect(sidebar).to_be_hidden()
    expect(page.get_by_role("button", name="Open navigation")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_list_is_searched_while_typing(page, owner):
    answer(owner, ask(owner, "About renewals"), "The term is annual.", [])
    ask(owner, "Hello")
    page.reload()

    page.get_by_label("Search chats").press_sequentially("annual")

    expect(page.locator(".talk-link")).to_have_text(["About renewals"])


def test_what_is_a_button_by_its_role_is_pressed_by_space(visits, owner):
    question = ask(owner)
    answer(owner, question)
    page = visits.open(f"/chat/{question.conversation_id}/", width=360).page

    page.get_by_role("button", name="Not helpful").press("Space")
    expect(page.get_by_role("dialog", name="What was wrong?")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open navigation").press("Space")
    expect(page.locator("#sidebar")).to_be_visible()
    page.get_by_role("button", name="Close navigation").press("Space")

    expect(page.locator("#sidebar")).to_be_hidden()


def test_a_chat_is_renamed_and_deleted(visits, owner):
    question = ask(owner, "Old name")
    page = visits.open(f"/chat/{question.conversation_id}/").page

    page.locator("#chat-manage").click()
    page.get_by_label("Name", exact=True).fill("New name")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("#chat-title")).to_have_text("New name")

    page.locator("#chat-manage").click()
    page.get_by_text("Delete this chat…").click()
    page.get_by_role("button", name="Delete", exact=True).click()

    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator(".talk-link")).to_have_count(0)


def test_feedback_with_a_comment_shows_in_another_window_too(visits, owner):
    question = ask(owner)
    answer(owner, question)
    visit = visits.open(f"/chat/{question.conversation_id}/")
    page, other = visit.page, visit.context.new_page()
    other.goto(page.url)

    page.get_by_role("button", name="Not helpful").click()
    page.get_by_label("Comment").fill("Too short.")
    page.get_by_role("button", name="Send feedback").click()

    expect(page.locator("#dialog")).to_be_hidden()
    for window in (page, other):
        expect(window.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")
    with tenant(owner.organization.id):
        assert Feedback.objects.get().comment == "Too short."
    page.get_by_role("button", name="Not helpful").click()
    expect(page.get_by_label("Comment")).to_have_value("Too short.")


def test_the_skip_link_is_the_first_stop_of_the_keyboard(visits, owner):
    page = visits.open(f"/chat/{ask(owner).conversation_id}/").page

    page.keyboard.press("Tab")

    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()


def test_a_page_of_another_organization_keeps_its_text_and_says_why(visits, owner, other_organization):
    Membership.objects.create(organization=other_organization, user=owner.user)
    visit = visits.open()
    page, other_window = visit.page, visit.context.new_page()
    other_window.goto("/")
    other_window.get_by_label("Account").click()
    other_window.get_by_role("button", name="Birch").click()
    expect(other_window.locator(".account-organization")).to_have_text("Birch")

    send(page, "What does Acorn owe?")

    expect(page.locator("#composer-error")).to_contain_text("You have switched to Birch in another window.")
    expect(page.get_by_label("Your message")).to_have_value("What does Acorn owe?")
    for organization in (owner.organization, other_organization):
        with tenant(organization.id):
            assert Message.objects.count() == 0
