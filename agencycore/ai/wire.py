"""The wire form of a decision: its JSON schema and what the schema's objects become.

The vendor's strict mode wants a root object, a plain union with a literal tag first, every field
required and no open objects; so ``input`` travels as text in ``input_json``.
"""

import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class WireModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class WireOption(WireModel):
    """``ref`` is "kind:id" of a candidate in the brief, or ""."""

    label: str
    ref: str


class WireAnswer(WireModel):
    outcome: Literal["answer"]
    citations: list[str]
    unresolved: list[str]
    # Work the person also asked for, offered in one sentence; "" for none.
    offer: str
    text: str


class WireClarify(WireModel):
    outcome: Literal["clarify"]
    question: str
    options: list[WireOption]


class WireDelegate(WireModel):
    outcome: Literal["delegate"]
    capability: str
    input_json: str


class WireControlRun(WireModel):
    outcome: Literal["control_run"]
    run_id: str
    action: Literal["cancel"]


WireOutcome = WireAnswer | WireClarify | WireDelegate | WireControlRun


class WireDecision(WireModel):
    decision: Annotated[WireOutcome, Field(discriminator="outcome")]


_ADAPTER = TypeAdapter(WireDecision)


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: dict[str, object] = {"type": "string"}
_TEXTS: dict[str, object] = {"type": "array", "items": _TEXT}


def _tag(value: str) -> dict[str, object]:
    return {"type": "string", "enum": [value]}


# Ours and frozen, not generated: a change of a library must not move the cached prompt prefix.
DECISION_SCHEMA: dict[str, object] = _object(
    {
        "decision": {
            "anyOf": [
                _object(
                    {
                        "outcome": _tag("answer"),
                        "citations": _TEXTS,
                        "unresolved": _TEXTS,
                        "offer": _TEXT,
                        "text": _TEXT,
                    }
                ),
                _object(
                    {
                        "outcome": _tag("clarify"),
                        "question": _TEXT,
                        "options": {"type": "array", "items": _object({"label": _TEXT, "ref": _TEXT})},
                    }
                ),
                _object({"outcome": _tag("delegate"), "capability": _TEXT, "input_json": _TEXT}),
                _object({"outcome": _tag("control_run"), "run_id": _TEXT, "action": _tag("cancel")}),
            ]
        }
    }
)
DECISION_SCHEMA_JSON = json.dumps(DECISION_SCHEMA, separators=(",", ":"))


def parse_decision(text: str) -> WireOutcome:
    """The outcome in ``text``; raises pydantic.ValidationError for anything off the schema."""
    return _ADAPTER.validate_json(text).decision


def render_decision(outcome: WireOutcome) -> str:
    """The wire text of ``outcome``, as a model would send it."""
    return WireDecision(decision=outcome).model_dump_json()
