"""Messages that answer what a run asked: which run they are for, and handing them over."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from agencycore.dispatch.queue import LostLease
from agencycore.tenancy import Actor
from chat.context.history import History, load_history
from chat.context.pointing import plain
from chat.context.query import stands_alone
from chat.context.reference import pick_option
from chat.context.run_reference import find_verb
from chat.context.smalltalk import classify_message
from chat.context.tokens import one_line
from chat.frontdoor import speech
from chat.frontdoor.decision import Clarify, Option
from chat.models import Turn
from chat.progress import publish_state
from conversations.models import Conversation, Message
from runs import manager
from runs.models import Run
from runs.readers import run_ref

OPTION_LENGTH = 120

_QUESTION = re.compile(
    r"(?:and |but |so |ok(?:ay)? )?(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|do|does|did|can|"
    r"could|will|would|should|has|have|any)\b"
)
_REQUEST = re.compile(
    r"(?:please |can you |could you |now |also |then |and )*(?:show|tell|list|give|find|search|look|create|make|build|"
    r"explain|describe|run|start|stop|cancel|research|draft|write|qualify|compare|add|change|update|remove|delete|"
    r"schedule|send|summari[sz]e|open|check|approve|reject|help|i want you to|i need you to)\b"
)


@dataclass(frozen=True, slots=True)
class ForRun:
    """``text`` is the person's answer to what the run asked."""

    run_id: uuid.UUID
    text: str


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run that asked; ``asked_at`` is the ordinal of its question, 0 where that stands in no conversation."""

    run: Run
    asked_at: int

    @property
    def name(self) -> str:
        return self.run.version.definition.name

    @property
    def label(self) -> str:
        """Its name and what it asks, so that two of one name can be told apart."""
        return one_line(f"{self.name}: {self.run.question}", OPTION_LENGTH)


def find_recipient(turn: Turn, actor: Actor) -> ForRun | Clarify | None:
    """The run that the turn's message answers, a question back where several wait, or None: an ordinary message.

    A message for no run by name answers one only if it says too little to be anything else, and
    nothing was said since the run asked that it could answer instead. Reads inside the caller's tenant.
    """
    waiting = Run.objects.filter(conversation_id=turn.conversation_id, waiting_for=Run.WaitingFor.CUSTOMER_ASK)
    # Nearly always there is none: that is asked without the joins of the list.
    if turn.message.for_chat or not waiting.exists():
        return None
    runs = list_waiting(actor, turn.conversation_id)
    return recipient_among(runs, turn.conversation, turn.message, actor) if runs else None


def list_waiting(actor: Actor, conversation_id: uuid.UUID) -> list[WaitingRun]:
    """The runs of a conversation that wait for their person's answer, oldest first; one statement."""
    questions = Message.objects.filter(
        conversation_id=OuterRef("conversation_id"), kind=Message.Kind.QUESTION, run_id=OuterRef("id")
    ).order_by("-ordinal")
    runs = (
        Run.objects.visible_to(actor)
        .select_related("version__definition")
        .annotate(asked_at=Subquery(questions.values("ordinal")[:1]))
    )
    waiting = runs.filter(conversation_id=conversation_id, waiting_for=Run.WaitingFor.CUSTOMER_ASK)
    found = waiting.order_by("created_at", "id")
    return [WaitingRun(run, run.asked_at or 0) for run in found]  # type: ignore[attr-defined]  # annotated


def recipient_among(
    waiting: Sequence[WaitingRun], conversation: Conversation, message: Message, actor: Actor
) -> ForRun | Clarify | None:
    """As ``find_recipient``, among runs that were read, for a message that need not be kept yet.

    One without words may become an answer.
    """
    history = load_history(conversation=conversation, message=message, actor=actor)
    chosen = _chosen(message, history)
    if chosen is not None:
        return chosen
    if message.refs or (message.text and not reads_as_answer(message.text)) or _answers_chat(history, waiting):
        return None
    if len(waiting) == 1:
        return ForRun(waiting[0].run.id, message.text)
    return Clarify(speech.which_question(), tuple(Option(each.label, run_ref(each.run)) for each in waiting))


def pass_to_run(turn: Turn, actor: Actor, run_id: uuid.UUID, *, text: str) -> None:
    """End the turn as ``replied``: the run has the answer and goes on. Locks the run first.

    Runs in the caller's transaction. Raises NotFound, Refused where the run does not wait for an
    answer, and LostLease where the turn has ended.
    """
    manager.reply(actor=actor, run_id=run_id, text=text, message_id=turn.message_id)
    turn.state, turn.run_id, turn.finished_at = Turn.State.REPLIED, run_id, timezone.now()
    ended = (
        Turn.objects.filter(id=turn.id)
        .open()
        .update(state=turn.state, run_id=turn.run_id, finished_at=turn.finished_at)
    )
    if not ended:
        raise LostLease(f"turn {turn.id} has ended")
    Message.objects.filter(id=turn.message_id).update(run_id=run_id)
    publish_state(turn, Turn.State.REPLIED)


def reads_as_answer(message: str) -> bool:
    """Whether the message could be an answer: neither a question, nor a request, nor a speech act of its own."""
    text = plain(message)
    return (
        classify_message(message) == "ordinary"
        and not stands_alone(message)
        and not text.endswith("?")
        and not _QUESTION.match(text)
        and not _REQUEST.match(text)
        and find_verb(message) is None
    )


def _answers_chat(history: History, waiting: Sequence[WaitingRun]) -> bool:
    """Whether chat itself asked or offered something after the newest of the runs' questions."""
    said = history.newest_shown
    if said is None or not (history.pending or history.offer):
        return False
    return said.ordinal > max(each.asked_at for each in waiting)


def _chosen(message: Message, history: History) -> ForRun | None:
    """The choice of a run, after we asked for which of several the message before was: that message goes to it."""
    pending = history.pending
    if pending is None or not _is_which_question(pending.message_id):
        return None
    picked = pick_option(message.text, pending.options) or _picked_by_ref(message, pending.options)
    if picked is None or picked.ref is None:
        return None
    return ForRun(uuid.UUID(picked.ref.id), pending.original)


def _is_which_question(reply_id: uuid.UUID) -> bool:
    """Only that question is asked without a brief."""
    return Turn.objects.filter(reply_id=reply_id, outcome="clarify", brief__isnull=True).exists()


def _picked_by_ref(message: Message, options: tuple[Option, ...]) -> Option | None:
    sent = {(ref["kind"], ref["id"]) for ref in message.refs}
    return next((option for option in options if option.ref and option.ref.key in sent), None)
