"""What one turn decides: exactly one of four outcomes.

A decision is checkpointed on its turn as JSON before anything acts on it, so ``decision_as_json``
and ``decision_from_json`` are exact inverses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never, cast

from agencycore.refs import ResourceRef

Json: TypeAlias = Mapping[str, object]
Outcome: TypeAlias = Literal["answer", "clarify", "delegate", "control_run"]


@dataclass(frozen=True, slots=True)
class CitedSource:
    """One source of an answer, as it was cited.

    ``marker`` is the number shown, ``key`` the item's key in the brief. ``claim`` is the sentence
    that carried the marker (all of them, one a line). ``support`` is 0 to 1, or None where it was
    not measured. ``content_hash`` tells whether the source changed since.
    """

    marker: int
    key: str
    kind: str
    id: str
    label: str
    position: str
    excerpt: str
    claim: str
    url: str
    support: float | None
    content_hash: str


@dataclass(frozen=True, slots=True)
class Answer:
    """``unresolved`` names what could not be answered; ``offer`` is work offered in one sentence, or ""."""

    text: str
    citations: tuple[CitedSource, ...] = ()
    unresolved: tuple[str, ...] = ()
    offer: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a clarify. ``ref`` is None where the choice is words only."""

    label: str
    ref: ResourceRef | None = None


@dataclass(frozen=True, slots=True)
class Clarify:
    question: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Delegate:
    """``capability`` is the slug of a published definition; ``input`` fits its schema and is JSON."""

    capability: str
    input: Json


@dataclass(frozen=True, slots=True)
class ControlRun:
    run_id: str
    action: Literal["cancel"] = "cancel"


Decision: TypeAlias = Answer | Clarify | Delegate | ControlRun


def outcome_of(decision: Decision) -> Outcome:
    match decision:
        case Answer():
            return "answer"
        case Clarify():
            return "clarify"
        case Delegate():
            return "delegate"
        case ControlRun():
            return "control_run"
        case _:
            assert_never(decision)


def decision_as_json(decision: Decision) -> dict[str, object]:
    return {"outcome": outcome_of(decision), **_fields(decision)}


def _fields(decision: Decision) -> dict[str, object]:
    match decision:
        case Answer(text, citations, unresolved, offer):
            cited = [_citation_as_json(source) for source in citations]
            return {"text": text, "citations": cited, "unresolved": list(unresolved), "offer": offer}
        case Clarify(question, options):
            return {"question": question, "options": [_option_as_json(option) for option in options]}
        case Delegate(capability, arguments):
            return {"capability": capability, "input": dict(arguments)}
        case ControlRun(run_id, action):
            return {"run_id": run_id, "action": action}
        case _:
            assert_never(decision)


def decision_from_json(stored: Json) -> Decision:
    """The decision that ``decision_as_json`` stored; raises ValueError for anything else."""
    match stored:
        case {"outcome": "answer", "text": str(text), "citations": list(cited), "unresolved": list(unresolved)}:
            citations = tuple(_citation_from_json(source) for source in cited)
            return Answer(text, citations, tuple(map(str, unresolved)), str(stored.get("offer", "")))
        case {"outcome": "clarify", "question": str(question), "options": list(options)}:
            return Clarify(question, tuple(_option_from_json(option) for option in options))
        case {"outcome": "delegate", "capability": str(capability), "input": dict(arguments)}:
            return Delegate(capability, arguments)
        case {"outcome": "control_run", "run_id": str(run_id), "action": "cancel"}:
            return ControlRun(run_id)
        case _:
            raise ValueError("not a stored decision")


def _citation_as_json(source: CitedSource) -> dict[str, object]:
    return {name: getattr(source, name) for name in CitedSource.__slots__}


def _citation_from_json(stored: Mapping[str, object]) -> CitedSource:
    texts = {name: str(stored[name]) for name in CitedSource.__slots__ if name not in ("marker", "support")}
    support = cast("float | None", stored["support"])
    return CitedSource(marker=cast(int, stored["marker"]), support=support, **texts)


def _option_as_json(option: Option) -> dict[str, object]:
    return {"label": option.label, "ref": option.ref.as_json() if option.ref else None}


def _option_from_json(stored: Mapping[str, object]) -> Option:
    ref = cast("Mapping[str, str] | None", stored["ref"])
    return Option(str(stored["label"]), ResourceRef(**ref) if ref else None)
