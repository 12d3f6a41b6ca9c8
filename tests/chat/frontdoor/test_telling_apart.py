"""No two options of a question back read alike."""

import datetime
from dataclasses import replace

from agencycore.refs import ProjectedField, ResourceRef
from chat.frontdoor.decision import Option
from chat.frontdoor.telling_apart import told_apart
from tests.chat.frontdoor.briefs import brief, run

WHEN = datetime.date(2026, 11, 30)


def signals(number: int, goal: str, started: str = "30 November, 10:17"):
    ref = ResourceRef("run", f"0192b000-0000-7000-8000-00000000000{number}", "Run of Signals Search")
    made = run(f"r{number}", ref)
    return replace(made, fields=(ProjectedField("Goal", goal, WHEN),), payload={**made.payload, "started": started})


def labels(*items) -> list[str]:
    options = [Option(item.label, item.ref) for item in items]
    return [option.label for option in told_apart(options, brief(*items))]


def test_runs_are_told_apart_by_what_they_are_for():
    assert labels(signals(1, "Find fintechs"), signals(2, "Find banks")) == [
        "Run of Signals Search: Find fintechs",
        "Run of Signals Search: Find banks",
    ]


def test_runs_with_one_goal_are_told_apart_by_their_start():
    assert labels(
        signals(1, "Find fintechs"), signals(2, "Find fintechs", "30 November, 11:02"), signals(3, "Find banks")
    ) == [
        "Run of Signals Search: Find fintechs, started 30 November, 10:17",
        "Run of Signals Search: Find fintechs, started 30 November, 11:02",
        "Run of Signals Search: Find banks, started 30 November, 10:17",
    ]


def test_what_nothing_tells_apart_is_numbered():
    assert labels(signals(1, "Find fintechs"), signals(2, "Find fintechs")) == [
        "Run of Signals Search: 1",
        "Run of Signals Search: 2",
    ]


def test_labels_that_differ_stay_as_they_are():
    other = signals(2, "Find banks")
    other = replace(other, label="Run of Research")

    assert labels(signals(1, "Find fintechs"), other) == ["Run of Signals Search", "Run of Research"]
