"""The question of a long message is found at its ends."""

import pytest

from agencycore.ai.asked import LONG_MESSAGE, asked_part

LITTLE = "Some background that matters little. " * 20
PASTED = f"{LITTLE}Was it asked? It was, in the middle. {LITTLE}"
QUESTION = "What is a lifecycle stage?"


@pytest.mark.parametrize(
    "message",
    [
        f"{PASTED}\n\n{QUESTION}",
        f"{QUESTION}\n{PASTED}",
        f"{QUESTION} {PASTED}",
        f"{QUESTION}\n{PASTED}\n{QUESTION}",
        f"Hello. {QUESTION} {PASTED}",
        f"{PASTED} {QUESTION} Thanks!",
        " ".join([QUESTION] * 60),
    ],
)
def test_a_question_at_an_end_is_what_is_asked(message):
    assert asked_part(message) == QUESTION


@pytest.mark.parametrize("message", [PASTED, "word " * 1_600, "x" * 8_000, f"{'word ' * 1_600}?"])
def test_without_a_question_at_an_end_the_whole_is_asked(message):
    assert asked_part(message) == message


def test_a_shorter_message_is_read_as_a_whole():
    message = f"{'I would like to know something. ' * 30}{QUESTION}"

    assert len(message) < LONG_MESSAGE
    assert asked_part(message) == message


def test_two_questions_are_both_asked():
    assert asked_part(f"Who owns it? {PASTED} {QUESTION}") == f"Who owns it? {QUESTION}"
