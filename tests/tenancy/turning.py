"""Whole turns with somebody else's ids in them, and what of a turn a person or an operator gets to read."""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agencycore.ai.scripted import playing
from agencycore.ai.types import DecisionRequest
from agencycore.ai.wire import DECISION_SCHEMA, WireOutcome, parse_decision
from agencycore.streams.models import Event
from agencycore.tenancy import tenant
from chat.models import Turn
from conversations.models import ConversationEntity
from runs.models import Run
from tests.chat.turning import ask, replies_to
from tests.tenancy.asking import Outcome, outcome_of
from tests.tenancy.world import World, review_of

# The way from a decision to one of its words; EACH stands for the entries of a list.
Way = tuple[str, ...]
EACH = "[]"
TEXTS = {"text", "question", "offer", "input_json"}
Decision = dict[str, Any]


def variants() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each outcome a model may send, with the schema of its properties."""
    for variant in DECISION_SCHEMA["properties"]["decision"]["anyOf"]:
        properties = dict(variant["properties"])
        [outcome] = properties.pop("outcome")["enum"]
        yield outcome, properties


def ways_in(properties: Mapping[str, Any]) -> Iterator[Way]:
    """Every place where a model writes words of its own."""
    for name, schema in properties.items():
        yield from ((name, *rest) for rest in _ways(schema))


def _ways(schema: Mapping[str, Any]) -> Iterator[Way]:
    match schema:
        case {"enum": _}:
            return
        case {"type": "string"}:
            yield ()
        case {"type": "array", "items": items}:
            yield from ((EACH, *rest) for rest in _ways(items))
        case {"type": "object", "properties": properties}:
            yield from ways_in(properties)
        case _:
            raise AssertionError(f"the walk does not know {schema} in a decision")


def with_words(decision: Any, way: Way, words: Sequence[str]) -> Any:
    """``decision`` with ``words`` at the end of ``way``: as further entries, as the text, or, if many, behind it."""
    if not way:
        return words[0] if len(words) == 1 else f"{decision} Also {', '.join(words)}."
    if way == ("input_json",):
        return {**decision, "input_json": json.dumps({"about": " ".join(words)})}
    if way[0] == EACH:
        first = decision[0] if decision else ""
        return [*decision, *(with_words(first, way[1:], [each]) for each in words)]
    return {**decision, way[0]: with_words(decision[way[0]], way[1:], words)}


def is_name(way: Way) -> bool:
    """Whether one id stands there alone: anywhere but in lists and in what is written for a reader."""
    return EACH not in way and way[-1] not in TEXTS


def valid_decision(outcome: str, world: World, request: DecisionRequest) -> Decision:
    """A decision of that outcome which stands; a new outcome has to be added here."""
    key = request.brief.evidence[0].key if request.brief.evidence else ""
    live = [item.id for item in request.brief.of("runs") if item.payload.get("live")]
    decisions: dict[str, Decision] = {
        "answer": {"citations": [key], "unresolved": ["Prices"], "offer": "A review", "text": f"It says so [{key}]."},
        "clarify": {"question": "Which one do you mean?", "options": [{"label": "The first", "ref": ""}]},
        "delegate": {"capability": review_of(world.person.organization), "input_json": '{"about": "us"}'},
        "control_run": {"run_id": (live or [""])[0], "action": "cancel"},
    }
    return decisions[outcome]


MESSAGES = {
    "answer": "What is lifecycle stage?",
    "clarify": "What is lifecycle stage?",
    "delegate": "Do the weekly review",
    "control_run": "Stop the weekly review",
}


def decided(world: World, outcome: str, change: Callable[[Decision], Decision], *ids: str) -> Outcome:
    """How a turn ends whose model decides ``outcome``, changed by ``change``, again and again."""

    def decide(request: DecisionRequest) -> WireOutcome:
        decision = change(valid_decision(outcome, world, request))
        return parse_decision(json.dumps({"decision": {"outcome": outcome, **decision}}))

    def act() -> tuple[object, str]:
        with playing([decide, decide]):
            return told(ask(world.person, MESSAGES[outcome], conversation_id=conversation_at_work(world)))

    return outcome_of(act, *ids)


def conversation_at_work(world: World) -> uuid.UUID:
    with tenant(world.person.organization.id):
        run = Run.objects.live().filter(starter=world.person.user).latest("created_at")
        assert run.conversation_id is not None
        return run.conversation_id


def told(turn: Turn) -> tuple[object, str]:
    """How it ended, and all that is kept of it: reply, sources, scope, run, the record for the operator, the events."""
    [reply] = replies_to(turn)
    with tenant(turn.organization_id):
        entities = ConversationEntity.objects.filter(conversation_id=turn.conversation_id).order_by("id")
        run = Run.objects.filter(id=turn.run_id).first()
        events = Event.objects.filter(stream__name=turn.conversation.stream_name).order_by("number")
        kept = {
            "reply": (reply.text, reply.options, reply.unresolved),
            "citations": [(each.kind, each.resource_id, each.label, each.claim) for each in reply.citations.all()],
            "scope": [(each.kind, each.resource_id, each.label) for each in entities],
            "run": run and (run.state, run.goal),
            "record": (turn.rejected_refs, turn.refusals, turn.edits, turn.offer),
            "events": [(event.type, event.payload) for event in events],
        }
    return (turn.state, turn.outcome, turn.fallback), json.dumps(kept)
