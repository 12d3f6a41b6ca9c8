"""Records that a message names, in whatever case, while they are not at hand."""

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.named_records import named_alone, named_record
from agencycore.ai.wire import WireAnswer, WireDelegate, parse_decision
from tests.agencycore.ai.briefs import brief, capability, fact, passage, record, request

OWNERS = passage("Owners", "The owner is shown on the record’s page and in the lists.", position="Who owns a record")
BIRCH = record("company", "Birch Foods", fact("Owner", "Dana Reyes", None, "who", "owns", "owner"), pinned=False)
AGENT = capability("CRM Question Agent", "Answers questions over the records of the CRM: companies and deals.")


def decide(message, *items, **options):
    return parse_decision(BuiltinResponder().decide(request(brief(message, *items, **options))).text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("who owns halden?", "halden"),
        ("Who owns Halden Labs now?", "Halden Labs"),
        ("who owns the halden deal?", "halden"),
        ("who is the owner of alder & finch", "alder & finch"),
        ("who is halden's account manager?", "halden"),
        ("what stage is juniper freight in?", "juniper freight"),
        ("what is halden’s lifecycle stage?", "halden"),
        ("which country is halden in?", "halden"),
        ("is halden still a customer?", "halden"),
        ("why is halden disqualified?", "halden"),
        ("when did we last talk to halden labs?", "halden labs"),
        ("does halden match our ICP?", "halden"),
        ("has halden been promoted?", "halden"),
        ("what do we know about halden?", "halden"),
        ("Who owns this company? and halden?", "halden"),
        # No name stands there.
        ("who owns this company?", ""),
        ("who owns it?", ""),
        ("who owns a deal?", ""),
        ("who owns the company?", ""),
        ("who owns companies and deals?", ""),
        ("who owns all open deals?", ""),
        ("who owns the records of people who leave?", ""),
        ("who owns my data?", ""),
        ("is a lead a prospect?", ""),
        ("what stage is a new company in?", ""),
        ("what is the status of my run?", ""),
        ("when was the last contact?", ""),
        ("What is a prospect? what about pricing?", ""),
    ],
)
def test_a_name_is_read_off_the_place_where_one_stands(text, name):
    assert named_record(text) == name


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("who owns halden labs?", "halden labs"),
        ("who owns the halden deal", "halden"),
        ("what stage is halden in?", "halden"),
        ("is halden a customer?", "halden"),
        ("why is halden disqualified?", "halden"),
        ("does halden match our icp?", "halden"),
        ("Who owns Alder & Finch?", "Alder & Finch"),
    ],
)
@pytest.mark.parametrize("items", [(), (OWNERS,), (OWNERS, BIRCH)], ids=["nothing", "pages", "another record"])
def test_a_record_that_is_not_at_hand_is_to_be_opened_or_picked_whatever_its_case(message, name, items):
    decided = decide(message, *items)

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith(f"“{name}” is not among the records that I have here.")
    assert decided.unresolved == [f"The record “{name}” is not open and was not sent along"]


@pytest.mark.parametrize("message", ["who owns the halden deal?", "Who owns the Halden deal?"])
def test_what_answers_about_records_is_asked_for_one_that_is_not_at_hand(message):
    decided = decide(message, AGENT)

    assert isinstance(decided, WireDelegate)
    assert decided.capability == "crm-question-agent"


@pytest.mark.parametrize("message", ["who owns birch foods?", "who owns birch?", "who is birch foods's owner?"])
def test_a_record_at_hand_is_told_whatever_the_case_of_its_name(message):
    assert decide(message, about=[BIRCH]).text == "The owner of Birch Foods is Dana Reyes [r1]."


@pytest.mark.parametrize("message", ["who owns a record?", "who owns the company?"])
def test_what_is_asked_about_records_at_large_is_told_from_the_pages(message):
    assert decide(message, OWNERS).citations == ["r1"]


@pytest.mark.parametrize(
    ("message", "name"),
    [("and halden?", "halden"), ("What about Halden Labs?", "Halden Labs"), ("what about it?", ""),
     ("and the deals?", ""), ("what about deals?", ""), ("halden?", "")],
)  # fmt: skip
def test_a_name_may_be_all_that_a_message_says(message, name):
    assert named_alone(message) == name


@pytest.mark.parametrize("message", ["and halden?", "what about halden?", "And Halden?"])
def test_a_bare_name_after_a_record_was_told_is_of_another_one(message):
    decided = decide(message, BIRCH, query=f"what's the owner {message}")

    assert decided.text.startswith("“halden” is not") or decided.text.startswith("“Halden” is not")


def test_a_question_about_a_record_beside_another_is_named_as_one_about_a_record():
    lead = passage("Glossary", "- Lead: a company that is known.", position="Glossary › Lead")

    decided = decide("who owns halden and what is a lead?", lead)

    assert decided.text == "Lead: a company that is known [r1]."
    assert decided.unresolved == ["The record “halden” is not open and was not sent along"]
