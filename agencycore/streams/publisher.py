from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import uuid


@dataclass(frozen=True, slots=True)
class NewEvent:
    type: str
    payload: Mapping[str, object]


def publish(*, stream: str, organization_id: uuid.UUID, events: Sequence[NewEvent]) -> None: ...
