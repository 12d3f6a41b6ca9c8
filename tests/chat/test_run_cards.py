"""The card of a run in its conversation: state, steps, goal, Stop, and the answer it waits for."""

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.models import Message
from runs.ender import Ask, Enter, Fail, Succeed
from runs.models import Run
from tests.chat.pages import FETCH, body
from tests.chat.working import REQUEST, delegate, end, publish_signals, report_on

pytestmark = pytest.mark.django_db

STEPS = [{"name": "Search signals"}, {"name": "Qualify", "approval": True}, {"name": "Write the list"}]


@pytest.fixture(autouse=True)
def _signals(owner) -> None:
    publish_signals(owner, steps=STEPS)


@pytest.fixture
def turn(owner):
    return delegate(owner)


def page(person, turn):
    return body(person.client.get(f"/chat/{turn.conversation_id}/"))


def steps(shown):
    return re.findall(r'class="run-step is-(\w+)"[^>]*><span>([^<]+)', shown)


def test_a_queued_run_shows_its_goal_and_what_is_to_come(owner, turn):
    shown = page(owner, turn)

    assert f'data-run="{turn.run_id}" data-run-state="queued"' in shown
    assert ">Signals Search<" in shown
    assert f'class="run-goal">{REQUEST}<' in shown
    assert "Queued" in shown
    assert [state for state, _ in steps(shown)] == ["todo", "todo", "todo"]
    assert f"/chat/runs/{turn.run_id}/stop/" in shown


@pytest.mark.parametrize(
    ("acts", "expected", "words"),
    [
        ([Enter("Qualify")], ["done", "current", "todo"], "Running"),
        ([Enter("Qualify"), Succeed("Found 3.")], ["done", "done", "done"], "Succeeded"),
        ([Enter("Qualify"), Fail("The register was closed.")], ["done", "failed", "todo"], "The register was closed."),
    ],
)
def test_the_steps_say_how_far_it_is(owner, turn, acts, expected, words):
    end(turn, *acts)

    shown = page(owner, turn)

    assert steps(shown) == list(zip(expected, [step["name"] for step in STEPS], strict=True))
    assert words in shown
    assert ("/stop/" in shown) == (words == "Running")


def test_a_step_that_the_definition_does_not_name_stands_alone(owner, turn):
    end(turn, Enter("Reading"))

    assert steps(page(owner, turn)) == [("current", "Reading")]


def test_a_run_is_stopped_from_its_card_without_a_message(owner, turn):
    with tenant(turn.organization_id):
        before = Message.objects.count()

    shown = body(owner.client.post(f"/chat/runs/{turn.run_id}/stop/", **FETCH))

    assert f'data-message="{turn.message_id}"' in shown
    assert re.search(r"Stopped by olivia, <time [^>]+>\d+ \w+, \d\d:\d\d</time>\.", shown)
    with tenant(turn.organization_id):
        assert Message.objects.count() == before
        assert Run.objects.get().state == "cancelled"


def test_stopping_what_has_ended_changes_nothing(owner, turn):
    end(turn, Succeed("Found 3."))

    shown = body(owner.client.post(f"/chat/runs/{turn.run_id}/stop/", **FETCH))

    assert "Succeeded" in shown
    with tenant(turn.organization_id):
        assert Run.objects.get().state == "succeeded"


def test_without_script_stop_leads_back_to_the_conversation(owner, turn):
    response = owner.client.post(f"/chat/runs/{turn.run_id}/stop/")

    assert response["Location"] == f"/chat/{turn.conversation_id}/#m-{turn.message_id}"


def answer_form(shown):
    found = re.search(
        r'class="answer-form".*?name="client_message_id" value="([^"]+)".*?name="run" value="([^"]+)"', shown
    )
    return found and found.groups()


def test_a_question_is_answered_where_it_stands_and_only_while_it_waits(owner, turn):
    end(turn, Ask("Which country?"))
    shown = page(owner, turn)
    client_message_id, run = answer_form(shown)
    assert "Waiting for your answer" in shown
    assert run == str(turn.run_id)

    content = {"text": "Norway", "client_message_id": client_message_id, "run": run}
    sent = body(owner.client.post(f"/chat/{turn.conversation_id}/messages/", content, **FETCH))

    assert "Your answer was passed on" in sent
    with tenant(turn.organization_id):
        assert Run.objects.get().answers[0]["text"] == "Norway"
        assert Turn.objects.latest("created_at").state == "replied"
    later = page(owner, turn)
    assert answer_form(later) is None
    assert "Which country?" in later


def test_only_the_newest_of_a_runs_questions_can_be_answered(owner, turn):
    end(turn, Ask("Which country?"))
    content = {"text": "Norway", "client_message_id": "c1", "run": str(turn.run_id)}
    owner.client.post(f"/chat/{turn.conversation_id}/messages/", content, **FETCH)
    end(turn, Ask("Which year?"))

    shown = page(owner, turn)

    assert shown.count('class="answer-form"') == 1
    assert shown.index("Which country?") < shown.index("Which year?") < shown.index('class="answer-form"')


def test_a_report_stands_under_its_card_and_is_marked(owner, turn):
    end(turn, Succeed("Found 3 companies."))
    report_on(turn)

    shown = page(owner, turn)

    assert shown.index("run-card") < shown.index("Report of finished work")


def test_the_page_and_the_update_show_the_same_card(owner, turn):
    tokens = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')

    partial = tokens.sub("", body(owner.client.get(f"/chat/messages/{turn.message_id}/exchange/")))

    assert "run-card" in partial
    assert partial.strip() in tokens.sub("", page(owner, turn))


@pytest.mark.parametrize("headers", [FETCH, {}], ids=["script", "no script"])
@pytest.mark.parametrize("who", ["stranger", "teammate", "admin"])
def test_nobody_else_stops_a_run_from_a_conversation_that_is_not_theirs(owner, request, turn, who, headers):
    asker = request.getfixturevalue(who)

    answers = []
    for run_id in (turn.run_id, uuid.uuid4()):
        with CaptureQueriesContext(connection) as captured:
            response = asker.client.post(f"/chat/runs/{run_id}/stop/", **headers)
        answers.append((response.status_code, response.content, len(captured)))

    assert answers[0] == answers[1]
    assert answers[0][0] == 404
    with tenant(turn.organization_id):
        assert Run.objects.get().state == "queued"


def test_runs_take_a_fixed_number_of_statements(owner, turn):
    counts = []
    for _ in range(2):
        client = owner.client
        with CaptureQueriesContext(connection) as captured:
            client.get(f"/chat/{turn.conversation_id}/")
        counts.append(len(captured))
        delegate(owner, conversation_id=turn.conversation_id)

    assert counts[0] == counts[1]
