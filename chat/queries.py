"""Reading conversations and turns for the person who asks."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import F, Q, QuerySet

from agencycore.errors import NotFound
from agencycore.tenancy import Actor
from chat.models import Turn
from conversations.models import Citation, Conversation, Message

EXCHANGES_SHOWN = 100
KINDS_OF_RUNS = (Message.Kind.QUESTION, Message.Kind.REPORT)


@dataclass(slots=True)
class Exchange:
    """One user message and what came of it: its newest turn, its reply, and what runs said later.

    ``source_reports`` is how each context source did in the turn, as the brief keeps it.
    """

    message: Message
    turn: Turn | None = None
    reply: Message | None = None
    later: list[Message] = field(default_factory=list)
    source_reports: Sequence[Mapping[str, object]] = ()

    @property
    def state(self) -> str:
        """The turn's state as a person sees it; "" for a message without a turn."""
        return self.turn.shown_state if self.turn else ""

    @property
    def is_running(self) -> bool:
        return self.turn is not None and self.state not in Turn.TERMINAL


def get_conversation_for(actor: Actor, conversation_id: uuid.UUID) -> Conversation:
    conversation = Conversation.objects.visible_to(actor).filter(id=conversation_id).first()
    if conversation is None:
        raise NotFound("This conversation does not exist.")
    return conversation


def list_conversations(actor: Actor, search: str = "") -> QuerySet[Conversation]:
    """Newest first; ``search`` looks into titles and messages."""
    conversations = Conversation.objects.visible_to(actor).order_by("-updated_at", "-id")
    words = search.strip()
    if not words:
        return conversations
    said = Message.objects.visible_to(actor).filter(text__icontains=words).values("conversation_id")
    return conversations.filter(Q(title__icontains=words) | Q(id__in=said))


def list_exchanges(
    actor: Actor, conversation: Conversation, *, before_ordinal: int | None = None, limit: int = EXCHANGES_SHOWN
) -> list[Exchange]:
    """The newest ``limit`` exchanges in order of their questions; as many statements, however long the talk."""
    questions = Message.objects.visible_to(actor).filter(conversation=conversation, role=Message.Role.USER)
    if before_ordinal is not None:
        questions = questions.filter(ordinal__lt=before_ordinal)
    return _exchanges(list(questions.order_by("-ordinal")[:limit])[::-1])


def get_exchange_for(actor: Actor, message_id: uuid.UUID) -> Exchange:
    """The exchange a user message begins; raises NotFound."""
    questions = Message.objects.visible_to(actor).filter(id=message_id, role=Message.Role.USER)
    exchanges = _exchanges(list(questions.select_related("conversation")))
    if not exchanges:
        raise NotFound("This message does not exist.")
    return exchanges[0]


def find_shown_under(reply: Message) -> Message:
    """The person's message that begins the exchange in which ``reply`` is shown."""
    place = _places([reply]).get(reply.id)
    return Message.objects.get(id=place) if place else reply


def get_handed_over_for(actor: Actor, run_id: uuid.UUID) -> Message:
    """The person's message that became the run; raises NotFound."""
    replies = Message.objects.visible_to(actor).filter(run_id=run_id, kind=Message.Kind.REPLY)
    reply = replies.select_related("in_reply_to__conversation").order_by("ordinal").first()
    if reply is None or reply.in_reply_to is None:
        raise NotFound("This run does not exist.")
    return reply.in_reply_to


def get_turn_for(actor: Actor, turn_id: uuid.UUID) -> Turn:
    turn = Turn.objects.visible_to(actor).select_related("message", "reply", "conversation").filter(id=turn_id).first()
    if turn is None:
        raise NotFound("This turn does not exist.")
    return turn


def newest_turns(actor: Actor, messages: Sequence[Message]) -> dict[uuid.UUID, Turn]:
    """The newest turn of each of ``messages`` that has one, by the message's id; state and deadline alone are read."""
    turns = Turn.objects.visible_to(actor).filter(message__in=messages).order_by("attempt")
    return {turn.message_id: turn for turn in turns.only("message_id", "state", "deadline_at")}


def get_citation_for(actor: Actor, citation_id: int) -> Citation:
    citation = (
        Citation.objects.select_related("message")
        .filter(organization_id=actor.organization_id, message__conversation__starter_id=actor.user_id)
        .filter(id=citation_id)
        .first()
    )
    if citation is None:
        raise NotFound("This source does not exist.")
    return citation


def _exchanges(questions: list[Message]) -> list[Exchange]:
    exchanges = {question.id: Exchange(question) for question in questions}
    turns = Turn.objects.defer("brief", "prompt", "decision").annotate(source_reports=F("brief__sources"))
    for turn in turns.filter(message__in=exchanges).order_by("attempt"):
        exchanges[turn.message_id].turn = turn
        exchanges[turn.message_id].source_reports = turn.source_reports or ()  # type: ignore[attr-defined]  # annotated
    replies = _replies(questions)
    places = _places(replies)
    for message in replies:
        exchange = exchanges.get(places[message.id])
        if exchange is None:
            continue
        if message.kind == Message.Kind.REPLY:
            exchange.reply = message
        else:
            exchange.later.append(message)
    return list(exchanges.values())


def _replies(questions: Sequence[Message]) -> list[Message]:
    """What was said to ``questions``, and what the runs said that one of them answered; in order."""
    answered = {question.run_id for question in questions if question.run_id}
    said = Q(in_reply_to__in=[question.id for question in questions])
    if answered:
        conversations = {question.conversation_id for question in questions}
        said |= Q(conversation_id__in=conversations, run_id__in=answered, kind__in=KINDS_OF_RUNS)
    return list(Message.objects.filter(said).order_by("ordinal").prefetch_related("citations"))


def _places(replies: Iterable[Message]) -> dict[uuid.UUID, uuid.UUID]:
    """The person's message that each is shown under: what it replies to.

    What a run says after the person answered it stands under the newest of those answers: question, answer, report
    are read in the order in which they were said.
    """
    places = {reply.id: reply.in_reply_to_id for reply in replies if reply.in_reply_to_id}
    told = [reply for reply in replies if reply.kind in KINDS_OF_RUNS and reply.run_id]
    if told:
        runs, conversations = {reply.run_id for reply in told}, {reply.conversation_id for reply in told}
        answers = Message.objects.filter(conversation_id__in=conversations, run_id__in=runs, role=Message.Role.USER)
        for answer_id, run_id, ordinal in answers.order_by("ordinal").values_list("id", "run_id", "ordinal"):
            later = [reply.id for reply in told if reply.run_id == run_id and reply.ordinal > ordinal]
            places |= dict.fromkeys(later, answer_id)
    return places
