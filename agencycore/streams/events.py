"""Events as they are written and read: numbered 1, 2, 3 … in their stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agencycore.streams.models import Event, Stream

# Larger backlogs are read in several rounds.
REPLAY_LIMIT = 200


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that has no number yet. ``payload`` must be JSON."""

    type: str
    payload: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """``number`` is None for what is shown live and never stored."""

    number: int | None
    type: str
    payload: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        return {"number": self.number, "type": self.type, "payload": dict(self.payload)}


def stream_event(row: Event) -> StreamEvent:
    return StreamEvent(row.number, row.type, row.payload)


def events_after(stream: str, number: int, limit: int = REPLAY_LIMIT) -> tuple[StreamEvent, ...]:
    """The first ``limit`` events of ``stream`` beyond ``number``, in order."""
    found = Event.objects.filter(stream__name=stream, number__gt=number).order_by("number")[:limit]
    return tuple(stream_event(event) for event in found)


def last_number(stream: str) -> int:
    """The newest event's number; 0 for a stream that was never written."""
    return Stream.objects.filter(name=stream).values_list("last_number", flat=True).first() or 0
