"""What a message asks about runs is read off its form, whatever runs there are."""

import datetime

import pytest

from agencycore.ai.run_asks import ENDED, LIVE, asked_runs, asks_after_work, asks_of_running

# A Wednesday, two hours into the day of an organization east of Greenwich.
NOW = datetime.datetime(2026, 3, 4, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=3)))

IN_GENERAL = [
    "How is chat different from running a workflow?",
    "Is there a limit on running workflows?",
    "How many runs can we start a day?",
    "How many runs may run at once?",
    "Who can see my runs?",
    "Can others see my runs?",
    "Are my runs private?",
    "Where do I see my runs?",
    "How do I run a workflow?",
    "How do I stop a run?",
    "Can I run two workflows at the same time?",
    "Can I close the browser while a workflow is running?",
    "What happens when a run fails?",
    "What happens to a failed run?",
    "Why do runs fail?",
    "Why would a run fail?",
    "When is a run finished?",
    "How long can a run take?",
    "How long are runs kept?",
    "Do runs cost money?",
    "Does it cost anything to run a workflow?",
    "Is a workflow run done in the background?",
    "What is a run?",
]
NOT_IN_GENERAL = [
    "Why did that run stop?",
    "Why does this workflow wait?",
    "Is it done?",
    "Is the search done?",
    "Did the last run work?",
    "Did a run fail?",
    "Is a run still going?",
    "What is the status of my run?",
    "Can I see the results of my last run?",
    "Can you tell me if the search is done?",
    "Can you stop the run?",
    "What runs did I start today?",
    "Show me my recent runs",
    "What are my runs doing?",
    "Cancel all running workflows",
    "What is running right now?",
    "Find 20 companies",
    "How long is a deal open?",
]
LISTS = [
    ("What is running right now?", LIVE, ""),
    ("what's running?", LIVE, ""),
    ("Is anything running?", LIVE, ""),
    ("Which of my runs are still open?", LIVE, ""),
    ("Are there any runs in progress?", LIVE, ""),
    ("what runs are there?", LIVE | ENDED, ""),
    ("Which runs do I have", LIVE | ENDED, ""),
    ("Show me my runs", LIVE | ENDED, ""),
    ("What runs did I start today?", LIVE | ENDED, "today"),
    ("what is queued", {"queued"}, ""),
    ("What is waiting for me?", {"waiting"}, ""),
    ("Are there any runs waiting for me?", {"waiting"}, ""),
    ("what finished today?", ENDED, "today"),
    ("Did anything finish yesterday?", ENDED, "yesterday"),
    ("did anything fail?", {"failed"}, ""),
    ("Which runs failed this week?", {"failed"}, "this week"),
    ("Has anything gone wrong today?", {"failed"}, "today"),
    ("Show me my failed runs", {"failed"}, ""),
    ("Which runs were stopped?", {"failed", "cancelled"}, ""),
]
NO_LISTS = [
    "What kinds of runs are there?",
    "What workflows are there?",
    "What is it waiting for?",
    "What is the run waiting for?",
    "Is it done?",
    "Did it work?",
    "Why did it fail?",
    "which step failed",
    "What stopped the run?",
    "What is running a workflow?",
    "What is active prospecting?",
    "What is open?",
    "What is a run?",
]


@pytest.mark.parametrize("message", IN_GENERAL)
def test_what_holds_for_any_run_is_asked_in_general(message: str) -> None:
    assert asks_of_running(message)
    assert asked_runs(message) is None


@pytest.mark.parametrize("message", NOT_IN_GENERAL)
def test_what_happens_with_own_runs_is_not_asked_in_general(message: str) -> None:
    assert not asks_of_running(message)


@pytest.mark.parametrize(("message", "states", "period"), LISTS)
def test_a_state_without_a_run_asks_which_runs_are_in_it(message: str, states: set[str], period: str) -> None:
    asked = asked_runs(message)

    assert asked is not None
    assert asked.states == frozenset(states)
    assert asked.period == period


@pytest.mark.parametrize(
    ("message", "is_of_work"),
    [
        ("How is it going?", True),
        ("so, how's the search going", True),
        ("What did you find?", True),
        ("What have you found so far?", True),
        ("did it find anything yet?", True),
        ("any progress?", True),
        ("How is the company doing?", False),
        ("What did you find about Acme?", False),
        ("How does it work?", False),
        ("Find anything", False),
    ],
)
def test_how_work_stands_is_asked_without_naming_it(message: str, *, is_of_work: bool) -> None:
    assert asks_after_work(message) is is_of_work


@pytest.mark.parametrize("message", NO_LISTS)
def test_one_run_or_another_thing_is_no_list(message: str) -> None:
    assert asked_runs(message) is None


@pytest.mark.parametrize(
    ("message", "hours_ago", "fits"),
    [
        ("What finished today?", 1, True),
        ("What finished today?", 3, False),
        ("What finished yesterday?", 3, True),
        ("What finished yesterday?", 1, False),
        ("What finished last night?", 3, True),
        ("What finished this week?", 49, True),
        ("What finished this week?", 51, False),
        ("What finished last week?", 51, True),
        ("What finished this month?", 75, False),
        ("What finished?", 75, True),
    ],
)
def test_days_begin_where_the_organization_is(message: str, hours_ago: int, *, fits: bool) -> None:
    asked = asked_runs(message)
    ended_at = (NOW - datetime.timedelta(hours=hours_ago)).astimezone(datetime.UTC)

    assert asked is not None
    assert asked.holds("succeeded", ended_at, NOW) is fits
    assert not asked.holds("running", ended_at, NOW)
