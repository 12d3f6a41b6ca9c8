"""Conversations as the page shows them: labels from the readers, text made safe, one shape for page and update."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from agencycore.refs import Projection, ResourceRef, read_refs
from agencycore.tenancy import Actor
from chat.citation_states import GONE, CitationState, states_for
from chat.markdown import Marker, render_markdown
from chat.models import Turn
from chat.options import Labels, StoredOption, is_gone, read_option_labels, ref_in, shown_options
from chat.queries import KINDS_OF_RUNS, Exchange
from chat.recipients import offered_after
from chat.reply_notes import notes_on
from chat.run_answers import WaitingRun, list_waiting
from chat.run_cards import RunCard, cards_of
from conversations.feedback import takes_feedback
from conversations.models import Citation, Feedback, Message

FAILED_TEXT = "This message could not be answered."


@dataclass(frozen=True, slots=True)
class Chip:
    """A record named by a message; ``ref`` is "kind:id"."""

    ref: str
    label: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class QuickReply:
    """An option of a clarify, sent as a message of its own; one whose record is gone cannot be sent."""

    label: str
    ref: str
    client_message_id: str
    is_gone: bool


@dataclass(frozen=True, slots=True)
class SendInstead:
    """A run that the message can be sent to after all, as a message of its own."""

    waiting: WaitingRun
    client_message_id: str


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A cited source, and whether it stands as it was cited."""

    citation: Citation
    state: CitationState

    @property
    def is_gone(self) -> bool:
        return self.state in GONE

    @property
    def has_changed(self) -> bool:
        return self.state == "changed since"


@dataclass(frozen=True, slots=True)
class ShownReply:
    """An assistant message. ``rating`` is the asker's own feedback, or ""; ``notes``: what it was made without.

    ``work`` is the name of the run that says it, or "".
    """

    message: Message
    body: SafeString
    sources: tuple[ShownSource, ...]
    options: tuple[QuickReply, ...]
    rating: str
    notes: tuple[str, ...] = ()
    answers: "AnswerForm | None" = None
    work: str = ""

    @property
    def takes_feedback(self) -> bool:
        return takes_feedback(self.message)


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """Where the question of a run is answered."""

    run_id: uuid.UUID
    client_message_id: str


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What the exchanges of a page share, read once for all of them."""

    ratings: Mapping[uuid.UUID, str]
    records: Mapping[tuple[str, str], Projection]
    option_labels: Labels
    states: Mapping[int, CitationState]
    cards: Mapping[uuid.UUID, RunCard]
    waiting: Sequence[WaitingRun]


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """A question, how its answering goes, and what came of it."""

    message: Message
    chips: tuple[Chip, ...]
    turn: Turn | None
    state: str
    is_running: bool
    reply: ShownReply | None
    card: RunCard | None
    later: tuple[ShownReply, ...]
    instead: tuple[SendInstead, ...]

    @property
    def label(self) -> str:
        return str(Turn.State(self.state).label) if self.state else ""

    @property
    def has_failed(self) -> bool:
        return self.state == Turn.State.FAILED

    @property
    def is_cancelled(self) -> bool:
        return self.state == Turn.State.CANCELLED

    @property
    def was_passed_on(self) -> bool:
        return self.state == Turn.State.REPLIED

    @property
    def again_id(self) -> str:
        """A new message's, for asking once more what was stopped."""
        return str(uuid.uuid4())

    @property
    def failure(self) -> str:
        return (self.turn.error_text if self.turn else "") or FAILED_TEXT


def show_exchanges(actor: Actor, exchanges: Sequence[Exchange]) -> list[ShownExchange]:
    """One statement for feedback, two for runs, two for cited passages, some per kind of record: however many.

    The exchanges are of one conversation.
    """
    around = _Surroundings(
        ratings=_ratings(actor, exchanges),
        records={record.ref.key: record for record in read_refs(actor, list(_refs(exchanges)))},
        option_labels=read_option_labels(actor, _replies(exchanges)),
        cards=cards_of(actor, filter(None, [reply.run_id for reply in _replies(exchanges)])),
        states=states_for(actor, [citation for reply in _replies(exchanges) for citation in reply.citations.all()]),
        waiting=list_waiting(actor, exchanges[0].message.conversation_id) if exchanges else (),
    )
    return [_show(exchange, around) for exchange in exchanges]


