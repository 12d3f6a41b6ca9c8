"""A turn in, the bounded brief of its message out."""

import uuid

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from agencycore.ai.types import ContextBrief, SourceName, SourceReport
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from chat.context import port
from chat.context.brief_json import brief_as_json, brief_from_json
from chat.context.builder import build_context
from chat.frontdoor.decision import Option
from conversations.scope import add_run_result
from organizations.models import Preference
from tests.chat.context.talk import Talk, company
from tests.people import Person

pytestmark = pytest.mark.django_db


def report(brief: ContextBrief, name: SourceName) -> SourceReport:
    return next(source for source in brief.sources if source.name == name)


def texts(brief: ContextBrief, source: SourceName) -> list[str]:
    return [item.text for item in brief.of(source)]


def test_a_sent_record_is_resolved_and_its_fields_are_evidence_with_a_key(owner: Person) -> None:
    acorn = company(owner, "Acorn Foods", industry="Food", lifecycle_stage="customer")

    brief = Talk(owner).ask("What industry is this company in?", refs=[acorn])

    item = brief.evidence[0]
    assert (brief.reference.status, brief.reference.refs) == ("resolved", (acorn,))
    assert (item.source, item.kind, item.id, item.key, item.pinned) == ("application", "company", acorn.id, "r1", True)
    assert "Industry: Food" in item.text
    assert brief.query == "What industry is this company in? Acorn Foods"


def test_a_first_message_has_an_empty_history(owner: Person) -> None:
    brief = Talk(owner).ask("What is lifecycle stage?")

    assert brief.message == brief.query == "What is lifecycle stage?"
    assert [source.name for source in brief.sources] == [
        "conversation",
        "application",
        "runs",
        "definitions",
        "knowledge",
        "memory",
        "capabilities",
    ]
    assert (report(brief, "conversation").state, report(brief, "application").state) == ("empty", "empty")
    assert brief.preamble.endswith("(UTC). Page: none. In scope: none.")


def test_a_speech_act_needs_no_records_and_no_search(owner: Person) -> None:
    brief = Talk(owner).ask("hello")

    assert (brief.message_class, brief.query, brief.reference.status) == ("greeting", "", "not_needed")
    assert report(brief, "knowledge").state == "skipped"


def test_the_newest_eleven_messages_go_in_verbatim_and_the_loss_is_recorded(owner: Person) -> None:
    talk = Talk(owner)
    for number in range(10):
        talk.exchange(f"Question {number}", f"Answer {number}")

    brief = talk.ask("What is lifecycle stage?")

    messages = brief.of("conversation")
    assert [item.text for item in messages] == [
        "Answer 4", *(f"{word} {number}" for number in range(5, 10) for word in ("Question", "Answer"))
    ]  # fmt: skip
    assert [item.payload["role"] for item in messages[:2]] == ["assistant", "user"]
    assert [item.text for item in messages if item.pinned] == ["Question 9", "Answer 9"]
    assert not any(item.evidence for item in messages)
    conversation = report(brief, "conversation")
    assert (conversation.items, conversation.dropped) == (11, 9)
    assert conversation.reason == "9 messages are not yet in the summary."


def test_the_summary_takes_one_slot_and_only_newer_messages_follow(owner: Person) -> None:
    talk = Talk(owner)
    for number in range(10):
        talk.exchange(f"Question {number}", f"Answer {number}")
    talk.conversation.summary, talk.conversation.summary_message_count = "They talked about numbers.", 16
    with tenant(owner.organization.id):
        talk.conversation.save(update_fields=["summary", "summary_message_count"])

    brief = talk.ask("What is lifecycle stage?")

    assert texts(brief, "conversation") == [
        "They talked about numbers.", "Question 8", "Answer 8", "Question 9", "Answer 9"
    ]  # fmt: skip
    assert brief.of("conversation")[0].kind == "summary"
    assert report(brief, "conversation").dropped == 0


def test_a_reply_stands_under_its_question_also_when_it_came_later(owner: Person) -> None:
    talk = Talk(owner)
    first = talk.say("First question")
    second = talk.say("Second question")
    talk.reply(first, "First answer")

    assert texts(talk.brief(second), "conversation") == ["First question", "First answer"]


def test_a_retried_message_does_not_see_what_came_after_it(owner: Person) -> None:
    talk = Talk(owner)
    failed = talk.say("First question")
    talk.exchange("Second question", "Second answer")

    assert texts(talk.brief(failed), "conversation") == []


def test_a_report_of_a_run_belongs_to_the_latest_exchange(owner: Person) -> None:
    talk = Talk(owner)
    turn = talk.say("Find fintech companies")
    talk.reply(turn, "I started that.")
    acorn = company(owner, "Acorn Foods")
    with tenant(owner.organization.id):
        found = talk._add(
            role="assistant", kind="report", text="Found one.", in_reply_to=turn.message, run_id=uuid.uuid4()
        )
        talk.cite(found, [acorn])

    brief = talk.ask("Tell me more about this company")

    assert brief.reference.refs == (acorn,)
    assert [item.text for item in brief.of("conversation") if item.pinned][-1] == "Found one."


