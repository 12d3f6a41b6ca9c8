"""What is said after work was handed over: a run is started for a request, and for nothing that only follows one."""

import pytest
from django.conf import settings

from agencycore.tenancy import tenant
from knowledge.platform_docs import sync_platform_docs
from runs.models import Run
from tests.chat.pipeline import (
    Model,
    Talk,
    answer_from,
    ask_which,
    company,
    delegate_to,
    nothing_known,
    stop_the_live_one,
)
from tests.chat.working import SIGNALS, publish_signals
from tests.people import Person
from tests.runs.definitions import publish_definition

pytestmark = pytest.mark.django_db

FRENCH = "Find French logistics companies that hire"
HANDED = "I handed this to Signals Search. Its progress and its report appear here."


@pytest.fixture(params=["builtin", "scripted"])
def talk(request: pytest.FixtureRequest, owner: Person) -> Talk:
    publish_signals(owner)
    with tenant(owner.actor.organization_id):
        publish_definition(
            owner.organization,
            "definition-builder",
            name="Definition Builder",
            description="Creates and changes agents and workflows from a brief: drafts definitions, adds steps.",
        )
    return Talk(owner, Model(request.param))


def goals(talk: Talk) -> list[str]:
    """What the conversation's runs were started for, oldest first."""
    with tenant(talk.organization_id):
        return [run.goal["message"] for run in Run.objects.order_by("created_at")]


def test_what_chat_can_do_is_answered_from_the_documents_also_after_a_handoff(talk, tmp_path):
    page = settings.BASE_DIR / "docs/product/what-is-agencycore.md"
    (tmp_path / page.name).write_text(page.read_text())
    sync_platform_docs(tmp_path)

    talk.say("Find Dutch biotech companies", decision=delegate_to(SIGNALS))
    turn = talk.say("What can you do?", decision=answer_from("knowledge_chunk"))

    assert turn.state == "answered", turn.refusals
    assert {kind for kind, _ in talk.cited(turn)} == {"knowledge_chunk"}
    assert goals(talk) == ["Find Dutch biotech companies"]


def test_a_model_cannot_hand_over_a_question_of_what_chat_can_do(owner):
    publish_signals(owner)
    talk = Talk(owner, Model("scripted"))

    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    with talk.model.deciding(delegate_to(SIGNALS), delegate_to(SIGNALS)):
        turn = talk.work(talk.post("What can you do?"))

    assert (turn.state, goals(talk)) == ("answered", [FRENCH])
    assert turn.refusals[0] == "The message asks what chat is or does, and for no work. Answer it from the documents."


def test_an_ordinal_after_a_stop_is_asked_about_and_starts_nothing(talk):
    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    talk.say("Stop that", decision=stop_the_live_one)
    turn = talk.say("the second one", decision=ask_which)

    assert (turn.state, goals(talk)) == ("clarified", [FRENCH])


def test_an_ordinal_after_a_stop_is_handed_over_by_no_model(owner):
    publish_signals(owner)
    talk = Talk(owner, Model("scripted"))

    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    talk.say("Stop that", decision=stop_the_live_one)
    with talk.model.deciding(delegate_to(SIGNALS), delegate_to(SIGNALS)):
        turn = talk.work(talk.post("the second one"))

    assert (turn.state, goals(talk)) == ("clarified", [FRENCH])


@pytest.mark.parametrize("follow_up", ["why?", "any more?", "and Spain?", "the first one", "more", "How come?"])
def test_a_follow_up_after_a_stop_starts_nothing(talk, follow_up):
    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    talk.say("Stop that", decision=stop_the_live_one)
    follow = ask_which if follow_up == "the first one" else nothing_known("What became of it")
    turn = talk.say(follow_up, decision=follow)

    assert turn.state == ("clarified" if follow_up == "the first one" else "answered"), turn.reply.text
    assert goals(talk) == [FRENCH]


def test_questions_between_end_what_a_change_can_go_on_from(talk):
    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    for follow_up in ("why?", "and Spain?", "any more?", "really?"):
        talk.say(follow_up, decision=nothing_known("What became of it"))

    assert goals(talk) == [FRENCH]


def test_a_change_right_after_a_request_is_handed_over_in_both_of_the_persons_messages(talk):
    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    turn = talk.say("and Spain?", decision=delegate_to(SIGNALS))
    again = talk.say("and Italy?", decision=delegate_to(SIGNALS))

    assert (turn.state, again.state) == ("delegated", "delegated")
    assert goals(talk) == [FRENCH, f"{FRENCH}\n\nand Spain?", f"{FRENCH}\n\nand Italy?"]


