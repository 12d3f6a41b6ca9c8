"""Records set beside each other: by their own fields, each cited."""

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, WireClarify, WireDelegate, parse_decision
from tests.agencycore.ai.briefs import asked_back, brief, capability, day, fact, passage, record, request, spoken

SIZE = ("size", "employees", "headcount")
SCORE = ("score", "points", "rating")
OWNER = ("owner", "owns", "who owns")
CONTACT = ("contact", "contacted", "spoke")
ACME = record(
    "company", "Acme Robotics", fact("Size", "201–500 employees", None, *SIZE),
    fact("Lifecycle stage", "Customer.", day(2026, 7, 16), "stage", "customer"),
    fact("Last contact", "Call with Sofia", day(2026, 11, 1), *CONTACT), fact("Owner", "Maya", None, *OWNER),
)  # fmt: skip
PAY = record(
    "company", "Lumenpay", fact("Size", "51–200 employees", None, *SIZE),
    fact("Lifecycle stage", "Prospect.", day(2026, 10, 3), "stage", "customer"),
    fact("Last contact", "Meeting with Jane", day(2026, 11, 23), *CONTACT), fact("Owner", "Dana", None, *OWNER),
)  # fmt: skip
FUNDING = record("opportunity", "New funding", fact("Score", "67 of 100.", None, *SCORE))
MARKET = record("opportunity", "Second market", fact("Score", "58 of 100.", None, *SCORE))
UNSCORED = record("opportunity", "Renewal", fact("Score", "Not recorded.", None, *SCORE))
EUROS = record("deal", "Pilot", fact("Amount", "EUR 9,600", None, "amount", "worth"),
               fact("Close date", "Closed on 11 July 2026.", None, "close", "closes"))  # fmt: skip
DOLLARS = record("deal", "Rollout", fact("Amount", "USD 14,400", None, "amount", "worth"),
                 fact("Close date", "Expected to close on 1 January 2027.", None, "close", "closes"))  # fmt: skip
UNPRICED = record("deal", "Trial", fact("Amount", "Not recorded.", None, "amount", "worth"))
LARGE = record("deal", "Renewal", fact("Amount", "EUR 120,000", None, "amount", "worth"))
CRM = capability(
    "CRM Question Agent",
    "Answers questions over many CRM records: lists, counts, comparisons and joins of companies, people, "
    "deals and activities.",
)


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


@pytest.mark.parametrize(
    ("message", "records", "text"),
    [
        ("which of them has the higher score?", (MARKET, FUNDING),
         "New funding has the higher score: 67 of 100 [r2].\n- Second market: 58 of 100 [r1]."),
        ("Which one scores lowest?", (MARKET, FUNDING),
         "Second market has the lower score: 58 of 100 [r1].\n- New funding: 67 of 100 [r2]."),
        ("which of these has the best score?", (MARKET, UNSCORED, FUNDING),
         "New funding has the higher score: 67 of 100 [r3].\n- Second market: 58 of 100 [r1].\n"
         "- The record of Renewal has no score [r2]."),
        ("which of them is bigger?", (PAY, ACME),
         "Acme Robotics has the bigger size: 201–500 employees [r2].\n- Lumenpay: 51–200 employees [r1]."),
        ("Is Lumenpay larger than Acme Robotics?", (PAY, ACME),
         "Acme Robotics has the larger size: 201–500 employees [r2].\n- Lumenpay: 51–200 employees [r1]."),
        ("which has fewer employees?", (PAY, ACME),
         "Lumenpay has the lower size: 51–200 employees [r1].\n- Acme Robotics: 201–500 employees [r2]."),
        ("Which of the two was contacted last?", (ACME, PAY),
         "Lumenpay has the later contact: 23 November 2026: Meeting with Jane [r2].\n"
         "- Acme Robotics: 1 November 2026: Call with Sofia [r1]."),
        ("which of them closes first?", (DOLLARS, EUROS),
         "Pilot has the earlier close date: Closed on 11 July 2026 [r2].\n"
         "- Rollout: Expected to close on 1 January 2027 [r1]."),
        ("which is worth more?", (EUROS, LARGE),
         "Renewal has the higher amount: EUR 120,000 [r2].\n- Pilot: EUR 9,600 [r1]."),
        # Amounts in different currencies are told and not ranked.
        ("which is worth more?", (EUROS, DOLLARS), "- Pilot: EUR 9,600 [r1].\n- Rollout: USD 14,400 [r2]."),
    ],
)  # fmt: skip
def test_records_are_put_in_order_by_the_field_asked_for(message, records, text):
    decided = decide(message, about=records)

    assert isinstance(decided, WireAnswer)
    assert decided.text == text


