"""Runs in product words."""

import pytest

from organizations.models import User
from runs.models import Run
from runs.wording import RESULT_LENGTH, RESULT_LINES, run_cause, run_label, run_result


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, ""),
        ({}, ""),
        ({"text": "Found two.", "count": 2}, "Found two."),
        ({"message": "Nothing new."}, "Nothing new."),
        (
            {"count": 2, "best_match": {"name": "Acme", "is_new": True}},
            "count: 2\nbest match name: Acme\nbest match is new: True",
        ),
        ({"names": ["Acme", "Birch"], "none": None}, "names: Acme\nnames: Birch"),
        ({"text": ["not", "a text"]}, "text: not\ntext: a text"),
    ],
)
def test_a_result_is_told_in_its_own_words_or_by_its_values(result, words):
    assert run_result(Run(result=result)) == words


def test_a_result_without_end_is_cut():
    assert len(run_result(Run(result={"text": "word " * 10_000}))) == RESULT_LENGTH
    assert run_result(Run(result={"rows": list(range(1_000))})).count("\n") == RESULT_LINES - 1


@pytest.mark.parametrize(
    ("run", "label"),
    [
        (Run(state="queued"), "Queued"),
        (Run(state="waiting", waiting_for="customer_ask"), "Waiting for your answer"),
        (Run(state="waiting", waiting_for="approval"), "Waiting for an approval"),
        (Run(state="cancelled"), "Stopped"),
    ],
)
def test_a_state_has_a_label(run, label):
    assert run_label(run) == label


@pytest.mark.parametrize(
    ("person", "words"),
    [
        (User(username="demo", first_name="Dana", last_name="Reyes"), "It was stopped by Dana Reyes"),
        (User(username="demo"), "It was stopped by demo"),
        (None, "It was stopped"),
    ],
)
def test_who_stopped_a_run_is_called_by_name(person, words):
    assert run_cause(Run(state="cancelled", cancelled_by=person)) == words
