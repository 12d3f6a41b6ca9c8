"""Requests for work, schedules, authoring and people: delegated, asked back about, or declined."""

import json

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.types import Repair
from agencycore.ai.wire import WireAnswer, WireClarify, WireDelegate, parse_decision
from tests.agencycore.ai.briefs import (
    asked_back,
    brief,
    capability,
    fact,
    offered,
    passage,
    record,
    request,
    run,
    spoken,
)

SIGNALS = capability("Signals Search", "Finds companies by buying signals, ICP, industry, country, funding or hiring.")
CRM = capability("CRM Question Agent", "Answers questions over many CRM records: lists, counts, joins and comparisons.")
BUILDER = capability("Definition Builder", "Creates and changes agents and workflows: drafts, steps, tools, approvals.")
SCHEDULES = capability("Schedule Setup", "Plans agents and workflows to run on a schedule, every day, week or month.")
RESEARCH = capability("Research Assistant", "Researches one company or topic on the web and writes a brief.")
ALL = (SIGNALS, CRM, BUILDER, SCHEDULES, RESEARCH)
COMPANY = record("company", "Halden Robotics", fact("Owner", "Dana", None, "owner"), id="c1")
LIFECYCLE = passage("Lifecycle stages", "A lifecycle stage says how far a company has come with you.")


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


@pytest.mark.parametrize(
    ("message", "slug"),
    [
        ("Find 20 UK fintech companies that just raised seed funding.", "signals-search"),
        ("Find more companies hiring engineers in Poland", "signals-search"),
        ("Which open deals have no activity in 30 days, and who owns them?", "crm-question-agent"),
        ("Create an agent that qualifies inbound leads.", "definition-builder"),
        ("Add a human review step to the workflow.", "definition-builder"),
        ("Run the outreach workflow every Monday.", "schedule-setup"),
        ("Research the market for heat pumps", "research-assistant"),
        ("Please run Signals Search for biotech in Boston", "signals-search"),
    ],
)
def test_work_goes_to_the_capability_that_fits(message, slug):
    assert decide(message, *ALL) == WireDelegate(outcome="delegate", capability=slug, input_json="{}")


@pytest.mark.parametrize(
    ("capabilities", "way_out"),
    [((), ""), ((SCHEDULES,), ""), ((BUILDER,), " You can ask for one to be built: Definition Builder does that.")],
)
def test_what_nothing_does_can_be_built_only_where_something_builds(capabilities, way_out):
    decided = decide("Find Dutch biotech companies", *capabilities)

    assert isinstance(decided, WireAnswer)
    told = "No published agent or workflow that you can use does this: “Find Dutch biotech companies”."
    assert decided.text == told + way_out


@pytest.mark.parametrize("message", ["Please do not draft anything yet", "don't find companies", "Do not start it."])
def test_work_that_is_denied_is_not_started_and_not_declined(message):
    assert isinstance(decide(message, *ALL), WireClarify)


def test_what_is_not_to_be_done_is_left_out_of_what_is_asked():
    decided = decide("Don't find companies for me, just explain what a lifecycle stage is", *ALL, LIFECYCLE)

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1"]


@pytest.mark.parametrize("message", ["promote it now", "Please promote this prospect"])
def test_what_a_person_does_on_the_page_is_told_from_the_documents_and_quotes_no_record(message):
    prospect = record("prospect", "Daniel Sorensen at Axle Fleet", fact("Country", "Norway", None, "country"), id="p1")
    page = passage("Promoting a prospect", "To promote a prospect, open it and choose Promote to CRM.")

    told = decide(message, SIGNALS, page, about=[prospect], query=f"{message} Daniel Sorensen at Axle Fleet")
    declined = decide(message, SIGNALS, about=[prospect], query=f"{message} Daniel Sorensen at Axle Fleet")

    assert isinstance(told, WireAnswer)
    assert told.text.startswith("I do not do that from chat. To promote a prospect, open it")
    assert isinstance(declined, WireAnswer)
    assert "Daniel" not in declined.text + " ".join(declined.unresolved)