def test_half_a_request_after_a_question_about_the_run_is_asked_for_as_a_whole(owner):
    publish_signals(owner)
    talk = Talk(owner, Model("builtin"))

    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    talk.say("What did you find?", decision=nothing_known(""))
    turn = talk.say("and what about Italy?", decision=nothing_known(""))

    told = "I have not started anything for “and what about Italy”: please send the whole request."
    assert (turn.reply.text, goals(talk)) == (told, [FRENCH])


def test_a_run_that_is_started_again_has_the_goal_of_the_first(talk):
    talk.say(FRENCH, decision=delegate_to(SIGNALS))
    talk.say("Stop that", decision=stop_the_live_one)
    turn = talk.say("please start it again", decision=delegate_to(SIGNALS))

    assert turn.reply.text == HANDED
    assert goals(talk) == [FRENCH, FRENCH]


@pytest.mark.parametrize(
    "question", ["how is it going?", "What did you find?", "what runs are there?", "any progress?"]
)
def test_how_the_work_stands_is_told_of_the_live_run(talk, question):
    handed = talk.say(FRENCH, decision=delegate_to(SIGNALS))
    turn = talk.say(question, decision=answer_from("run"))

    assert turn.state == "answered", turn.refusals
    assert "queued" in turn.reply.text
    assert talk.cited(turn) == [("run", str(handed.run_id))]


def test_a_greeting_that_asks_how_it_goes_stays_one_where_nothing_is_at_work(talk):
    turn = talk.say("How is it going?", decision=nothing_known("", "Hello!"))

    assert turn.reply.text.startswith("Hello!")


@pytest.mark.parametrize("message", ["don't stop the other one", "never mind", "forget it", "let them run"])
def test_what_is_not_to_be_stopped_goes_on_and_is_named(owner, message):
    publish_signals(owner)
    talk = Talk(owner, Model("builtin"))

    runs = [talk.say(text, decision=delegate_to(SIGNALS)) for text in (FRENCH, "Find banks in Norway")]
    turn = talk.say(message, decision=nothing_known(""))

    assert turn.state == "answered"
    assert turn.reply.text.startswith("Nothing was stopped:\n- Signals Search (“Find banks in Norway”) is queued [1].")
    assert {str(run.run_id) for run in runs} == {cited for _, cited in talk.cited(turn)}
    assert {talk.run(run).state for run in runs} == {"queued"}


@pytest.mark.parametrize("words", ["Stop that", "you can stop it now, thanks"])
def test_a_stop_right_after_a_handoff_means_what_was_handed_over(talk, words):
    first = talk.say(FRENCH, decision=delegate_to(SIGNALS))
    second = talk.say("Find banks in Norway", decision=delegate_to(SIGNALS))
    turn = talk.say(words, decision=stop_the_live_one)

    assert (turn.state, turn.run_id) == ("controlled", second.run_id)
    assert talk.run(first).state == "queued"


def test_a_stop_where_nothing_points_to_one_run_asks_which(talk):
    runs = [talk.say(text, decision=delegate_to(SIGNALS)) for text in (FRENCH, "Find banks in Norway")]
    talk.say("Thanks!", decision=nothing_known("", "You are welcome."))
    turn = talk.say("Stop that", decision=ask_which)

    assert turn.state == "clarified"
    assert {option["ref"] for option in turn.reply.options} == {f"run:{run.run_id}" for run in runs}
    assert {talk.run(run).state for run in runs} == {"queued"}


def test_it_of_new_work_means_the_record_that_the_last_run_was_started_for(talk):
    acme = company(talk.person, "Acme")
    talk.say("Start a signals search for this company", acme, decision=delegate_to(SIGNALS))

    talk.say("Start a signals search for it", decision=delegate_to(SIGNALS))

    with tenant(talk.organization_id):
        refs = [[(ref["kind"], ref["id"]) for ref in run.goal["refs"]] for run in Run.objects.order_by("created_at")]
    assert refs == [[("company", acme.id)]] * 2


def test_a_stop_after_a_question_back_is_a_stop(owner):
    publish_signals(owner)
    talk = Talk(owner, Model("builtin"))
    talk.say("Find Dutch biotech companies", decision=delegate_to(SIGNALS))
    elsewhere = Talk(owner, Model("builtin"))
    elsewhere.say("???", decision=nothing_known("Nothing was asked"))

    turn = elsewhere.say("stop", decision=nothing_known("Which run"))

    assert (turn.state, turn.outcome) == ("answered", "answer")
    assert "could be stopped" in turn.reply.text
    assert "Signals Search" in turn.reply.text
