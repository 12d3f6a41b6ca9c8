"""A decision is checkpointed as JSON and comes back exactly."""

import json

import pytest

from agencycore.refs import ResourceRef
from chat.frontdoor.decision import (
    Answer,
    CitedSource,
    Clarify,
    ControlRun,
    Delegate,
    Option,
    decision_as_json,
    decision_from_json,
)

SOURCE = CitedSource(
    1, "r4", "company", "77", "Lumen “Works”", "page 4", "Owner: Mia", "Mia owns it", "/c/77/", 0.75, "ab"
)
DECISIONS = [
    Answer("Hello"),
    Answer("Mia owns it [1].", (SOURCE,), ("No document covers refunds",), "Shall I start Signals Search?"),
    Answer("x", (CitedSource(1, "r1", "run", "9", "", "", "", "", "", None, ""),)),
    Clarify("Which one?"),
    Clarify("Which one?", (Option("Words"), Option("Lumen", ResourceRef("company", "77", "Lumen")))),
    Delegate("signals-search", {"goal": "Find 20", "refs": [], "nested": {"a": [1, 2.5, None, True]}}),
    ControlRun("0192b000-0000-7000-8000-000000000001"),
]


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: type(decision).__name__)
def test_a_stored_decision_comes_back_exactly(decision):
    stored = json.loads(json.dumps(decision_as_json(decision)))

    assert decision_from_json(stored) == decision
    assert decision_as_json(decision_from_json(stored)) == stored


def test_an_answer_is_stored_with_its_outcome_first():
    assert decision_as_json(Answer("Hello")) == {
        "outcome": "answer",
        "text": "Hello",
        "citations": [],
        "unresolved": [],
        "offer": "",
    }


@pytest.mark.parametrize(
    "stored", [{}, {"outcome": "dance"}, {"outcome": "control_run", "run_id": "1", "action": "pause"}]
)
def test_anything_else_is_no_decision(stored):
    with pytest.raises(ValueError, match="not a stored decision"):
        decision_from_json(stored)