@pytest.mark.parametrize(
    ("before", "message", "is_started"),
    [
        ("Find French logistics companies", "and Spain?", True),
        ("Find French logistics companies", "the second one", False),
        ("Find French logistics companies", "what about Spain?", True),
        ("Find French logistics companies", "and why?", False),
        ("Find French logistics companies", "but how long?", False),
        ("Find French logistics companies", "and?", False),
        ("Find French logistics companies", "any more?", False),
        ("Find French logistics companies", "What can you do?", False),
        ("Stop that", "and Spain?", False),
        ("Who owns Halden?", "and Spain?", False),
    ],
)
def test_what_was_said_before_starts_nothing_but_a_change_of_the_request(before, message, is_started):
    query = f"Find French logistics companies {before} {message}"

    decided = decide(message, SIGNALS, RESEARCH, BUILDER, spoken("user", before), query=query)

    assert isinstance(decided, WireDelegate) is is_started


@pytest.mark.parametrize(
    ("message", "reference"),
    [
        ("Run the Signals Search workflow every Monday", {}),
        ("Please start Signals Search weekly.", {}),
        ("Run this workflow every Monday", {"status": "missing", "phrase": "this workflow"}),
    ],
)
def test_what_is_to_run_again_and_again_is_not_run_once(message, reference):
    decided = decide(message, SIGNALS, **reference)

    assert isinstance(decided, WireAnswer)
    assert decided.unresolved == ["No published agent or workflow that plans recurring runs"]


def test_more_like_this_is_work_although_the_record_is_at_hand():
    decided = decide("Find companies like this", *ALL, about=[COMPANY], phrase="this")

    assert isinstance(decided, WireDelegate)
    assert decided.capability == "signals-search"


@pytest.mark.parametrize(
    ("message", "gap"),
    [
        ("Find fintech companies in Norway", "No published agent or workflow for: Find fintech companies in Norway"),
        ("Create an agent that qualifies leads", "No published agent that creates or changes agents and workflows"),
        ("Run the search every Monday", "No published agent or workflow that plans recurring runs"),
        ("I want to talk to a human", "No published agent or workflow that you can use hands over to a person"),
    ],
)
def test_without_a_fitting_capability_it_is_said_that_there_is_none(message, gap):
    decided = decide(message)

    assert isinstance(decided, WireAnswer)
    assert decided.unresolved == [gap]


@pytest.mark.parametrize("message", ["write me a poem", "Order me a pizza", "What is the weather in Oslo?"])
def test_what_is_off_the_topic_is_not_delegated_to_the_nearest_capability(message):
    decided = decide(message, *ALL)

    assert isinstance(decided, WireAnswer)
    assert decided.citations == []
    assert decided.unresolved[0].startswith("No source here covers: ")


def test_required_fields_are_filled_from_the_message_and_the_resolved_record():
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "maximum": 50},
            "company_id": {"type": "string"},
            "goal": {"type": "string"},
            "tone": {"enum": ["formal", "friendly"]},
        },
        "required": ["query", "limit", "company_id", "goal"],
    }
    search = capability("Lookalike Search", "Finds companies like a given one.", schema)

    decided = decide("Find 200 companies like this", search, about=[COMPANY], phrase="this")

    assert isinstance(decided, WireDelegate)
    assert json.loads(decided.input_json) == {
        "query": "Find 200 companies like this", "limit": 50, "company_id": "c1",
    }  # fmt: skip


COUNTRY_SEARCH = capability(
    "Signals Search",
    "Finds companies by buying signals.",
    {"type": "object", "properties": {"country": {"type": "string", "title": "Country"}}, "required": ["country"]},
)


def test_a_missing_required_field_is_the_one_thing_asked_for():
    decided = decide("Find companies with buying signals", COUNTRY_SEARCH)

    assert decided == WireClarify(
        outcome="clarify", question="To start Signals Search I need one thing more: which country?", options=[]
    )


