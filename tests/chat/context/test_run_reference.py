"""Which run is meant: state that fits the verb, narrowed by name or goal, this conversation's first."""

import datetime

import pytest

from agencycore.refs import ResourceRef
from chat.context.run_reference import RunFact, RunState, find_verb, resolve_run

NOW = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC)


def run(
    number: int,
    state: RunState,
    definition: str = "Signals Search",
    goal: str = "",
    days_ago: int = 0,
    here: bool = True,
) -> RunFact:
    ref = ResourceRef("run", str(number), definition)
    return RunFact(ref, definition, goal, state, NOW - datetime.timedelta(days=days_ago), here)


FAILED = run(1, "failed", goal="Find fintech companies")
FAILED_RETAIL = run(2, "failed", goal="Find retail chains")
RUNNING = run(3, "running", "Research Assistant", goal="Brief on battery makers")
WAITING = run(4, "waiting", "Draft Reply")
DONE = run(5, "succeeded")
OLD = run(6, "failed", days_ago=8)
ELSEWHERE = run(7, "running", here=False)
ELSEWHERE_FAILED = run(8, "failed", here=False)

CASES = [
    ("Why did that run stop?", [FAILED, RUNNING, DONE], [], "resolved", [FAILED]),
    ("Why did that run stop?", [FAILED, FAILED_RETAIL], [], "ambiguous", [FAILED, FAILED_RETAIL]),
    ("Why did that run stop?", [FAILED, FAILED_RETAIL], [FAILED_RETAIL], "resolved", [FAILED_RETAIL]),
    ("Why did that run stop?", [FAILED, WAITING], [FAILED, WAITING], "ambiguous", [FAILED, WAITING]),
    ("Why did the fintech search stop?", [FAILED, FAILED_RETAIL], [], "resolved", [FAILED]),
    ("Why did Signals Search fail?", [FAILED, WAITING], [], "resolved", [FAILED]),
    ("Why did the prospect search stop?", [FAILED], [], "resolved", [FAILED]),
    ("Why is this workflow waiting?", [FAILED, WAITING], [WAITING], "resolved", [WAITING]),
    ("Why did the agent stop?", [OLD], [], "missing", []),
    ("Why did the agent stop?", [], [], "missing", []),
    ("Why is this workflow waiting?", [run(9, "waiting", days_ago=30)], [], "resolved", [run(9, "waiting")]),
    ("Why did it fail?", [FAILED, DONE], [], "resolved", [FAILED]),
    ("Why did that run stop?", [DONE, ELSEWHERE_FAILED], [], "resolved", [ELSEWHERE_FAILED]),
    ("Why did that run stop?", [FAILED, ELSEWHERE_FAILED], [], "resolved", [FAILED]),
    ("Stop that", [RUNNING, FAILED], [], "resolved", [RUNNING]),
    ("stop", [RUNNING, FAILED], [], "resolved", [RUNNING]),
    ("Please cancel the run", [RUNNING, WAITING], [], "ambiguous", [RUNNING, WAITING]),
    ("Cancel the Research Assistant run", [RUNNING, WAITING], [], "resolved", [RUNNING]),
    ("Stop the battery task", [RUNNING, WAITING], [], "resolved", [RUNNING]),
    ("Stop that workflow run.", [RUNNING, WAITING], [WAITING], "resolved", [WAITING]),
    ("Stop that", [FAILED], [], "missing", []),
    ("Stop that", [ELSEWHERE], [], "ambiguous", [ELSEWHERE]),
    ("Stop that", [RUNNING, ELSEWHERE], [], "resolved", [RUNNING]),
    ("stop that run", [DONE, ELSEWHERE], [DONE], "resolved", [DONE]),
    ("stop", [DONE, ELSEWHERE], [DONE], "ambiguous", [ELSEWHERE]),
    ("stop that run", [DONE, RUNNING, WAITING, ELSEWHERE], [DONE], "ambiguous", [RUNNING, WAITING]),
    ("stop that run", [DONE, ELSEWHERE], [ELSEWHERE], "ambiguous", [ELSEWHERE]),
    ("Did it work?", [DONE], [], "resolved", [DONE]),
    ("How is it going?", [RUNNING, DONE, ELSEWHERE], [], "resolved", [RUNNING]),
    ("How is it going?", [RUNNING, WAITING], [], "resolved", [RUNNING, WAITING]),
    ("How is it going?", [RUNNING, WAITING], [WAITING], "resolved", [WAITING]),
    ("What did you find?", [DONE, OLD], [], "resolved", [DONE]),
    ("what runs are there?", [DONE, RUNNING, ELSEWHERE], [], "resolved", [DONE, RUNNING, ELSEWHERE]),
    ("Is it still running?", [RUNNING], [], "resolved", [RUNNING]),
    ("Is that search done?", [RUNNING, DONE], [DONE], "resolved", [DONE]),
    ("What is running?", [RUNNING], [], "resolved", [RUNNING]),
    ("What is running right now?", [DONE, FAILED, RUNNING, ELSEWHERE], [DONE], "resolved", [RUNNING, ELSEWHERE]),
    ("What is running right now?", [DONE, ELSEWHERE], [DONE], "resolved", [ELSEWHERE]),
    ("Is anything waiting for me?", [RUNNING, WAITING], [RUNNING], "resolved", [WAITING]),
    ("What finished today?", [FAILED, DONE, RUNNING, OLD], [], "resolved", [FAILED, DONE]),
    ("Did anything fail?", [DONE, FAILED, ELSEWHERE_FAILED], [], "resolved", [FAILED, ELSEWHERE_FAILED]),
    ("Did any Signals Search run fail?", [run(10, "failed", "Draft Reply"), FAILED], [], "resolved", [FAILED]),
]