def test_a_pending_clarify_comes_with_its_original_question(owner: Person) -> None:
    talk = Talk(owner)
    acorn, birch = company(owner, "Acorn Foods"), company(owner, "Birch Metals")
    turn = talk.say("Who owns this company?")
    talk.reply(
        turn, "Which one?", options=[Option("Acorn Foods", acorn), Option("Birch Metals", birch)], outcome="clarify"
    )

    brief = talk.ask("the second one")

    pending = brief.of("conversation")[-1]
    assert (pending.kind, pending.payload["original"]) == ("pending_clarify", "Who owns this company?")
    assert (brief.reference.status, brief.reference.refs) == ("resolved", (birch,))
    assert brief.query == "Who owns this company? Which one? Birch Metals the second one"


def test_an_open_offer_is_carried_until_the_next_reply(owner: Person) -> None:
    talk = Talk(owner)
    talk.reply(talk.say("Who is Acorn, and find more like it"), "A food maker.", offer={"text": "Find more like Acorn"})

    assert talk.brief(talk.say("yes")).of("conversation")[-1].text == "Find more like Acorn"
    talk.exchange("What is a deal?")
    assert "offer" not in [item.kind for item in talk.ask("yes").of("conversation")]


def test_a_bare_pronoun_means_what_the_last_answer_was_about(owner: Person) -> None:
    talk = Talk(owner)
    acorn, birch = company(owner, "Acorn Foods"), company(owner, "Birch Metals")
    turn = talk.say("Tell me about this", refs=[acorn])
    talk.reply(turn, "Acorn competes with Birch.", cites=[acorn, birch], brief=talk.brief(turn))

    assert talk.ask("Who owns it?").reference.refs == (acorn,)


def test_the_topic_stays_with_records_of_another_exchange_in_scope(owner: Person) -> None:
    talk = Talk(owner)
    acorn = company(owner, "Acorn Foods")
    with tenant(owner.organization.id):
        add_run_result(conversation=talk.conversation, refs=[acorn])
    talk.exchange("What is lifecycle stage?", cites=[ResourceRef("knowledge_chunk", str(uuid.uuid4()))])

    brief = talk.ask("How do I change it?")

    assert brief.reference.status == "not_needed"
    assert brief.query == "What is lifecycle stage? How do I change it?"


def test_unresolved_records_in_scope_are_one_line_each(owner: Person) -> None:
    talk = Talk(owner)
    acorn = company(owner, "Acorn Foods", industry="Food", lifecycle_stage="customer")
    birch = company(owner, "Birch Metals", industry="Metals", lifecycle_stage="lead")
    with tenant(owner.organization.id):
        add_run_result(conversation=talk.conversation, refs=[acorn, birch])

    brief = talk.ask("What is Acorn Foods?")

    full, line = brief.of("application")
    assert (full.id, full.pinned) == (acorn.id, True)
    assert line.text.startswith("Birch Metals (company); Lifecycle stage: Lead")
    assert "\n" not in line.text
    assert brief.preamble.endswith('In scope: company "Birch Metals", company "Acorn Foods".')


def test_the_pages_record_is_evidence_and_named_in_the_preamble(owner: Person) -> None:
    acorn = company(owner, "Acorn Foods")

    brief = Talk(owner).ask("What changed on this company recently?", page=acorn)

    assert brief.reference.refs == (acorn,)
    assert 'Page: company "Acorn Foods".' in brief.preamble


def test_stored_labels_are_never_used(owner: Person) -> None:
    acorn = company(owner, "Acorn Foods")
    stale = ResourceRef("company", acorn.id, "An old name")

    brief = Talk(owner).ask("Who owns this company?", refs=[stale], page=stale)

    assert "An old name" not in repr(brief)


@pytest.mark.parametrize("whose", ["stranger", "nobody", "malformed"])
def test_a_foreign_record_reads_as_absent_in_every_place(owner: Person, stranger: Person, whose: str) -> None:
    foreign = {
        "stranger": company(stranger, "Secret Works", industry="Secrets"),
        "nobody": ResourceRef("company", str(uuid.uuid4()), "Secret Works"),
        "malformed": ResourceRef("company", "not-an-id", "Secret Works"),
    }[whose]
    talk = Talk(owner)
    with tenant(owner.organization.id):
        add_run_result(conversation=talk.conversation, refs=[foreign])
    talk.exchange("Hi", cites=[foreign])

    sent = talk.brief(talk.say("Who owns this company?", refs=[foreign]))
    pointed = talk.brief(talk.say("Who owns this company?", page=foreign))

    for brief in (sent, pointed):
        assert (brief.reference.status, brief.reference.refs) == (
            "absent", (ResourceRef("company", foreign.id),)
        )  # fmt: skip
        assert brief.evidence == ()
        assert "Secret" not in repr(brief)


