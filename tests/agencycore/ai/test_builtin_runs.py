"""Questions about runs and agents, and stopping: told from the runs and definitions of the brief."""

from dataclasses import replace

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, WireClarify, WireControlRun, WireDelegate, parse_decision
from agencycore.refs import ResourceRef
from tests.agencycore.ai.briefs import brief, capability, day, definition, fact, passage, request, run

FAILED = run(
    "Signals Search", "failed", fact("Cause", "The job board did not answer.", day(2026, 3, 3)),
    words="failed", when=day(2026, 3, 3), goal="Find fintech companies", id="run-1",
)  # fmt: skip
LIVE = run("Research Assistant", "running", fact("Step", "Reading pages"), words="running", id="run-2")
WAITING = run("Outreach", "waiting", words="waiting for your approval", id="run-3")
BUILDER = definition(
    "Definition Builder",
    fact("Description", "Creates and changes agents and workflows.", None, "what does", "do", "for"),
    fact("Kind", "Agent"),
    fact("Tools", "list_definitions, draft_definition", None, "tools", "use", "can", "send"),
    fact("Memory", "keeps nothing after a run has ended", None, "memory", "remember", "keep"),
)
SIGNALS = definition(
    "Signals Search",
    fact("Description", "Finds companies by buying signals.", None, "what does", "do", "for"),
    fact("Kind", "Workflow"),
    fact("Steps", "1. search; 2. score, after an approval; 3. promote", None, "steps", "happens", "after"),
)


def decide(*args, **kwargs):
    return parse_decision(BuiltinResponder().decide(request(brief(*args, **kwargs))).text)


def test_why_a_run_ended_is_told_with_its_cause():
    decided = decide("Why did that run stop?", FAILED, refs=[ResourceRef("run", "run-1")], phrase="that run")

    assert decided == WireAnswer(
        outcome="answer",
        citations=["r1"],
        unresolved=[],
        offer="",
        text=(
            "The run of Signals Search (“Find fintech companies”) failed on 3 March 2026 [r1]. "
            "The job board did not answer [r1]."
        ),
    )


def test_several_runs_that_fit_are_asked_about():
    other = run("Signals Search", "failed", words="failed", id="run-9")

    decided = decide("Why did the prospect search fail?", FAILED, other)

    assert isinstance(decided, WireClarify)
    assert [option.ref for option in decided.options] == ["run:run-1", "run:run-9"]


def test_what_is_running_lists_live_runs_only():
    decided = decide("What is running right now?", FAILED, LIVE, WAITING)

    assert decided.text.splitlines() == [
        "- Research Assistant is running [r2].",
        "- Outreach is waiting for your approval [r3].",
    ]


def test_no_run_at_all_is_said_plainly():
    assert decide("Why did the run fail?").unresolved == ["No run that fits the question was found"]


def test_runs_that_could_not_be_read_are_not_called_none():
    decided = decide("Why did the run fail?", states={"runs": "unavailable"})

    assert decided.unresolved == ["Recent runs could not be checked just now"]


def test_the_only_live_run_is_stopped():
    assert decide("Stop that", FAILED, LIVE) == WireControlRun(outcome="control_run", run_id="run-2", action="cancel")


def test_several_live_runs_are_asked_about():
    decided = decide("Stop that", LIVE, WAITING)

    assert isinstance(decided, WireClarify)
    assert decided.question == "Which run should be stopped?"
    assert [option.ref for option in decided.options] == ["run:run-2", "run:run-3"]


def test_nothing_live_is_answered_with_how_the_run_ended():
    decided = decide("Stop the run", FAILED)

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r1"]
    assert decided.text.startswith("No run is live, so there is nothing to stop. The run of Signals Search")


def test_a_live_run_cannot_be_changed_and_what_can_be_done_is_said():
    decided = decide("Pause the run", LIVE)

    assert isinstance(decided, WireAnswer)
    assert "cannot be changed, paused or undone" in decided.text
    assert decided.citations == ["r1"]


def test_of_several_live_runs_none_is_offered_for_stopping_where_one_is_to_pause():
    refs = [ResourceRef("run", "run-2"), ResourceRef("run", "run-3")]

    decided = decide("pause the run", LIVE, WAITING, refs=refs, phrase="the run", status="ambiguous")

    assert isinstance(decided, WireAnswer)
    assert "cannot be changed, paused or undone" in decided.text
    assert decided.citations == ["r1", "r2"]