@pytest.mark.parametrize(("message", "runs", "exchange", "status", "meant"), CASES)
def test_a_message_means_the_runs_that_fit(
    message: str, runs: list[RunFact], exchange: list[RunFact], status: str, meant: list[RunFact]
) -> None:
    reference = resolve_run(message, runs, exchange=[run.ref for run in exchange], now=NOW)

    assert reference is not None
    assert (reference.status, list(reference.refs)) == (status, [run.ref for run in meant])


@pytest.mark.parametrize(
    "message",
    [
        "Why did this company stop matching our ICP?",
        "What is lifecycle stage?",
        "Who owns this deal?",
        "Stop e-mailing me",
        "How do I cancel my subscription?",
        "What does waiting mean?",
        "Create an agent that qualifies inbound leads.",
        "What steps does Signals Search run?",
        "Run this workflow every Monday.",
        "How is chat different from running a workflow?",
        "Is there a limit on running workflows?",
        "Who can see my runs?",
        "Is a run done when it waits?",
        "Why do runs fail?",
        "What is queued?",
        "What failed last week?",
    ],
)
def test_other_messages_are_not_about_a_run(message: str) -> None:
    assert resolve_run(message, [FAILED, RUNNING], exchange=[], now=NOW) is None


@pytest.mark.parametrize(
    ("message", "verb"),
    [("Stop that", "stop"), ("Why did it stop?", "why"), ("Did it work?", "status"), ("Hello", None)],
)
def test_the_verb_decides_which_states_fit(message: str, verb: str | None) -> None:
    assert find_verb(message) == verb


def test_of_several_runs_the_one_on_the_page_is_meant() -> None:
    reference = resolve_run(
        "Why did that run stop?", [FAILED, FAILED_RETAIL], exchange=[], page=FAILED_RETAIL.ref, now=NOW
    )

    assert reference is not None
    assert (reference.status, reference.refs) == ("resolved", (FAILED_RETAIL.ref,))


@pytest.mark.parametrize("message", ["How is it going?", "What did you find?", "any progress?"])
def test_how_work_stands_is_of_this_conversation_alone(message: str) -> None:
    assert resolve_run(message, [ELSEWHERE, ELSEWHERE_FAILED], exchange=[], now=NOW) is None


def test_how_it_went_is_about_the_topic_where_there_is_no_run() -> None:
    assert resolve_run("Did it work?", [], exchange=[], now=NOW) is None