def test_another_persons_conversation_gives_no_history(owner: Person, teammate: Person, stranger: Person) -> None:
    talk = Talk(owner)
    talk.exchange("My secret question", "My secret answer")
    turn = talk.say("And now?")

    for person in (teammate, stranger):
        brief = build_context(turn=turn, actor=person.actor)
        assert brief.of("conversation") == ()


def test_preferences_are_context_and_never_evidence(owner: Person, teammate: Person, stranger: Person) -> None:
    for person, user, text in (
        (owner, owner.user, "Answer briefly."),
        (owner, None, "Use British spelling."),
        (teammate, teammate.user, "Tom's own."),
        (stranger, None, "Another organization's."),
    ):
        with tenant(person.organization.id):
            Preference.objects.create(organization=person.organization, user=user, text=text)

    brief = Talk(owner).ask("What is lifecycle stage?")

    assert texts(brief, "memory") == ["Answer briefly.", "Use British spelling."]
    assert [item.evidence for item in brief.of("memory")] == [False, False]


def test_a_reply_that_relied_on_a_deleted_document_is_replaced_by_a_note(owner: Person) -> None:
    talk = Talk(owner)
    reply = talk.exchange("What is the code?", "It is 1234.", cites=[ResourceRef("knowledge_chunk", "1")])
    with tenant(owner.organization.id):
        reply.citations.update(deleted_at=reply.created_at)

    brief = talk.ask("What was that code again?")

    assert texts(brief, "conversation")[-1] == "[reply relied on a deleted document]"
    assert "1234" not in repr(brief)


def test_the_history_shows_each_preamble_once(owner: Person) -> None:
    talk = Talk(owner)
    for question in ("One?", "Two?"):
        turn = talk.say(question)
        talk.reply(turn, "Fine.", brief=talk.brief(turn))

    brief = talk.ask("Three?")

    shown = [item.payload["preamble"] for item in brief.of("conversation") if item.payload["role"] == "user"]
    assert shown == [brief.preamble, ""]


def test_a_brief_survives_storage(owner: Person) -> None:
    talk = Talk(owner)
    acorn = company(owner, "Acorn Foods")
    talk.exchange("Hi", cites=[acorn])

    brief = talk.ask("Who owns it?")

    assert brief_from_json(brief_as_json(brief)) == brief


def test_nothing_is_dropped_from_the_latest_exchange_and_the_resolved_record(owner: Person, settings) -> None:
    settings.CONTEXT_TOKEN_BUDGET = 500
    talk = Talk(owner)
    acorn = company(owner, "Acorn Foods", industry="Food")
    for number in range(6):
        talk.exchange(f"Question {number} " + "word " * 100, f"Answer {number} " + "word " * 400, cites=[acorn])

    brief = talk.ask("Who owns this company?")

    assert [item.text[:10] for item in brief.of("conversation") if item.pinned] == ["Question 5", "Answer 5 w"]
    assert [item.id for item in brief.of("application") if item.pinned] == [acorn.id]
    assert report(brief, "conversation").dropped == 9


def test_the_number_of_statements_does_not_grow_with_history_or_scope(owner: Person) -> None:
    small, large = Talk(owner), Talk(owner)
    with tenant(owner.organization.id):
        add_run_result(conversation=small.conversation, refs=[company(owner, "Acorn Foods")])
    small.exchange("What is a deal?")
    for number in range(60):
        large.exchange(f"What is a deal, part {number}?")
    many = [company(owner, f"Company {number}") for number in range(20)]
    with tenant(owner.organization.id):
        add_run_result(conversation=large.conversation, refs=many)

    counts = [count_statements(talk, owner) for talk in (small, large)]

    assert counts[0] == counts[1]


def count_statements(talk: Talk, person: Person) -> int:
    turn = talk.say("What is lifecycle stage?")
    with CaptureQueriesContext(connection) as captured:
        build_context(turn=turn, actor=person.actor)
    return len(captured)


@override_settings(CONTEXT_SOURCES=[])
def test_without_sources_the_brief_is_the_message(owner: Person) -> None:
    port.get_sources.cache_clear()
    try:
        brief = Talk(owner).ask("What is lifecycle stage?")
    finally:
        port.get_sources.cache_clear()

    assert (brief.items, brief.sources, brief.message) == ((), (), "What is lifecycle stage?")


def test_an_ordinal_counts_in_the_list_that_the_last_reply_told_one_of(owner: Person) -> None:
    acorn, birch = company(owner, "Acorn Foods"), company(owner, "Birch Labs")
    talk = Talk(owner)
    talk.reply(talk.say("Compare these two", refs=[acorn, birch]), "Both.", cites=[acorn, birch])
    talk.exchange("Who owns the second one?", "Mia.", cites=[birch])
    with tenant(owner.organization.id):
        add_run_result(conversation=talk.conversation, refs=[acorn, birch])

    brief = talk.ask("And the first?")

    assert (brief.reference.status, [ref.id for ref in brief.reference.refs]) == ("resolved", [acorn.id])
