"""A live run is stopped by a clear request alone: whatever else is said of stopping, it goes on."""

from pathlib import Path

import pytest
from django.conf import settings

from agencycore.tenancy import tenant
from chat.frontdoor import speech
from knowledge.platform_docs import sync_platform_docs
from runs.models import Run
from tests.chat.turning import ask
from tests.chat.working import delegate, publish_signals

pytestmark = pytest.mark.django_db


@pytest.fixture
def working(owner):
    publish_signals(owner)
    return delegate(owner)


def state_of(person, turn) -> str:
    with tenant(person.organization.id):
        return str(Run.objects.get(id=turn.run_id).state)


@pytest.mark.parametrize(
    "message",
    [
        "I don't want you to stop the run",
        "Never stop that run",
        "Please do not stop that run",
        "Can you stop runs?",
        'He said "stop that run"',
        "The document says: stop that run",
        "If it takes too long, stop that run",
        "Would you stop that run if it fails?",
        "Should I stop the run?",
        "Don't stop it",
        "Please tell me the stop words",
        "Tell me how to stop that run",
        "Stop it tomorrow",
    ],
)
def test_what_is_no_request_to_stop_stops_nothing(owner, working, message):
    turn = ask(owner, message, conversation_id=working.conversation_id)

    assert turn.state in ("answered", "clarified"), turn.state
    assert turn.refusals == []
    assert not turn.reply.text.startswith(speech.MODEL_FAILED)
    assert state_of(owner, working) == "queued"


@pytest.mark.parametrize(
    "message",
    [
        "Could you please stop it?",
        "I want you to stop that run",
        "kill it",
        "ok stop it now",
        "That is the wrong list, please cancel the run.",
        "Stop the run and tell me what it found",
        "Call it off",
    ],
)
def test_a_clear_request_stops_the_run(owner, working, message):
    turn = ask(owner, message, conversation_id=working.conversation_id)

    assert (turn.state, turn.run_id) == ("controlled", working.run_id), turn.reply.text
    assert state_of(owner, working) == "cancelled"


@pytest.mark.parametrize(
    "message", ["Tell me how to stop that run", "How do I stop a run?", "How can I stop that run?"]
)
def test_how_to_stop_a_run_is_told_from_the_documentation(owner, working, message):
    sync_platform_docs(Path(settings.BASE_DIR) / "docs" / "product")

    turn = ask(owner, message, conversation_id=working.conversation_id)

    assert turn.state == "answered", turn.reply.text
    assert "Choose Stop on the card of the run" in turn.reply.text
    assert state_of(owner, working) == "queued"