def show_exchange(actor: Actor, exchange: Exchange) -> ShownExchange:
    return show_exchanges(actor, [exchange])[0]


def chip_of(record: Projection) -> Chip:
    return Chip(f"{record.ref.kind}:{record.ref.id}", record.title, record.url)


def _show(exchange: Exchange, around: _Surroundings) -> ShownExchange:
    named = dict.fromkeys(ref.key for ref in _message_refs(exchange.message))
    return ShownExchange(
        message=exchange.message,
        chips=tuple(chip_of(around.records[key]) for key in named if key in around.records),
        turn=exchange.turn,
        state=exchange.state,
        is_running=exchange.is_running,
        reply=_show_reply(exchange.reply, around, _notes(exchange, exchange.reply)) if exchange.reply else None,
        card=_card(exchange, around),
        later=tuple(_show_reply(message, around) for message in exchange.later),
        instead=_instead(exchange, around),
    )


def _card(exchange: Exchange, around: _Surroundings) -> RunCard | None:
    """Under the reply that handed the work over, and under no other that names the run."""
    reply = exchange.reply
    if exchange.state != Turn.State.DELEGATED or reply is None or reply.run_id is None:
        return None
    return around.cards.get(reply.run_id)


def _instead(exchange: Exchange, around: _Surroundings) -> tuple[SendInstead, ...]:
    """Under what chat answered, or asked back about, while a run was waiting; not where the choice is between runs."""
    if exchange.state not in (Turn.State.ANSWERED, Turn.State.CLARIFIED) or _offers_runs(exchange.reply):
        return ()
    runs = offered_after(around.waiting, exchange.message)
    return tuple(SendInstead(each, str(uuid.uuid4())) for each in runs)


def _offers_runs(reply: Message | None) -> bool:
    refs = map(ref_in, reply.options) if reply else ()
    return any(ref is not None and ref.kind == "run" for ref in refs)


def _show_reply(message: Message, around: _Surroundings, notes: tuple[str, ...] = ()) -> ShownReply:
    citations = message.citations.all()
    card = around.cards.get(message.run_id) if message.run_id else None
    return ShownReply(
        message=message,
        body=render_markdown(message.text, [_marker(citation) for citation in citations]),
        sources=tuple(ShownSource(citation, around.states[citation.pk]) for citation in citations),
        options=tuple(_quick_reply(option, around) for option in message.options),
        rating=around.ratings.get(message.id, ""),
        notes=notes,
        answers=_answer_form(message, card),
        work=card.name if card and message.kind in KINDS_OF_RUNS else "",
    )


def _answer_form(message: Message, card: RunCard | None) -> AnswerForm | None:
    """Only the question that the run still waits with can be answered."""
    if card is None or not card.asks or message.kind != Message.Kind.QUESTION or message.text != card.run.question:
        return None
    return AnswerForm(card.run.id, str(uuid.uuid4()))


def _notes(exchange: Exchange, reply: Message) -> tuple[str, ...]:
    return notes_on(exchange.turn, exchange.source_reports, reply.text) if exchange.turn else ()


def _quick_reply(option: StoredOption, around: _Surroundings) -> QuickReply:
    [shown] = shown_options([option], around.option_labels)
    gone = is_gone(option, around.option_labels)
    return QuickReply(shown["label"], shown.get("ref", ""), str(uuid.uuid4()), gone)


def _marker(citation: Citation) -> Marker:
    return Marker(citation.marker, reverse("citation", args=[citation.pk]), citation.label)


def _ratings(actor: Actor, exchanges: Sequence[Exchange]) -> dict[uuid.UUID, str]:
    replies = [reply.id for reply in _replies(exchanges)]
    given = Feedback.objects.filter(message__in=replies, user_id=actor.user_id)
    return dict(given.values_list("message_id", "rating")) if replies else {}


def _replies(exchanges: Sequence[Exchange]) -> list[Message]:
    first = [exchange.reply for exchange in exchanges if exchange.reply]
    return first + [message for exchange in exchanges for message in exchange.later]


def _refs(exchanges: Sequence[Exchange]) -> Iterable[ResourceRef]:
    for exchange in exchanges:
        yield from _message_refs(exchange.message)


def _message_refs(message: Message) -> list[ResourceRef]:
    stored = [*message.refs, *([message.page] if message.page else [])]
    return [ResourceRef(ref["kind"], ref["id"]) for ref in stored]
