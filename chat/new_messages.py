"""A message on its way in: what it must be, and whether it was sent before."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from agencycore.errors import ProductError, Refused
from agencycore.refs import InvalidRef, ResourceRef, could_be_read, readers
from agencycore.tenancy import Actor
from chat.context.reference import TEXT_KINDS
from chat.models import Turn
from conversations.guardrails import clean_message_text
from conversations.models import Conversation, Message

CLIENT_MESSAGE_ID_MAX_LENGTH = 64
MAX_REFS = 20


class AlreadySent(Refused):
    """The ``client_message_id`` is that of another message: to take it for that one would lose what differs."""

    code = "already_sent"

    def __init__(self, difference: str) -> None:
        super().__init__(f"This was sent already, {difference}. Send it again to send it as a new message.")


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as it reaches the product; checked, but nothing is known to exist yet.

    ``documents`` are chosen for the conversation that it begins.
    """

    text: str
    client_message_id: str
    refs: tuple[ResourceRef, ...] = ()
    page: ResourceRef | None = None
    run_id: uuid.UUID | None = None
    for_chat: bool = False
    documents: tuple[uuid.UUID, ...] = ()


def checked_message(
    *,
    actor: Actor,
    text: str,
    client_message_id: str,
    refs: Sequence[ResourceRef] = (),
    page: ResourceRef | None = None,
    run_id: uuid.UUID | None = None,
    for_chat: bool = False,
    documents: Sequence[uuid.UUID] = (),
) -> NewMessage:
    """Raises ProductError with words for the person."""
    if run_id is not None and for_chat:
        raise ProductError("A message is either for a run or for chat.")
    is_short = 0 < len(client_message_id) <= CLIENT_MESSAGE_ID_MAX_LENGTH
    if not is_short or not client_message_id.isprintable():
        raise ProductError(
            f"client_message_id is required, at most {CLIENT_MESSAGE_ID_MAX_LENGTH} printable characters."
        )
    if len(refs) > MAX_REFS:
        raise ProductError(f"At most {MAX_REFS} records can be sent with a message.")
    for ref in (*refs, *((page,) if page else ())):
        check_sent_ref(actor, ref)
    cleaned = clean_message_text(text)
    return NewMessage(cleaned, client_message_id, tuple(refs), page, run_id, for_chat, tuple(documents))


def check_sent_ref(actor: Actor, ref: ResourceRef) -> None:
    """Raises InvalidRef for what could never be a record for anybody; one that does not exist passes.

    Passages are cited and memory is read; neither is a record that a message can be about.
    """
    written = f"{ref.kind}:{ref.id}"
    if ref.kind in TEXT_KINDS:
        kinds = ", ".join(sorted(readers().keys() - TEXT_KINDS))
        raise InvalidRef(f"“{written}” cannot be sent with a message. Kinds of record: {kinds}.")
    if not could_be_read(actor, ref):
        raise InvalidRef(f"“{written}” is not the reference of a record: its id is not written like one.")


def find_first_turn(actor: Actor, conversation: Conversation | None, new: NewMessage) -> Turn | None:
    """The first turn of the message that ``new`` repeats; raises AlreadySent where it is another one.

    An id is its conversation's. Without one, it is that of a message of the person's that began a conversation.
    """
    if conversation is None:
        sent = Message.objects.visible_to(actor).filter(client_message_id=new.client_message_id, ordinal=1)
    else:
        sent = Message.objects.filter(conversation=conversation, client_message_id=new.client_message_id)
    # Nearly always there is none: that is asked without the turn's joins.
    message_id = sent.order_by("id").values_list("id", flat=True).first()
    if message_id is None:
        return None
    turn = Turn.objects.select_related("message", "conversation").filter(message=message_id).earliest("attempt")
    difference = _difference(turn, new)
    if difference:
        raise AlreadySent(difference)
    return turn


def _difference(turn: Turn, new: NewMessage) -> str:
    """What would be lost if ``new`` were taken for the turn's message; "" for a repeat of it.

    Labels are a courtesy, and no records have an order. What chat itself passed on to a run was sent to none.
    """
    kept = turn.message
    if kept.text != new.text:
        return "with another text"
    if {(ref["kind"], ref["id"]) for ref in kept.refs} != {ref.key for ref in new.refs}:
        return "with other records"
    if (kept.page and (kept.page["kind"], kept.page["id"])) != (new.page and new.page.key):
        return "from another page"
    if kept.for_chat != new.for_chat or new.run_id not in (None, kept.run_id):
        return "to another recipient"
    if {str(document) for document in new.documents} - set(turn.conversation.documents):
        return "with other documents"
    return ""
