"""An answer shown while it is written: what is shown, and what is not."""

import pytest

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, render_decision
from agencycore.streams.publisher import NewEvent
from agencycore.tenancy import tenant
from chat import deltas
from chat.actions import stop_turn
from organizations.models import ModelCall
from tests.chat.turning import ask, expire_lease, publish_lifecycle_page, replies_to, reread, send, work_on

QUESTION = "What is lifecycle stage?"
TEXT = (
    "It is how far a company has come [{key}]. The owner changes it on the company’s page [{key}]. "
    "I created a contact for you [{key}]. That is all [{key}]."
)


@pytest.fixture(autouse=True)
def _docs(db, tmp_path):
    publish_lifecycle_page(tmp_path)


@pytest.fixture
def shown(monkeypatch) -> list[NewEvent]:
    """The live events, in order; nothing is held back."""
    events: list[NewEvent] = []
    monkeypatch.setattr(deltas, "publish_live", lambda *, stream, organization_id, event: events.append(event))
    monkeypatch.setattr(deltas, "DELTA_SECONDS", 0.0)
    monkeypatch.setattr(deltas, "STOP_CHECK_SECONDS", 0.0)
    return events


def write_at_length(request) -> str:
    key = request.brief.evidence[0].key
    answer = WireAnswer(outcome="answer", citations=[key], unresolved=[], offer="", text=TEXT.format(key=key))
    return render_decision(answer)


def test_sentences_are_shown_as_they_are_stored_and_a_claim_of_work_never(owner, shown):
    with playing([write_at_length]):
        turn = ask(owner, QUESTION)

    [reply] = replies_to(turn)
    texts = [str(event.payload["text"]) for event in shown]
    assert len(texts) > 1
    assert "".join(texts) == reply.text
    assert [event.payload["at"] for event in shown] == [sum(map(len, texts[:n])) for n in range(len(texts))]
    assert "created a contact" not in reply.text
    assert len(turn.edits) == 1


def test_a_turn_stopped_while_it_is_written_shows_no_more_and_gets_no_reply(owner, shown, monkeypatch):
    turn = send(owner, QUESTION)

    def stop_at_the_first(*, stream, organization_id, event) -> None:
        shown.append(event)
        with tenant(turn.organization_id):
            stop_turn(actor=owner.actor, turn_id=turn.id)

    monkeypatch.setattr(deltas, "publish_live", stop_at_the_first)
    with playing([write_at_length]):
        work_on(turn)

    assert len(shown) == 1
    assert reread(turn).state == "cancelled"
    assert replies_to(turn) == []
    with tenant(turn.organization_id):
        assert ModelCall.objects.get().state == "failed"


def test_a_second_attempt_takes_back_what_the_first_had_shown(owner, shown, monkeypatch):
    turn = send(owner, QUESTION)

    class Killed(BaseException):
        pass

    def die(*args: object) -> None:
        raise Killed

    with playing([write_at_length, write_at_length]):
        with monkeypatch.context() as patch:
            patch.setattr("chat.turns._record", die)
            with pytest.raises(Killed):
                work_on(turn)
        first = len(shown)
        expire_lease(turn)
        work_on(turn)

    assert first > 1
    assert shown[first].type == "turn.reset"
    [reply] = replies_to(turn)
    assert "".join(str(event.payload["text"]) for event in shown[first + 1 :]) == reply.text
