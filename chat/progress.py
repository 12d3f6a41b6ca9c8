"""What a person is told while a turn is worked on: semantic state in product words, nothing else."""

from collections.abc import Sequence

from agencycore.ai.types import SourceName
from agencycore.streams.publisher import NewEvent, publish
from chat.models import Turn
from conversations.models import stream_of

# Said when a source takes longer than this.
SLOW_SOURCE_SECONDS = 2.0

SLOW_SOURCE_LABELS: dict[SourceName, str] = {
    "conversation": "Still reading this conversation",
    "application": "Still reading the records in this chat",
    "runs": "Still reading recent runs",
    "definitions": "Still reading what is available here",
    "knowledge": "Still reading your documents",
    "memory": "Still reading your preferences",
    "capabilities": "Still reading what is available here",
}


def publish_state(turn: Turn, state: Turn.State) -> None:
    """Announce a turn's new state, in the transaction that changes it."""
    publish_states(turn, (state,))


def publish_states(turn: Turn, states: Sequence[Turn.State]) -> None:
    """Announce the states a turn goes through in one transaction, an event each."""
    _publish(turn, *(_state_event(turn, state) for state in states))


def publish_reply(turn: Turn, reply_id: str, state: Turn.State) -> None:
    """Announce the reply and the final state together: one write, in that order."""
    _publish(
        turn,
        NewEvent(
            "message.created",
            turn_address(turn)
            | {"message": reply_id, "in_reply_to": str(turn.message_id), "role": "assistant", "kind": "reply"},
        ),
        _state_event(turn, state),
    )


def publish_slow_source(turn: Turn, source: SourceName) -> None:
    _publish(turn, NewEvent("turn.slow", turn_address(turn) | {"label": SLOW_SOURCE_LABELS[source]}))


def _state_event(turn: Turn, state: Turn.State) -> NewEvent:
    return NewEvent("turn.state", turn_address(turn) | {"state": str(state), "label": str(state.label)})


def turn_address(turn: Turn) -> dict[str, str]:
    return {"turn": str(turn.id), "message": str(turn.message_id)}


def _publish(turn: Turn, *events: NewEvent) -> None:
    publish(stream=stream_of(turn.conversation_id), organization_id=turn.organization_id, events=list(events))
