"""To whom a message goes while runs of its conversation wait for an answer: what the page says, and offers instead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from chat.frontdoor.decision import Clarify
from chat.run_answers import ForRun, WaitingRun, list_waiting, recipient_among
from conversations.models import Conversation, Message

OFFERED = 4


@dataclass(frozen=True, slots=True)
class Recipient:
    """Whom the composer's text would reach: the run that is ``answered``, else chat.

    ``asks_which``: chat would ask for which of several runs it is. ``offered`` are those that can be chosen instead.
    """

    answered: WaitingRun | None
    asks_which: bool
    offered: tuple[WaitingRun, ...]


def foresee(
    conversation: Conversation, actor: Actor, *, text: str = "", refs: Sequence[ResourceRef] = ()
) -> Recipient | None:
    """Of a message that is not sent yet; None where no run waits. One statement then, and the history's otherwise."""
    waiting = list_waiting(actor, conversation.id)
    if not waiting:
        return None
    message = Message(
        conversation=conversation,
        ordinal=conversation.message_count + 1,
        text=text.strip(),
        refs=[ref.as_json() for ref in refs],
    )
    found = recipient_among(waiting, conversation, message, actor)
    match found:
        case ForRun():
            answered = next((each for each in waiting if each.run.id == found.run_id), None)
            return Recipient(answered, False, () if answered else offered(waiting))
        case _:
            return Recipient(None, isinstance(found, Clarify), offered(waiting))


def offered(waiting: Iterable[WaitingRun]) -> tuple[WaitingRun, ...]:
    return tuple(waiting)[:OFFERED]


def offered_after(waiting: Iterable[WaitingRun], message: Message) -> tuple[WaitingRun, ...]:
    """The runs that had asked when ``message`` was sent and went to chat by a guess."""
    return () if message.for_chat else offered(each for each in waiting if each.asked_at < message.ordinal)
