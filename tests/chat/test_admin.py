"""The audit desk: from a complaint to the message, its source, and what the model saw."""

import re
import uuid

import pytest
from django.contrib.admin import site
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.tenancy import tenant
from chat.forgetting import forget_source
from chat.models import Turn
from conversations.feedback import give_feedback
from conversations.models import Citation, Message
from knowledge.models import KnowledgeSource
from knowledge.platform_docs import sync_platform_docs
from organizations.auditing import StaffAdmin
from organizations.models import AuditView
from tests.chat.turning import ask, replies_to
from tests.people import Person

MESSAGES = "admin:conversations_message_changelist"


@pytest.fixture
def trial(db, tmp_path, owner: Person) -> Turn:
    """An answer that told a member how long the trial is."""
    (tmp_path / "trial.md").write_text("# Trial\n\nThe trial of AgencyCore takes 30 days and ends by itself.")
    sync_platform_docs(tmp_path)
    return ask(owner, "How long does the trial take?")


def rows(response) -> int:
    return len(response.context["cl"].result_list)


def test_a_complaint_leads_to_the_message_its_source_and_what_the_model_saw_in_three_clicks(trial, admin):
    staff = admin.client

    found = staff.get(reverse(MESSAGES), {"q": "trial 30 days"})
    assert rows(found) == 1
    message_url = re.search(r'href="([^"]*/message/[0-9a-f-]{36}/change/[^"]*)"', found.content.decode())
    assert message_url is not None
    message_page = staff.get(message_url[1].replace("&amp;", "&"))
    assert "The trial of AgencyCore takes 30 days" in message_page.content.decode()
    assert "Trial" in message_page.content.decode()
    assert "as cited" in message_page.content.decode()
    turn_url = reverse("admin:chat_turn_change", args=[trial.id])
    assert turn_url in message_page.content.decode()
    turn_page = staff.get(turn_url).content.decode()
    assert "What the model saw" in turn_page
    assert "ends by itself" in turn_page
    assert "knowledge" in turn_page.lower()


def test_each_look_at_a_message_or_turn_is_kept(trial, admin):
    [reply] = replies_to(trial)

    admin.client.get(reverse("admin:conversations_message_change", args=[reply.id]))
    admin.client.get(reverse("admin:chat_turn_change", args=[trial.id]))

    with tenant(trial.organization_id):
        looks = list(AuditView.objects.order_by("id").values_list("kind", "object_id", "staff__username"))
    assert looks == [("message", str(reply.id), "ada"), ("turn", str(trial.id), "ada")]


def test_what_is_opened_or_exported_elsewhere_is_kept_as_well(trial, owner, admin):
    turn = ask(owner, "What is the weather in Oslo?")
    [reply] = replies_to(trial)
    [gap] = replies_to(turn)
    with tenant(trial.organization_id):
        citation = Citation.objects.get()

    admin.client.get(reverse("admin:conversations_citation_change", args=[citation.id]))
    admin.client.get(reverse("admin:conversations_conversation_change", args=[trial.conversation_id]))
    opened = admin.client.get(reverse("admin:chat_knowledgegap_change", args=[gap.id]), follow=True)
    admin.client.post(reverse(MESSAGES), {"action": "export_csv", "_selected_action": [str(reply.id)]})

    assert "weather in Oslo" in opened.content.decode()
    with tenant(trial.organization_id):
        looks = list(AuditView.objects.order_by("id").values_list("kind", "object_id"))
    assert looks == [
        ("citation", str(citation.id)),
        ("conversation", str(trial.conversation_id)),
        ("message", str(gap.id)),
        ("message export", str(reply.id)),
    ]


def test_every_page_of_the_admin_is_bound_to_the_staff_members_organizations():
    unbound = [model.__name__ for model, page in site._registry.items() if not isinstance(page, StaffAdmin)]

    assert unbound == []


def test_a_strangers_staff_finds_nothing(trial, stranger):
    [reply] = replies_to(trial)
    staff = stranger.client

    assert rows(staff.get(reverse(MESSAGES), {"q": "trial"})) == 0
    for name in ("conversations_citation", "conversations_conversation", "chat_turn", "chat_knowledgegap"):
        assert rows(staff.get(reverse(f"admin:{name}_changelist"))) == 0
    for name, key in (("conversations_message", reply.id), ("chat_turn", trial.id)):
        real = staff.get(reverse(f"admin:{name}_change", args=[key]))
        unknown = staff.get(reverse(f"admin:{name}_change", args=[uuid.uuid4()]))
        assert real.status_code == unknown.status_code == 302
        assert real.headers["Location"] == unknown.headers["Location"]
    with tenant(trial.organization_id):
        assert not AuditView.objects.exists()


