"""A message may have 8,000 characters, and gets a reply that says something whatever they are."""

import pytest

from chat.frontdoor import speech
from tests.chat.turning import ask, publish_lifecycle_page

pytestmark = pytest.mark.django_db

LENGTH = 7_650
REPEATED = [
    "What is the word ",
    "Why did base ",
    "why do you think that the stage matters ",
    "word ",
    "Please create a company named Northwind and ",
    "Stop that run. ",
    "qwertyuiopasdfghjklzxcvb ",
    "生命周期阶段是什么？",
    "x",
]


@pytest.fixture(autouse=True)
def _docs(db, tmp_path):
    publish_lifecycle_page(tmp_path)


@pytest.mark.parametrize("repeated", REPEATED)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_long_message_gets_a_reply_of_use(owner, repeated, is_first):
    before = None if is_first else ask(owner, "What is a lifecycle stage?").conversation_id

    turn = ask(owner, (repeated * LENGTH)[:LENGTH], conversation_id=before)

    assert turn.state in ("answered", "clarified")
    assert (turn.fallback, turn.refusals) == ("", [])
    assert not turn.reply.text.startswith(speech.MODEL_FAILED)
    assert {report["name"]: report["state"] for report in turn.brief["sources"]}["knowledge"] in ("ok", "empty")


@pytest.mark.parametrize(
    "filler", ["Some background that does not matter here. ", "blah blah ", "qwertzuiop asdfghjkl. "]
)
def test_the_question_at_the_end_of_a_long_message_is_answered(owner, filler):
    question = "What is a lifecycle stage?"

    turn = ask(owner, (filler * LENGTH)[: LENGTH - len(question) - 2] + "\n\n" + question)

    assert "how far a company has come" in turn.reply.text