@pytest.mark.parametrize(
    ("message", "holds", "lacks"),
    [
        ("Compare these two", ("Size: 201–500 employees", "Size: 51–200 employees"), ()),
        ("Compare Acme Robotics and Lumenpay", ("Size: 201–500 employees", "Size: 51–200 employees"), ()),
        ("can you compare them please", ("Size: 201–500 employees", "Size: 51–200 employees"), ()),
        ("compare their owners", ("Maya [r1]", "Dana [r2]"), ("employees",)),
        ("Compare the owners of both", ("Maya [r1]", "Dana [r2]"), ("employees",)),
        # Nothing is put in order where nothing compares.
        ("who owns both of them?", ("Maya [r1]", "Dana [r2]"), ("employees",)),
        ("Which of them is a customer?", ("Customer", "Prospect"), ("employees", "earlier", "higher")),
    ],
)
def test_both_records_are_told_from_their_own_fields(message, holds, lacks):
    decided = decide(message, CRM, about=(ACME, PAY))

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1", "r2"]
    assert [words in decided.text for words in holds] == [True] * len(holds)
    assert [words in decided.text for words in lacks] == [False] * len(lacks)


@pytest.mark.parametrize(
    ("message", "records", "opening"),
    [
        ("Compare these two", (ACME, PAY),
         ["- Acme Robotics has the bigger size: 201–500 employees [r1].",
          "- Lumenpay has the later contact: 23 November 2026 [r2]."]),
        ("Compare them", (MARKET, FUNDING), ["- New funding has the higher score: 67 of 100 [r2]."]),
        ("Compare these", (EUROS, LARGE, UNPRICED), []),
        # Amounts in different currencies are not ranked, days are.
        ("Compare these two", (EUROS, DOLLARS), ["- Rollout has the later close date: 1 January 2027 [r2]."]),
        ("How do they differ?", (MARKET, FUNDING), ["- New funding has the higher score: 67 of 100 [r2]."]),
        ("What's the difference between them?", (MARKET, FUNDING),
         ["- New funding has the higher score: 67 of 100 [r2]."]),
        ("compare their sizes", (ACME, PAY), ["- Acme Robotics has the bigger size: 201–500 employees [r1]."]),
        ("Compare them by amount", (EUROS, LARGE), ["- Renewal has the higher amount: EUR 120,000 [r2]."]),
        ("Compare their owners", (ACME, PAY), []),
    ],
)  # fmt: skip
def test_a_comparison_opens_with_what_sets_the_records_apart(message, records, opening):
    decided = decide(message, about=records)

    assert isinstance(decided, WireAnswer)
    assert [line for line in decided.text.splitlines() if " has the " in line] == opening


@pytest.mark.parametrize("message", ["and the later close date?", "And which has the latest close date?"])
def test_another_measure_is_asked_of_the_same_records(message):
    before = [spoken("user", "which has the higher amount?"), spoken("assistant", "Pilot has the higher amount [1].")]

    decided = decide(message, *before, about=(EUROS, DOLLARS), query=f"which has the higher amount? {message}")

    assert isinstance(decided, WireAnswer)
    assert decided.text == (
        "Rollout has the later close date: Expected to close on 1 January 2027 [r2].\n"
        "- Pilot: Closed on 11 July 2026 [r1]."
    )


def test_a_field_that_neither_has_is_named_as_missing():
    decided = decide("which of them has the higher score?", about=(ACME, PAY))

    assert isinstance(decided, WireAnswer)
    assert decided.text == "The records of Acme Robotics and Lumenpay say nothing about that [r1] [r2]."
    assert len(decided.unresolved) == 1


