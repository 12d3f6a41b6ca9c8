"""Several runs of one workflow can be stopped: the question back tells them apart, and any way of choosing works."""

import pytest

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from runs.models import Run
from tests.chat.pages import body
from tests.chat.turning import ask
from tests.chat.working import delegate, publish_signals

pytestmark = pytest.mark.django_db

GOALS = ["Find fintechs in Norway.", "Find banks and cancel nothing.", "Find the third round of every bank."]


@pytest.fixture
def asked(owner):
    publish_signals(owner)
    turns = [delegate(owner, GOALS[0])]
    turns += [delegate(owner, goal, conversation_id=turns[0].conversation_id) for goal in GOALS[1:]]
    ask(owner, "Thanks!", conversation_id=turns[0].conversation_id)  # the latest exchange is about no run
    turn = ask(owner, "Stop the run", conversation_id=turns[0].conversation_id)
    assert turn.state == "clarified", (turn.state, turn.refusals)
    return turn


def states(person) -> dict[str, str]:
    with tenant(person.organization.id):
        return {run.goal["message"]: str(run.state) for run in Run.objects.all()}


def options(turn) -> list[dict[str, str]]:
    return turn.reply.options


def test_the_options_say_what_each_run_is_for(owner, asked):
    labels = [option["label"] for option in options(asked)]

    assert sorted(labels) == sorted(f"Run of Signals Search: {goal}" for goal in GOALS)
    page = body(owner.client.get(f"/chat/{asked.conversation_id}/"))
    assert all(f'<button class="option">{label}</button>' in page for label in labels)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_option_that_is_clicked_stops_its_run(owner, asked, place):
    option = options(asked)[place]
    kind, _, run = option["ref"].partition(":")

    turn = ask(owner, option["label"], conversation_id=asked.conversation_id, refs=[ResourceRef(kind, run)])

    assert (turn.state, str(turn.run_id)) == ("controlled", run)
    goal = option["label"].removeprefix("Run of Signals Search: ")
    assert states(owner) == {other: "cancelled" if other == goal else "queued" for other in GOALS}


@pytest.mark.parametrize(("words", "place"), [("the second one", 1), ("3", 2), ("the last", 2), ("number one", 0)])
def test_an_ordinal_stops_the_run_at_that_place(owner, asked, words, place):
    turn = ask(owner, words, conversation_id=asked.conversation_id)

    assert turn.state == "controlled", turn.reply.text
    assert f"run:{turn.run_id}" == options(asked)[place]["ref"]


def test_an_option_typed_word_for_word_stops_its_run(owner, asked):
    option = options(asked)[1]

    turn = ask(owner, option["label"], conversation_id=asked.conversation_id)

    assert turn.state == "controlled", turn.reply.text
    assert f"run:{turn.run_id}" == option["ref"]


@pytest.mark.parametrize("words", ["stop", "Stop it", "cancel that please"])
def test_stop_means_the_run_just_spoken_of_and_its_goal_is_named(owner, words):
    publish_signals(owner)
    first = delegate(owner, GOALS[0])
    second = delegate(owner, GOALS[2], conversation_id=first.conversation_id)

    turn = ask(owner, words, conversation_id=first.conversation_id)

    assert (turn.state, turn.run_id) == ("controlled", second.run_id)
    assert turn.reply.text == "I stopped Signals Search (“Find the third round of every bank”)."
