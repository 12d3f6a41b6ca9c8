"""An answer shown while it is being written: live, coalesced, and never stored."""

import time

from agencycore.connections import give_back_connection
from agencycore.dispatch.queue import LostLease
from agencycore.streams.publisher import NewEvent, publish_live
from agencycore.tenancy import tenant
from chat.models import Turn
from chat.progress import turn_address
from conversations.models import stream_of

DELTA_SECONDS = 0.08
# How often a writing turn looks whether it was stopped.
STOP_CHECK_SECONDS = 0.5


class DeltaPublisher:
    """Collects released text and shows it at most every DELTA_SECONDS.

    Each ``turn.delta`` says at which character of the answer it begins: a page that was opened in
    between does not show half an answer. Raises LostLease as soon as the turn was stopped, so that
    the model is not listened to any longer.
    """

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._waiting = ""
        self._shown = 0
        self._shown_at = 0.0
        self._checked_at = time.monotonic()

    def feed(self, text: str) -> None:
        self._check_stopped()
        self._waiting += text
        if time.monotonic() - self._shown_at >= DELTA_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Show what is waiting; called once more when the answer is whole."""
        if not self._waiting:
            return
        payload = turn_address(self._turn) | {"at": self._shown, "text": self._waiting}
        self._publish(NewEvent("turn.delta", payload))
        self._shown += len(self._waiting)
        self._waiting = ""
        self._shown_at = time.monotonic()

    def reset(self) -> None:
        """Take back what an earlier attempt of this turn showed."""
        self._publish(NewEvent("turn.reset", turn_address(self._turn)))

    def _publish(self, event: NewEvent) -> None:
        publish_live(
            stream=stream_of(self._turn.conversation_id),
            organization_id=self._turn.organization_id,
            event=event,
        )

    def _check_stopped(self) -> None:
        now = time.monotonic()
        if now - self._checked_at < STOP_CHECK_SECONDS:
            return
        self._checked_at = now
        with tenant(self._turn.organization_id):
            if not Turn.objects.filter(id=self._turn.id).open().exists():
                raise LostLease(f"turn {self._turn.id} was stopped while it was answered")
        give_back_connection()  # the model is still being waited for