@pytest.mark.parametrize("message", ["Compare Acme Robotics and Fabrikam", "compare it with Fabrikam"])
def test_what_is_not_at_hand_is_named(message):
    decided = decide(message, about=[ACME])

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith("“Fabrikam” is not among the records that I have here.")


def test_records_that_are_not_at_hand_are_compared_by_what_reads_many():
    both = "Compare Harborline and Lumenpay"

    assert isinstance(decide(both, CRM), WireDelegate)
    assert decide(both).text.startswith("“Harborline” and “Lumenpay” are not among the records that I have here.")


def test_what_the_product_tells_apart_is_not_taken_for_records():
    text = "An agent chooses its own steps. A workflow has fixed steps."

    decided = decide("Compare an agent and a workflow", passage("Agents", text), about=[ACME])

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith("An agent chooses its own steps [r2].")


PLACES = ("country", "located", "based")
HERE = record(
    "company", "Acme Robotics", fact("Country", "Germany", None, *PLACES), fact("Owner", "Maya", None, *OWNER)
)
THERE = record(
    "company", "Lumenpay", fact("Country", "United Kingdom", None, *PLACES), fact("Owner", "Dana", None, *OWNER)
)


@pytest.mark.parametrize(
    "message", ["Which of them is in Germany?", "Which one is in Germany?", "are both in Germany?"]
)
def test_what_some_of_the_records_have_is_told_of_each(message):
    decided = decide(message, about=[THERE, HERE])

    assert (
        decided.text
        == "- The country of Lumenpay is United Kingdom [r1].\n- The country of Acme Robotics is Germany [r2]."
    )


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (("Who owns Acme Robotics?",), "The owner of Lumenpay is Dana [r1]."),
        (("Which of them is in Germany?",), "The country of Lumenpay is United Kingdom [r1]."),
        (
            ("Who owns Acme Robotics?", "Which of them is in Germany?"),
            "The country of Lumenpay is United Kingdom [r1].",
        ),
        (("Which of them is in Germany?", "Who owns Acme Robotics?", "thanks"), "The owner of Lumenpay is Dana [r1]."),
    ],
)
@pytest.mark.parametrize("message", ["and the other one?", "What about the other one?"])
def test_the_other_one_is_asked_what_was_asked_last(message, before, text):
    spoken_before = [spoken("user", question) for question in before]

    decided = decide(message, HERE, *spoken_before, about=[THERE], phrase="the other one",
                     query=f"{' '.join(before)} {message} Lumenpay")  # fmt: skip

    assert decided.text == text


def test_one_record_is_not_both_and_the_other_is_asked_for():
    decided = decide("Who owns both of them?", HERE, status="ambiguous", refs=[HERE.ref], phrase="both of them")

    assert isinstance(decided, WireClarify)
    assert decided.question.startswith(
        "“both of them” means more than one company, and only Acme Robotics was spoken of here."
    )
    assert [option.label for option in decided.options] == ["Acme Robotics"]


def test_where_nothing_may_be_asked_the_one_that_is_told_is_named():
    pending = asked_back("Which record?", "Which company do you mean?")

    decided = decide("both of them", pending, HERE, status="ambiguous", refs=[HERE.ref], phrase="both of them")

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith("I take it that you mean Acme Robotics.")


def test_a_name_that_stands_in_a_value_of_its_record_is_not_what_is_asked_for():
    site = ("domain", "website")
    one = record(
        "company", "Kitehill", fact("Domain", "kitehill.example", None, *site), fact("Owner", "Priya", None, *OWNER)
    )
    other = record(
        "company", "Lumenpay", fact("Domain", "lumenpay.example", None, *site), fact("Owner", "Dana", None, *OWNER)
    )

    decided = decide("and the other one?", one, spoken("user", "who owns kitehill?"), about=[other],
                     phrase="the other one", query="who owns kitehill? and the other one? Lumenpay")  # fmt: skip

    assert decided.text == "The owner of Lumenpay is Dana [r1]."