def test_the_answer_to_that_question_completes_the_request():
    question = "To start Signals Search I need one thing more: which country?"

    decided = decide("Norway", COUNTRY_SEARCH, asked_back("Find companies with buying signals", question))

    assert decided == WireDelegate(outcome="delegate", capability="signals-search", input_json='{"country": "Norway"}')


def test_two_asks_are_answered_and_offered():
    decided = decide("What is lifecycle stage, and find fintech companies in Norway", LIFECYCLE, *ALL)

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1"]
    assert decided.offer == "Shall I also find fintech companies in Norway?"


def test_yes_takes_up_the_offer():
    decided = decide("yes, do it", offered("Shall I also find fintech companies in Norway?"), *ALL)

    assert decided == WireDelegate(outcome="delegate", capability="signals-search", input_json="{}")


def test_yes_to_nothing_is_asked_about():
    assert isinstance(decide("yes, do it", *ALL), WireClarify)


def test_run_that_again_starts_the_same_definition():
    earlier = run("Signals Search", "succeeded", goal="Find fintech companies")

    decided = decide("Run that again", earlier, *ALL)

    assert decided == WireDelegate(outcome="delegate", capability="signals-search", input_json="{}")


def test_a_capability_that_escalates_gets_who_wants_a_human():
    desk = capability("Support Desk", "Hands over to a person: escalates to human support.")

    assert decide("I want to talk to a human", desk, *ALL).capability == "support-desk"


def test_the_fallback_never_starts_work():
    given = brief("Find fintech companies in Norway", *ALL)

    decided = parse_decision(BuiltinResponder().fallback(given).text)

    assert isinstance(decided, WireAnswer)
    assert decided.unresolved == ["The work could not be started"]
    assert "again" in decided.text


def test_the_fallback_answers_from_evidence_as_ever():
    given = brief("What is lifecycle stage?", LIFECYCLE)
    responder = BuiltinResponder()

    assert responder.fallback(given).text == responder.decide(request(given)).text


def test_a_refused_outcome_is_not_sent_again():
    given = request(brief("Find fintech companies in Norway", *ALL))
    responder = BuiltinResponder()
    refused = responder.decide(given).text

    repaired = responder.decide(
        type(given)(given.brief, given.prompt, given.timeout_seconds, repair=Repair(refused, ("no",)))
    )

    assert parse_decision(refused).outcome == "delegate"
    assert parse_decision(repaired.text).outcome == "answer"


def test_decisions_are_the_same_every_time():
    given = request(brief("Find fintech companies in Norway", spoken("user", "Hello"), *ALL))

    assert len({BuiltinResponder().decide(given).text for _ in range(5)}) == 1


SEARCHES = capability("Signals Search", "Searches for buying signals of companies and writes them as signals.")
BUILDS = capability("Definition Builder", "Builds a new agent or workflow definition from a description.")


@pytest.mark.parametrize(
    "message",
    [
        "search for our refund policy",
        "Look up our travel policy, please",
        "find the document about pricing",
        "search for the last contact",
        "create a new company called Foo GmbH",
        "create a deal from it",
        "Add a new contact for Lumenpay",
    ],
)
def test_what_is_there_is_looked_up_and_records_are_made_by_nobody(message):
    assert isinstance(decide(message, SEARCHES, BUILDS), WireAnswer)


@pytest.mark.parametrize(
    ("message", "slug"),
    [
        ("Find fintech companies in Spain", "signals-search"),
        ("Find the companies that raised money last month", "signals-search"),
        ("Search for the latest funding rounds in fintech", "signals-search"),
        ("Run a signals search for Acme Robotics", "signals-search"),
        ("Start Signals Search for Acme", "signals-search"),
        ("Create a new agent that qualifies inbound leads", "definition-builder"),
        ("Build a workflow that adds a contact to each new deal", "definition-builder"),
    ],
)
def test_what_is_not_known_yet_is_searched_and_agents_are_built(message, slug):
    assert decide(message, SEARCHES, BUILDS).capability == slug
