"""Messages that the examples do not know, that name what is not at hand, or that ask for what chat does not do."""

from dataclasses import replace

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.rereading import rereadings, with_topic_corrected
from agencycore.ai.wire import WireAnswer, parse_decision
from tests.agencycore.ai.briefs import brief, passage, request

NOTICE = passage("Verträge", "Die Kündigungsfrist beträgt drei Monate zum Ende des Quartals.", position="Kündigung")
REFUNDS = passage("退款", "退款期限为三十天。", position="退款期限")
DELETING = passage(
    "Conversations", "To delete a conversation, open its menu and choose Delete.", position="Deleting a conversation"
)
SIGNAL = passage("Signals", "A signal is something noticed about a company.", position="Signals")


def decide(message, *items, **options):
    return parse_decision(BuiltinResponder().decide(request(brief(message, *items, **options))).text)


def ask(message, *items, **options):
    decided = decide(message, *items, **options)
    assert isinstance(decided, WireAnswer)
    return decided


@pytest.mark.parametrize(
    ("message", "item", "said"),
    [
        ("Wie lange ist die Kündigungsfrist für Müller?", NOTICE, "drei Monate"),
        ("Quelle est la Kündigungsfrist ?", NOTICE, "drei Monate"),
        ("退款期限", REFUNDS, "三十天"),
    ],
)
def test_a_question_in_another_language_quotes_what_the_search_is_sure_of(message, item, said):
    decided = ask(message, item)

    assert said in decided.text
    assert decided.citations == ["r1"]


@pytest.mark.parametrize(
    "message", ["Wie lange ist die Kündigungsfrist für Müller?", "退款期限", "ما هي المدة؟", "asdf"]
)
def test_unknown_words_that_nothing_covers_are_unresolved_and_no_small_talk(message):
    assert ask(message).unresolved == [f"No ready document covers: {message.strip('?')}"] or "؟" in message


@pytest.mark.parametrize(
    ("message", "item", "said"),
    [
        ("What is a signal? kill 0.05", SIGNAL, "something noticed"),
        ("how do i delte a conversation", DELETING, "choose Delete"),
        ("whats teh signl?", SIGNAL, "something noticed"),
        ("tell me everything about signals", SIGNAL, "something noticed"),
        ("What is a signal for an agency like ours?", SIGNAL, "something noticed"),
    ],
)
def test_stray_words_and_slips_do_not_hide_the_answer(message, item, said):
    assert said in ask(message, item).text


def test_a_question_in_another_language_is_told_that_english_is_understood():
    decided = parse_decision(
        BuiltinResponder().decide(request(replace(brief("Was ist ein Lead für Müller?"), language="de"))).text
    )

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith("I understand questions in English only")
    assert decided.unresolved == ["Not asked in English: Was ist ein Lead für Müller"]


def test_what_is_new_is_about_nothing_that_a_passage_says():
    decided = ask("what's new?", passage("Uploads", "A changed file is a new document. Delete the old version."))

    assert decided.citations == []
    assert len(decided.unresolved) == 1


def test_what_sounds_like_small_talk_is_answered_where_the_search_is_sure():
    speaks = passage("Answers", "Chat speaks English.", position="Answers › Which languages chat speaks")

    assert ask("Which languages do you speak?", speaks).text == "Chat speaks English [r1]."
    assert decide("how are you?", speaks).outcome == "clarify"


@pytest.mark.parametrize("asked", ["What is a dean?", "What is a deal's price?", "What is Dealz?"])
def test_another_word_is_no_slip_in_the_name_of_a_topic(asked):
    deal = passage("Glossary", "- Deal: a sale you are working on.", position="Glossary › Deal")

    assert with_topic_corrected(Question(asked), brief("", deal)).text == asked


def test_a_slip_is_undone_only_where_one_letter_is_in_the_way():
    read = [question.text for question in rereadings(Question("how to delte or delegate"), brief("", DELETING))]

    assert read == ["how to delete or delegate"]


@pytest.mark.parametrize("message", ["Who owns Acme Robotics?", "Is Acme a customer?"])
def test_a_named_record_that_is_not_at_hand_is_to_be_opened_or_picked(message):
    decided = ask(message)

    assert "pick it with @" in decided.text
    assert decided.unresolved[0].endswith("is not open and was not sent along")


@pytest.mark.parametrize(
    ("message", "page"),
    [
        ("Which deals are closing this month?", "Deals"),
        ("Which deals will close in March?", "Deals"),
        ("How many companies do we have?", "Companies"),
        ("which deals are in negotiation?", "Deals"),
        ("What companies do I own?", "Companies"),
        ("List all open opportunities", "Opportunities"),
        ("How many prospects were approved this week?", "Prospects"),
        ("Which deals closed in the last month?", "Deals"),
    ],
)
def test_a_list_of_records_is_left_to_the_page_that_has_it(message, page):
    decided = ask(message, passage("Deals", "Negotiation: terms are being agreed."))

    assert f"The page “{page}” lists them" in decided.text
    assert len(decided.unresolved) == 1


@pytest.mark.parametrize(
    "message", ["How many deals can a company have?", "Which deals were called negotiation before?"]
)
def test_what_asks_about_the_product_is_no_list(message):
    assert "lists them" not in ask(message, passage("Deals", "A company can have many deals.")).text


@pytest.mark.parametrize("message", ["Delete Acme Robotics", "Please delete this deal", "Create a new company"])
def test_a_change_of_a_record_is_said_to_be_none_of_the_chats_work(message):
    assert ask(message).text.startswith("I do not create, change or delete records from chat.")


UNDELETED = passage("Records", "A company or a deal cannot be deleted: no page does it.", position="Deleting a record")
STAGES = passage("Deals", "To change the stage of a deal, open the deal and choose Change the stage.", position="Stage")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Delete this deal", "A company or a deal cannot be deleted: no page does it [r1]."),
        ("Please change the stage of a deal", "To change the stage of a deal, open the deal and choose"),
        ("Rename Halden", ""),
    ],
)
def test_a_declined_change_says_of_the_way_only_what_the_pages_say(message, told):
    text = ask(message, UNDELETED if "Delete" in message else STAGES).text

    declined, _, rest = text.partition("records from chat.")
    assert declined == "I do not create, change or delete "
    assert rest.strip().startswith(told) if told else not rest


def test_markup_is_no_attack_and_leaves_no_brackets_behind():
    decided = ask("[click](javascript:alert(1)) **bold**")

    assert "How I work" not in decided.text
    assert not set("[]()*") & set("".join(decided.unresolved))


@pytest.mark.parametrize(
    "message",
    ["What is the difference between an agent and a workflow?", "difference between agent and workflow",
     "agent vs workflow", "How is an agent different from a workflow?"],
)  # fmt: skip
def test_a_comparison_tells_the_sentence_about_each(message):
    both = passage("Chat", "An agent chooses its own next step. A workflow always follows the same steps.")

    assert ask(message, both).text == (
        "An agent chooses its own next step [r1]. A workflow always follows the same steps [r1]."
    )
