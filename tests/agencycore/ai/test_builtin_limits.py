"""Whether and how far something is limited: the sentence that sets the limit."""

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.questions import Question
from agencycore.ai.wire import parse_decision
from tests.agencycore.ai.briefs import brief, definition, fact, passage, request

STEPS = passage(
    "Chat, agents and workflows",
    "An agent chooses its own next step within a limit of steps. A workflow always follows the same steps.",
    position="Chat, agents and workflows › The difference between an agent and a workflow",
)
DAILY = passage(
    "Limits",
    "Each organization has a daily limit of runs, that is, of how often agents and workflows can be started in a day.",
    position="Limits › Daily limits of an organization",
)
REACHED = passage(
    "Limits",
    "When the day’s runs are spent, no agent or workflow can be started until the next day.",
    position="Limits › What happens when a limit is reached",
)
FINDER = definition("Fintech Finder", fact("Kind", "Workflow"), fact("Description", "Finds fintech companies."))


@pytest.mark.parametrize(
    "message",
    [
        "Is there a limit on running workflows?",
        "Is there a limit on runs?",
        "Are runs limited?",
        "How many runs can I start a day?",
        "How many workflows can I start per day?",
    ],
)
def test_the_sentence_that_sets_the_limit_is_told(message):
    decided = parse_decision(BuiltinResponder().decide(request(brief(message, FINDER, STEPS, REACHED, DAILY))).text)

    assert decided.text.startswith("Each organization has a daily limit of runs")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Is there a limit on running workflows?", True),
        ("What is the limit for uploads?", True),
        ("Are runs limited?", True),
        ("How many runs can I start?", True),
        ("What happens when a limit is reached?", False),
        ("How many stages are there?", False),
        ("When was it started?", False),
    ],
)
def test_a_limit_is_asked_for(text, asks):
    assert Question(text).asks_limit is asks