def test_a_member_who_is_no_staff_sees_no_admin(trial, owner):
    assert owner.client.get(reverse(MESSAGES)).status_code == 302
    assert Client().get(reverse(MESSAGES)).status_code == 302


def test_nothing_can_be_changed_or_deleted_here(trial, admin):
    [reply] = replies_to(trial)

    for name, key in (("conversations_message", reply.id), ("chat_turn", trial.id)):
        assert admin.client.post(reverse(f"admin:{name}_change", args=[key]), {"text": "x"}).status_code == 403
        assert admin.client.post(reverse(f"admin:{name}_delete", args=[key]), {"post": "yes"}).status_code == 403
    with tenant(trial.organization_id):
        assert Message.objects.get(id=reply.id).text == reply.text


def test_what_no_source_covered_is_listed_as_a_knowledge_gap(trial, owner, admin):
    ask(owner, "What is the weather in Oslo?")

    page = admin.client.get(reverse("admin:chat_knowledgegap_changelist"))

    assert rows(page) == 1
    assert "weather in Oslo" in page.content.decode()
    assert rows(admin.client.get(reverse(MESSAGES), {"unresolved": "yes"})) == 1


def test_rejected_refs_and_refusals_are_shown(trial, owner, admin):
    wrong = render_decision(
        WireAnswer(outcome="answer", citations=["r99"], unresolved=[], offer="", text="It takes a year [r99].")
    )
    with playing([wrong, wrong]):
        turn = ask(owner, "How long does the trial take?")

    page = admin.client.get(reverse("admin:chat_turn_change", args=[turn.id])).content.decode()

    assert turn.fallback == "invalid"
    assert "r99" in page
    assert "repair" in page


def test_a_citation_says_when_its_source_was_changed_or_deleted(trial, admin):
    [reply] = replies_to(trial)
    url = reverse("admin:conversations_message_change", args=[reply.id])
    with tenant(trial.organization_id):
        Citation.objects.update(content_hash="another")
    assert "changed since" in admin.client.get(url).content.decode()

    with tenant(trial.organization_id):
        source = KnowledgeSource.objects.get()
        redacted = forget_source(organization_id=trial.organization_id, source_id=source.id, chunk_ids=[])

    assert redacted == {"summaries": 0, "citations": 1, "briefs": 1, "choices": 0}
    page = admin.client.get(url).content.decode()
    assert ">deleted<" in page
    with tenant(trial.organization_id):
        assert Citation.objects.get().excerpt == ""
        turn = Turn.objects.get()
    assert turn.brief is not None
    assert "ends by itself" not in str(turn.brief) + str(turn.prompt)


def test_feedback_and_citations_are_listed_with_words_of_their_reply(trial, owner, admin):
    [reply] = replies_to(trial)
    with tenant(trial.organization_id):
        give_feedback(actor=owner.actor, message_id=reply.id, rating="unhelpful", comment="Too short.")
        title = reply.conversation.title

    feedback, citations = (
        admin.client.get(reverse(f"admin:conversations_{name}_changelist")).content.decode()
        for name in ("feedback", "citation")
    )

    for words in ("Too short.", title, "ends by itself"):
        assert words in feedback
    assert "ends by itself" in citations
    assert str(reply.id) not in feedback + citations


@pytest.mark.parametrize(
    "name",
    ["conversations_message", "chat_turn", "chat_knowledgegap", "conversations_citation", "conversations_feedback"],
)
def test_lists_cost_the_same_statements_however_long(trial, owner, admin, name):
    url = reverse(f"admin:{name}_changelist")
    client = admin.client
    client.get(url)  # the session's first request

    def statements() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url).status_code == 200
        return len(captured)

    few = statements()
    for question in ("How long does the trial take?", "What is the weather in Oslo?") * 3:
        [reply] = replies_to(ask(owner, question))
        with tenant(trial.organization_id):
            give_feedback(actor=owner.actor, message_id=reply.id, rating="helpful")

    assert statements() == few


def test_messages_are_exported_as_csv(trial, admin):
    with tenant(trial.organization_id):
        ids = [str(message.id) for message in Message.objects.all()]

    response = admin.client.post(reverse(MESSAGES), {"action": "export_csv", "_selected_action": ids})

    text = response.content.decode("utf-8-sig")
    assert response.headers["Content-Type"].startswith("text/csv")
    assert len(text.strip().splitlines()) == 3
    assert "How long does the trial take?" in text
