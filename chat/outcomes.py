"""Carrying a decision out: the one transaction that writes the reply and everything that hangs on it."""

import uuid
from dataclasses import dataclass
from typing import assert_never

from agencycore.ai.asked import offered_work
from agencycore.ai.types import ContextBrief
from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from chat.delegation import Carried, start_work, stop_work
from chat.frontdoor.decision import Answer, CitedSource, Clarify, ControlRun, Decision, Delegate, Option
from chat.frontdoor.speech import with_offer
from chat.metering import call_owner
from chat.models import Turn
from chat.progress import publish_reply
from conversations import scope
from conversations.actions import add_reply, lock_conversation
from conversations.models import Citation, Conversation, Message
from organizations.ledger import record_usage
from runs.listeners import lock_run


@dataclass(frozen=True, slots=True)
class Committed:
    """What one decision became."""

    reply: Message
    outcome: str
    state: Turn.State
    run_id: uuid.UUID | None = None

    def announce(self, turn: Turn) -> None:
        """Publish the reply with the final state, once the turn has taken it."""
        publish_reply(turn, str(self.reply.id), self.state)


def commit_reply(*, turn: Turn, actor: Actor, brief: ContextBrief | None, decision: Decision) -> Committed:
    """Write the reply with its citations, the entity scope and the usage row, inside the caller's transaction.

    ``brief`` is None where code decided without one. The caller ends the turn in the same transaction, under its lease.
    """
    if isinstance(decision, ControlRun):
        lock_run(uuid.UUID(decision.run_id))  # a run is locked before any conversation
    conversation = lock_conversation(turn.conversation_id)
    turn.conversation = turn.message.conversation = conversation  # the locked row, for everything below
    committed = _write(conversation, turn, actor, decision)
    if brief is not None:
        _write_scope(turn.message, committed.reply, brief, decision)
    record_usage(owner=call_owner(turn, "decision"), user_id=actor.user_id, provider=turn.provider, model=turn.model)
    return committed


def offer_of(decision: Decision) -> dict[str, str] | None:
    """The work an answer offered, as the next turn finds it: "yes, do it" means this."""
    if not isinstance(decision, Answer) or not decision.offer:
        return None
    return {"text": decision.offer, "goal": offered_work(decision.offer)}


def _write(conversation: Conversation, turn: Turn, actor: Actor, decision: Decision) -> Committed:
    message = turn.message
    match decision:
        case Answer():
            reply = add_reply(
                conversation=conversation,
                in_reply_to=message,
                text=with_offer(decision.text, decision.offer),
                citations=[citation_of(source) for source in decision.citations],
                unresolved=decision.unresolved,
            )
            return Committed(reply, "answer", Turn.State.ANSWERED)
        case Clarify():
            reply = add_reply(
                conversation=conversation,
                in_reply_to=message,
                text=decision.question,
                options=[_option(option) for option in decision.options],
            )
            return Committed(reply, "clarify", Turn.State.CLARIFIED)
        case Delegate():
            return _carried(conversation, turn.message, start_work(turn, actor, decision), "delegate")
        case ControlRun():
            return _carried(conversation, turn.message, stop_work(turn, actor, decision), "control_run")
        case _:
            assert_never(decision)


def _carried(conversation: Conversation, message: Message, carried: Carried, outcome: str) -> Committed:
    """The template's sentence as the reply; what could not be started or stopped was only answered."""
    reply = add_reply(
        conversation=conversation,
        in_reply_to=message,
        text=carried.text,
        citations=[citation_of(carried.cited)] if carried.cited else [],
        unresolved=carried.unresolved,
        run_id=carried.run.id if carried.run else None,
    )
    if carried.run is None:
        return Committed(reply, "answer", Turn.State.ANSWERED)
    state = Turn.State.DELEGATED if outcome == "delegate" else Turn.State.CONTROLLED
    return Committed(reply, outcome, state, carried.run.id)


def citation_of(source: CitedSource) -> Citation:
    """The row of a cited source, not yet bound to its message."""
    return Citation(
        marker=source.marker,
        key=source.key,
        kind=source.kind,
        resource_id=source.id,
        label=source.label,
        position=source.position,
        excerpt=source.excerpt,
        claim=source.claim,
        support=source.support,
        content_hash=source.content_hash,
        url=source.url,
    )


def _option(option: Option) -> dict[str, str]:
    ref = option.ref
    return {"label": option.label, "ref": f"{ref.kind}:{ref.id}" if ref else ""}


def _write_scope(message: Message, reply: Message, brief: ContextBrief, decision: Decision) -> None:
    """Put what was sent and found, then what was cited, into the conversation's scope."""
    found = {item.ref.key: item.ref for item in brief.of("application")}
    sent = [found[key] for ref in message.refs if (key := (ref["kind"], ref["id"])) in found]
    scope.add_sent_refs(message=message, refs=sent)
    if isinstance(decision, Answer):
        cited = [ResourceRef(source.kind, source.id, source.label) for source in decision.citations]
        scope.add_cited_refs(reply=reply, refs=cited)
