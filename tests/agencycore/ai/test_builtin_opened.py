"""Questions asked on a record's page: the record answers in its fields' words, documents answer the general ones."""

from dataclasses import replace

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, parse_decision
from tests.agencycore.ai.briefs import brief, day, fact, passage, record, request

CHANGE = ("change", "changed", "recently", "new")
ACTIVITY = ("activity", "activities", "last", "latest")
COMPANY = record(
    "company",
    "Halden Robotics",
    fact("Country", "Norway", None, "where", "country", "based"),
    fact("Lifecycle stage", "Customer. Reason: They signed.", day(2026, 2, 3), "stage", "status", "why", "customer"),
    fact("Owner", "Dana Whitfield", None, "who", "owns", "owner"),
    fact("Last change", "Owner changed from Tom to Dana, by Ida Lund.", day(2026, 3, 4), *CHANGE),
    fact("Earlier change", "Lifecycle stage changed from Lead to Customer.", day(2026, 2, 3), *CHANGE),
    fact("Last contact", "Call with Jane Doe: “Pricing”.", day(2026, 3, 6), "talk", "contact", "call", "email", "last"),
    fact("Last activity", "Call with Jane Doe: “Pricing”. They want a discount.", day(2026, 3, 6), *ACTIVITY),
    fact("Earlier activity", "E-mail with Jane Doe: “Hello”. Sent the price list.", day(2026, 3, 1), *ACTIVITY),
    fact("Open deal", "“Pilot”: Qualification, EUR 24,000.", day(2026, 1, 9), "deal", "deals", "open"),
    fact("Signal", "Funding: Raised a Series A.", day(2026, 1, 5), "signal", "signals", "funding"),
)
DOCUMENTS = (
    passage("Signals", "A signal is something noticed about a company. There are eight kinds of signals."),
    passage("Deals", "The close date of an open deal is the day you expect it to be decided."),
    passage("Activities", "The last contact is the newest call, e-mail, meeting or message."),
    passage("Lifecycle stages", "A lifecycle stage is how far a company has come on its way to being a customer."),
)


def ask(message, item=COMPANY):
    opened = replace(item, payload={"is_open": True})
    decided = parse_decision(BuiltinResponder().decide(request(brief(message, opened, *DOCUMENTS))).text)
    assert isinstance(decided, WireAnswer)
    return decided


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Are there open deals?", "“Pilot”: Qualification, EUR 24,000"),
        ("What open deals do we have here?", "“Pilot”: Qualification, EUR 24,000"),
        ("Any signals?", "Raised a Series A"),
        ("What signals are there?", "Raised a Series A"),
        ("What was the last call about?", "They want a discount"),
        ("When was the last e-mail?", "The last e-mail of Halden Robotics was on 1 March 2026"),
        ("Who changed the owner and when?", "4 March 2026: Owner changed from Tom to Dana, by Ida Lund"),
        ("Where is it based?", "Norway"),
    ],
)
def test_the_open_record_answers_a_question_in_the_words_of_its_fields(message, said):
    decided = ask(message)

    assert said in decided.text
    assert decided.citations == ["r1"]
    assert not decided.unresolved


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("What is a signal?", "something noticed about a company"),
        ("What is a lifecycle stage?", "how far a company has come"),
        ("What does lifecycle stage mean?", "how far a company has come"),
        ("Which kinds of signals are there?", "eight kinds"),
    ],
)
def test_a_general_question_is_answered_by_the_documents_even_on_a_records_page(message, said):
    assert said in ask(message).text


def test_an_event_that_the_record_does_not_hold_is_said_to_be_missing():
    decided = ask("When was the last meeting?")

    assert decided.text == "None of the activities of Halden Robotics that I can see is a meeting [r1]."
    assert decided.unresolved == ["Halden Robotics: no meeting was found"]


def test_a_question_about_another_company_is_not_answered_by_the_open_one():
    assert "Dana Whitfield" not in ask("Who is the owner of Fjord Logistics?").text
