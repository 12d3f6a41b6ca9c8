"""After a record's list: whether it goes on, another of its fields, and what a field's own record would have to say."""

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, parse_decision
from tests.agencycore.ai.briefs import brief, day, fact, passage, record, request, spoken

CHANGED = ("change", "changed", "changes")
ACME = record(
    "company", "Acme Robotics",
    fact("Owner", "Maya", None, "owner", "who", "owns"),
    fact("Lifecycle stage", "Customer. Reason: They signed.", day(2026, 8, 18), "stage"),
    fact("Last change", "Stage changed to Customer.", day(2026, 8, 18), *CHANGED),
    fact("Earlier change", "Stage changed to Opportunity.", day(2026, 5, 20), *CHANGED),
    fact("Open deal", "Pilot: EUR 9,600", None, "deals", "worth"),
)  # fmt: skip
STAGES = passage("Lifecycle stages", "A lifecycle stage is how far a company has come.", position="Lifecycle stages")
CHANGING = passage("Deals", "To change the stage, open the deal and say why.", position="Deals › Changing the stage")
LISTED = "Changes of Acme Robotics: 18 August 2026: Stage changed to Customer."


def decide(message, *items, **options):
    decided = parse_decision(BuiltinResponder().decide(request(brief(message, *items, **options))).text)
    assert isinstance(decided, WireAnswer)
    return decided


@pytest.mark.parametrize("message", ["any more?", "Is that all?", "and are there any more of them?"])
def test_a_list_that_was_told_is_not_told_again(message):
    before = (spoken("user", "what changed here?"), spoken("assistant", f"{LISTED} Stage changed to Opportunity. [1]"))

    decided = decide(message, *before, about=[ACME], query=f"what changed here? {message} Acme Robotics")

    assert decided.text == "I have nothing more of that from the record of Acme Robotics [r1]."
    assert decided.unresolved == ["Acme Robotics: more than was told (change)"]


def test_a_date_between_the_sentences_that_were_told_makes_no_more_of_them():
    told = "The lifecycle stage of Acme Robotics is Customer, since 18 August 2026. Reason: They signed [1]."

    decided = decide("is that all?", spoken("user", "what stage?"), spoken("assistant", told), about=[ACME])

    assert decided.text == "I have nothing more of that from the record of Acme Robotics [r1]."


def test_of_several_records_there_is_no_more_either():
    birch = record("company", "Birch", fact("Owner", "Dana", None, "owner", "who", "owns"))
    before = (spoken("user", "who owns them?"), spoken("assistant", "- The owner of Acme is Maya. - Dana"))

    decided = decide("any more?", *before, about=[ACME, birch])

    assert decided.text == "I have nothing more of that from the records of Acme Robotics and Birch [r1] [r2]."


def test_what_is_left_of_a_list_is_told():
    before = (spoken("user", "what changed last?"), spoken("assistant", f"{LISTED} [1]"))

    decided = decide("any more?", *before, about=[ACME], query="what changed last? any more? Acme Robotics")

    assert decided.text == "Changes of Acme Robotics [r1]:\n- 20 May 2026: Stage changed to Opportunity."


def test_another_field_is_told_alone():
    before = (spoken("user", "what changed here?"), spoken("assistant", f"{LISTED} [1]"))

    decided = decide("and its deals?", *before, about=[ACME], query="what changed here? and its deals?", phrase="its")

    assert "9,600" in decided.text
    assert "Changes" not in decided.text


@pytest.mark.parametrize("message", ["What's the owner's phone number?", "and the owner’s phone number"])
def test_what_a_record_does_not_know_of_its_owner_is_said(message):
    people = passage("People", "A person has a phone number and an owner.")
    owners = passage("Owners", "An owner is the member who looks after a record.", position="Owners")

    decided = decide(message, people, owners, about=[ACME])

    assert decided.text == (
        "The owner of Acme Robotics is Maya [r1]. The record of Acme Robotics has no phone number of the owner [r1]."
    )
    assert decided.unresolved == ["Acme Robotics: phone number of the owner"]


def test_a_pointing_question_about_fields_is_answered_from_the_record():
    decided = decide("so when did its stage change, again?", CHANGING, about=[ACME], phrase="its")

    assert decided.citations == ["r1"]
    assert "18 August 2026" in decided.text


def test_the_definition_beside_a_question_about_a_record_is_the_products():
    message = "Who owns this company and what is a lifecycle stage?"

    decided = decide(message, STAGES, about=[ACME], phrase="this company")

    assert decided.text.startswith("The owner of Acme Robotics is Maya [r1].")
    assert "A lifecycle stage is how far a company has come [r2]." in decided.text
