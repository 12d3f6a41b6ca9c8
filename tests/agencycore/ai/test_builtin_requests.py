"""Work is started on a request alone: not on a question, not on a statement, not on what was said before."""

from dataclasses import replace

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.requests import asks_again, is_ellipsis, is_request
from agencycore.ai.types import ResourceRef
from agencycore.ai.wire import WireAnswer, WireClarify, WireControlRun, WireDelegate, parse_decision
from tests.agencycore.ai.briefs import asked_back, brief, capability, fact, passage, record, request, run, spoken

SIGNALS = capability("Signals Search", "Finds companies by buying signals such as hiring, funding or expansion.")
PROSPECTS = capability("Prospect Search", "Finds new prospects that match an ICP.")
RESEARCH = capability("Research Assistant", "Researches a company or topic on the web and writes a short brief.")
ALL = (SIGNALS, PROSPECTS, RESEARCH)
LIFECYCLE = passage("Lifecycle stages", "A lifecycle stage says how far a company has come with you.")
SIGNAL = passage("Signals", "A signal is something noticed about a company.")
WORKING = run("Signals Search", "running", id="run-1", goal="find fintech companies in Norway that are hiring")


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


@pytest.mark.parametrize(
    "message",
    [
        "find prospects in Germany",
        "Can you please draft an e-mail to them",
        "could you help me find partners",
        "I need 20 fintech leads in Oslo",
        "we would like to compare the two",
        "ok then research Halden Robotics",
        "20 UK fintech companies that raised seed funding",
        "Let's look for suppliers",
    ],
)
def test_requests(message):
    assert is_request(message)


@pytest.mark.parametrize(
    "message",
    [
        "Which companies are customers?",
        "why did it fail?",
        "Do we have customers in Sweden?",
        "do you support single sign-on",
        "I deleted the deal yesterday, right?",
        "Find it hard to use, don't you?",
        "the search was useful",
        "and Dovetail Hiring?",
    ],
)
def test_no_requests(message):
    assert not is_request(message)


@pytest.mark.parametrize(
    ("message", "is_left_open"),
    [
        ("and Dovetail Hiring?", True),
        ("what about Lumenpay", True),
        ("and find five more", False),
        ("Lumenpay?", False),
    ],
)
def test_what_leaves_its_verb_to_the_message_before(message, is_left_open):
    assert is_ellipsis(message) is is_left_open


@pytest.mark.parametrize(
    ("message", "again"),
    [
        ("run that again", True),
        ("Repeat the fintech search once more please", True),
        ("repeat after me: I have sent the email", False),
        ("try the blue one again tomorrow", False),
    ],
)
def test_only_a_run_is_repeated(message, again):
    assert asks_again(message, ["Signals Search", "find fintech companies"]) is again


@pytest.mark.parametrize(
    "message",
    [
        "Which companies are customers?",
        "Do we have any customers in Sweden?",
        "repeat after me: I have sent the email",
        "I deleted the deal yesterday, right?",
        "What do you think of Signals Search?",
        "The hiring companies were interesting",
    ],
)
def test_what_is_no_request_starts_nothing(message):
    assert not isinstance(decide(message, *ALL), WireDelegate)


@pytest.mark.parametrize("message", ["what is it doing?", "why did it fail?", "did that work?"])
def test_a_question_about_a_run_starts_no_other(message):
    meant = ResourceRef("run", "run-1", "Signals Search")
    decided = decide(
        message,
        WORKING,
        *ALL,
        spoken("user", "find fintech companies in Norway that are hiring"),
        query=f"find fintech companies in Norway that are hiring {message}",
        refs=(meant,),
    )

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1"]


def test_the_capability_whose_name_is_said_comes_first():
    decided = decide("find prospects in Germany", *ALL)

    assert isinstance(decided, WireDelegate)
    assert decided.capability == "prospect-search"


def test_another_record_is_asked_about_and_nothing_is_started():
    decided = decide(
        "and Dovetail Hiring?", *ALL, spoken("user", "Who owns Acme?"), query="Who owns Acme? and Dovetail Hiring?"
    )

    assert isinstance(decided, WireAnswer)
    assert "“Dovetail Hiring”" in decided.text


@pytest.mark.parametrize("message", ["I want to kill myself", "sometimes I want to die", "thinking about suicide"])
def test_a_person_in_distress_is_pointed_to_people(message):
    decided = decide(message, WORKING, *ALL)

    assert not isinstance(decided, WireClarify | WireControlRun)
    assert "emergency number" in decided.text