def test_runs_of_the_conversation_come_before_those_of_others():
    elsewhere = replace(WAITING, payload=WAITING.payload | {"in_conversation": False})
    own = run("Outreach", "running", words="running", id="run-7")
    refs = [ResourceRef("run", "run-2"), ResourceRef("run", "run-7")]

    asked = decide("stop that run", LIVE, own, elsewhere, refs=refs, phrase="that run", status="ambiguous")

    assert isinstance(asked, WireClarify)
    assert [option.ref for option in asked.options] == ["run:run-2", "run:run-7"]
    assert [option.ref for option in decide("stop", LIVE, own, elsewhere).options] == ["run:run-2", "run:run-7"]


def test_the_run_whose_end_was_told_is_not_another_that_is_live():
    elsewhere = replace(LIVE, payload=LIVE.payload | {"in_conversation": False})

    decided = decide("stop that run", FAILED, elsewhere, refs=[ResourceRef("run", "run-1")], phrase="that run")

    assert isinstance(decided, WireAnswer)
    assert decided.text.startswith("That run is not live, so there is nothing to stop. The run of Signals Search")


def test_a_typed_approval_is_pointed_to_the_buttons():
    decided = decide("I approve", WAITING)

    assert isinstance(decided, WireAnswer)
    assert "buttons" in decided.text
    assert decided.citations == ["r1"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            "What steps does Signals Search run?",
            "Steps of Signals Search [r2]:\n1. search\n2. score, after an approval\n3. promote",
        ),
        (
            "What does the Definition Builder do?",
            "Definition Builder: Creates and changes agents and workflows [r1].",
        ),
    ],
)
def test_what_an_agent_or_workflow_does_is_told_from_its_definition(message, text):
    assert decide(message, BUILDER, SIGNALS).text == text


def test_which_agents_there_are_is_a_list_with_each_cited():
    decided = decide("What agents can I use?", BUILDER, SIGNALS)

    assert decided.text == "- **Definition Builder**: Creates and changes agents and workflows [r1]."
    assert decide("What workflows can I use?", BUILDER, SIGNALS).citations == ["r2"]


ENDED = run("Signals Search", "succeeded", words="succeeded", when=day(2026, 3, 4), goal="Find banks", id="run-5")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("What is running right now?", ["run-2", "run-3"]),
        ("Is anything waiting for me?", ["run-3"]),
        ("Did anything fail?", ["run-1"]),
        ("What has finished?", ["run-1", "run-5"]),
    ],
)
def test_the_runs_in_the_state_asked_for_are_listed_and_never_asked_about(message: str, told: list[str]):
    known = {item.id: item for item in (FAILED, LIVE, WAITING, ENDED)}

    decided = decide(message, *known.values())

    assert isinstance(decided, WireAnswer)
    keys = [f"r{number}" for number, id in enumerate(known, start=1) if id in told]
    assert decided.citations == keys


def test_where_no_run_is_in_that_state_the_last_that_ended_is_named_as_such():
    decided = decide("What is running right now?", FAILED, ENDED)

    assert isinstance(decided, WireAnswer)
    assert decided.text == (
        "None of your recent runs is live; the last one that ended: "
        "Signals Search (“Find banks”) succeeded on 4 March 2026 [r2]."
    )


def test_without_runs_no_page_is_read_out_for_them():
    page = passage("Runs", "Waiting: a run waits for an approval.", id="states")

    decided = decide("Is anything waiting for me?", page)

    assert isinstance(decided, WireAnswer)
    assert (decided.citations, decided.text) == ([], "I see no recent run of yours.")


@pytest.mark.parametrize("message", ["Who can see my runs?", "How many runs can we start a day?"])
def test_what_holds_for_any_run_is_told_from_the_pages_whatever_runs_there_are(message: str):
    page = passage(
        "Limits", "The person who started a run and the admins can see it. So many runs can start a day: 20."
    )

    decided = decide(message, FAILED, LIVE, page)

    assert isinstance(decided, WireAnswer)
    assert decided.citations == ["r3"]


@pytest.mark.parametrize(
    ("message", "starts"),
    [("run the second one", True), ("please start the second one", True), ("what does the second one do?", False)],
)
def test_the_workflow_pointed_at_is_started_where_that_is_asked(message: str, *, starts: bool):
    known = (SIGNALS, capability("Signals Search", "Finds companies."), capability("Outreach", "Writes to them."))

    decided = decide(
        message, *known, refs=[ResourceRef("definition", SIGNALS.id, "Signals Search")], phrase="the second one"
    )

    assert isinstance(decided, WireDelegate if starts else WireAnswer)
    if isinstance(decided, WireDelegate):
        assert decided.capability == "signals-search"