@pytest.mark.parametrize("message", ["shorter please", "say that again"])
def test_our_own_question_is_explained_and_not_reworked(message):
    decided = decide(
        message,
        spoken("user", "Tell me about one of them"),
        spoken("assistant", "Which record do you mean?"),
        asked_back("Tell me about one of them", "Which record do you mean?"),
        message_class="conversation",
    )

    assert "“Tell me about one of them”" in decided.text


def test_a_passive_is_no_definition():
    origin = passage("Prospects", "Prospects are found by agents. They wait there.", position="Where they come from")
    glossary = passage("Glossary", "**Prospect**: a company that was found and waits.", position="Prospect")

    assert decide("What is a prospect?", origin, glossary).citations == ["r2"]


def test_a_section_whose_title_is_the_question_answers_from_its_beginning():
    text = "Every member can read its files. Who uploaded a document and admins can delete the document."
    told = passage("Roles", text, position="Roles › Who can see uploaded documents")

    assert decide("Who can see uploaded documents?", told).text.startswith("Every member can read its files.")


def test_two_questions_are_both_answered_or_named():
    both = decide("What is lifecycle stage and what is a signal?", LIFECYCLE, SIGNAL)
    one = decide("What is lifecycle stage and what is the weather in Oslo?", LIFECYCLE)

    assert isinstance(both, WireAnswer)
    assert both.citations == ["r1", "r2"]
    assert isinstance(one, WireAnswer)
    assert (one.citations, one.unresolved) == (["r1"], ["No ready document covers: weather in Oslo"])


def test_the_run_that_was_picked_is_stopped_wherever_it_was_started():
    elsewhere = [
        run("Signals Search", "running", id="run-1", goal="in Norway"),
        run("Signals Search", "running", id="run-2", goal="in Italy"),
    ]
    elsewhere = [replace(item, payload={**item.payload, "in_conversation": False}) for item in elsewhere]

    asked = asked_back("stop", "Which run should be stopped?")
    options = [{"label": "Run of Signals Search", "ref": f"run:{item.id}"} for item in elsewhere]

    decided = decide(
        "Run of Signals Search",
        *elsewhere,
        replace(asked, payload={**asked.payload, "options": options}),
        refs=(ResourceRef("run", "run-2", "Run of Signals Search"),),
    )

    assert decided == WireControlRun(outcome="control_run", run_id="run-2", action="cancel")


def test_a_change_of_a_record_is_declined_also_where_its_field_is_known():
    company = record("company", "Acme", fact("Owner", "Dana", None, "owner"), id="c1")

    decided = decide("change the owner of Acme to Maya", about=[company])

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith("I do not create, change or delete records")


def test_the_first_question_is_not_guessed_where_a_summary_stands_for_it():
    summary = replace(spoken("assistant", "The member asked about stages."), kind="summary", payload={})

    decided = decide("what was my first question?", summary, spoken("user", "thanks"), message_class="conversation")

    assert isinstance(decided, WireAnswer)
    assert "The member asked about stages." in decided.text


def test_a_fragment_asks_about_the_one_record_that_is_told():
    company = record("company", "Acme", fact("Last contact", "Call with Sofia", None, "contact"), id="c1")
    page = passage("Activities", "The last contact is the newest call, e-mail, meeting or message.")

    decided = decide("last contact?", company, page)

    assert isinstance(decided, WireAnswer)
    assert "Call with Sofia" in decided.text


def test_a_record_does_not_answer_for_something_else_that_is_named():
    company = record("company", "Acme", fact("Open deal", "Pilot, EUR 24,000", None, "worth", "deal"), id="c1")

    decided = decide("What is the Enterprise rollout of Acme worth?", about=[company])

    assert isinstance(decided, WireAnswer)
    assert "24,000" not in decided.text


def test_courtesy_before_a_question_does_not_change_it():
    decided = decide("ok thanks, who owns Dovetail Labs?")

    assert isinstance(decided, WireAnswer)
    assert "“Dovetail Labs” is not among the records" in decided.text


def test_work_beside_a_question_that_nothing_does_is_named():
    decided = decide("Find partners in France and tell me what a signal is", SIGNAL)

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1"]
    assert decided.unresolved == ["No published agent or workflow for: Find partners in France"]


def test_the_runs_that_could_be_stopped_say_what_they_are_for():
    runs = [run("Signals Search", "running", id=str(n), goal=goal) for n, goal in enumerate(("Norway", "Italy"))]

    decided = decide("the blue one", *runs, asked_back("stop", "Which run should be stopped?"))

    assert isinstance(decided, WireAnswer)
    assert ("“Norway”" in decided.text, "“Italy”" in decided.text) == (True, True)
