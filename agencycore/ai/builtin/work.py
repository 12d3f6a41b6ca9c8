"""Work that is passed on: which capability fits a request, and the input it needs."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agencycore.ai.builtin.embedder import BuiltinEmbedder
from agencycore.ai.builtin.examples import Classified, Intent
from agencycore.ai.builtin.language import content_stems, stems
from agencycore.ai.builtin.requests import is_request
from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.refs import ResourceRef

# From this fit on a request is handed over; see docs/engineering/builtin.md for the measurement.
FITS = 0.42
# Where the message is surely a request for work, less is enough.
FITS_SURE_WORK = 0.24
SURE_WORK = 0.5
CLEARLY_ELSEWHERE = 0.3
# A message that is no request in form has to be this much like the examples of a capability.
KNOWN_FOR = 0.5
# What a capability gains whose name has the message's own words.
NAME_GAIN = 0.45

# What a capability that serves one of these must speak of, whatever its name.
_SPEAKS_OF: Mapping[Intent, str] = {
    "authoring_request": "create, build, change or edit definitions of agents and workflows",
    "schedule_request": "run agents or workflows on a schedule, every day, week or month",
    "human_request": "hand over to a person, escalate to a human, support",
    "record_question": "answers questions about records of the CRM: companies, people, deals, activities",
}
# These serve nothing else: a builder is no search.
_SPECIAL: frozenset[Intent] = frozenset({"authoring_request", "schedule_request", "human_request"})
_SPEAKS = 0.55
# Names of schema fields that take the request itself, and of those that take a count.
_REQUEST_NAMES = """
query request question task prompt brief instruction instructions text topic description subject input
criteria search
"""
_MESSAGE_FIELDS = frozenset(_REQUEST_NAMES.split())
# The Front Door puts these in itself, from the person's own words.
ADDED_BY_CODE = frozenset({"goal", "message", "refs"})
_WORK_NOUN_WORDS = """
agent assistant automation bot builder checker draft drafter finder flow helper maker research researcher run search
setup task tool workflow writer
"""
_WORK_NOUNS = frozenset(stems(_WORK_NOUN_WORDS))
_COUNT_NAMES = "count limit number max maximum amount size top quantity results"
_COUNT_FIELDS = frozenset(_COUNT_NAMES.split())
_NUMBER = re.compile(r"(?<![\w.,])(\d{1,6})(?![\w%]|[.,]\d)")
_FORMATS = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "uri": re.compile(r"https?://[^\s<>\"]+"),
    "date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
}


@dataclass(frozen=True, slots=True)
class Capability:
    item: BriefItem
    slug: str
    name: str
    description: str
    schema: Mapping[str, object]

    @property
    def words(self) -> str:
        return f"{self.name}. {self.description}"


@dataclass(frozen=True, slots=True)
class Input:
    """``missing`` names the first required field that the message does not fill, as a person would."""

    values: Mapping[str, object]
    missing: str = ""

    @property
    def as_json(self) -> str:
        return json.dumps(dict(self.values), ensure_ascii=False)


def capabilities_of(brief: ContextBrief) -> list[Capability]:
    return [_capability(item) for item in brief.of("capabilities") if item.payload.get("slug")]


def _capability(item: BriefItem) -> Capability:
    schema = item.payload.get("input_schema")
    return Capability(
        item=item,
        slug=str(item.payload["slug"]),
        name=item.label,
        description=str(item.payload.get("description") or item.text),
        schema=schema if isinstance(schema, Mapping) else {},
    )


def best_capability(
    text: str, intent: Intent, classified: Classified, capabilities: Sequence[Capability]
) -> Capability | None:
    """The capability that serves the request, or None where none does."""
    is_asked_for = is_request(text)
    named = [capability for capability in capabilities if _is_named(text, capability)]
    if len(named) == 1 and intent not in _SPECIAL and (is_asked_for or _opens_with(text, named[0])):
        return named[0]
    fits = _fits(text, intent, classified, capabilities)
    ranked = sorted(zip(fits, capabilities, strict=True), key=lambda pair: (-pair[0], pair[1].slug))
    is_sure = intent == "work_request" and classified.scores[intent] >= SURE_WORK and is_asked_for
    if not ranked or ranked[0][0] < (FITS_SURE_WORK if is_sure else FITS):
        return None
    best = ranked[0][1]
    return best if is_asked_for or intent != "work_request" or _is_known_for(text, best, classified) else None


def builder_of(capabilities: Sequence[Capability]) -> Capability | None:
    """The one that creates agents and workflows."""
    vectors = BuiltinEmbedder().embed([*_SPEAKS_OF.values(), *(capability.words for capability in capabilities)])
    special = vectors[len(_SPEAKS_OF) :] @ vectors[: len(_SPEAKS_OF)].T
    served = [_special_of(dict(zip(_SPEAKS_OF, row, strict=True))) for row in special.tolist()]
    return next((one for one, intent in zip(capabilities, served, strict=True) if intent == "authoring_request"), None)


def _is_known_for(text: str, capability: Capability, classified: Classified) -> bool:
    """Whether a message that is no request in form is of the very kind that the capability is known for."""
    example = classified.capabilities.get(capability.slug.replace("-", "_"), 0.0)
    best = max(classified.capabilities.values(), default=0.0)
    return example >= KNOWN_FOR and example == best


def _opens_with(text: str, capability: Capability) -> bool:
    name = stems(capability.name)
    return stems(text)[: len(name)] == name and "?" not in text


def _is_named(text: str, capability: Capability) -> bool:
    name = stems(capability.name)
    said = " ".join(stems(text))
    return len(name) > 1 and " ".join(name) in said


def _fits(text: str, intent: Intent, classified: Classified, capabilities: Sequence[Capability]) -> list[float]:
    if not capabilities:
        return []
    vectors = BuiltinEmbedder().embed([text, *(capability.words for capability in capabilities), *_SPEAKS_OF.values()])
    described = vectors[1 : 1 + len(capabilities)]
    likeness = described @ vectors[0]
    special = described @ vectors[1 + len(capabilities) :].T
    asked = content_stems(text)
    fits: list[float] = []
    for row, capability in enumerate(capabilities):
        speaks_of = dict(zip(_SPEAKS_OF, special[row].tolist(), strict=True))
        example = classified.capabilities.get(capability.slug.replace("-", "_"), 0.0)
        shared = set(asked) & set(content_stems(capability.words))
        overlap = len(shared) / len(asked) if asked else 0.0
        fit = 0.7 * example + 0.35 * max(0.0, float(likeness[row])) + 0.35 * overlap
        # Who plans or changes a workflow names that one, and not the agent that does such things.
        is_named = intent not in _SPECIAL and bool(own := _own_words(capability)) and own <= set(asked)
        fit += NAME_GAIN if is_named else 0.0
        fits.append(fit + _intent_gain(intent, capability, speaks_of))
    return fits


def _own_words(capability: Capability) -> set[str]:
    """What its name says beside that it is a search, an agent, a builder."""
    return set(content_stems(capability.name)) - _WORK_NOUNS


def _intent_gain(intent: Intent, capability: Capability, speaks_of: Mapping[Intent, float]) -> float:
    """A builder serves authoring and nothing else; likewise schedules and hand-overs to people."""
    special = _special_of(speaks_of)
    if intent == "record_question":
        return CLEARLY_ELSEWHERE if speaks_of[intent] >= _SPEAKS else -1.0
    if intent in _SPECIAL:
        return 0.3 if special == intent else -CLEARLY_ELSEWHERE
    return -CLEARLY_ELSEWHERE if special else 0.0


def _special_of(speaks_of: Mapping[Intent, float]) -> Intent | None:
    """What a capability serves alone: building, planning, or handing over to people."""
    own = max(speaks_of, key=lambda name: speaks_of[name])
    return own if own in _SPECIAL and speaks_of[own] >= _SPEAKS else None


def fill_input(capability: Capability, brief: ContextBrief, request: str, *, answers_question: bool) -> Input:
    """Values for the capability's schema out of the message and the resolved refs.

    ``answers_question`` says that the message answers our question for a missing field.
    """
    properties = capability.schema.get("properties")
    fields = properties if isinstance(properties, Mapping) else {}
    required = capability.schema.get("required")
    needed = [str(name) for name in required] if isinstance(required, list) else []
    values: dict[str, object] = {}
    missing = ""
    for name, schema in fields.items():
        if name in ADDED_BY_CODE:
            continue
        value = _value(str(name), schema if isinstance(schema, Mapping) else {}, brief, request, name in needed)
        if value is None and name in needed and not missing and answers_question and _takes_text(schema):
            value = brief.message.strip()
            answers_question = False
        if value is not None:
            values[str(name)] = value
        elif name in needed and not missing:
            missing = _field_words(str(name), schema)
    return Input(values, missing)


def _takes_text(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "string" and not schema.get("enum")


def _field_words(name: str, schema: object) -> str:
    title = schema.get("title") if isinstance(schema, Mapping) else None
    return str(title or name).replace("_", " ").strip().lower()


def _value(
    name: str, schema: Mapping[str, object], brief: ContextBrief, request: str, is_required: bool
) -> object | None:
    if isinstance(options := schema.get("enum"), list):
        said = set(stems(request))
        return next((option for option in options if set(stems(str(option))) <= said), None)
    parts = name.lower().split("_")
    if schema.get("type") in ("integer", "number"):
        return _number(parts, schema, request)
    if schema.get("type") != "string":
        return None
    pattern = _FORMATS.get(str(schema.get("format", "")))
    if pattern is not None:
        match = pattern.search(request)
        return match.group() if match else None
    ref = next((ref for ref in _resolved(brief) if ref.kind in (name, "_".join(parts[:-1]), parts[0])), None)
    if ref is not None:
        return ref.id if parts[-1] in ("id", "ref") or schema.get("format") == "uuid" else ref.label
    return _cut(request, schema) if is_required and _MESSAGE_FIELDS & set(parts) else None


def _number(parts: Sequence[str], schema: Mapping[str, object], request: str) -> object | None:
    found = [int(number) for number in _NUMBER.findall(request)]
    if not found or not _COUNT_FIELDS & set(parts):
        return None
    low, high = schema.get("minimum"), schema.get("maximum")
    value = found[0]
    value = max(value, int(low)) if isinstance(low, int | float) else value
    return min(value, int(high)) if isinstance(high, int | float) else value


def _cut(request: str, schema: Mapping[str, object]) -> str:
    length = schema.get("maxLength")
    return request[:length] if isinstance(length, int) else request


def _resolved(brief: ContextBrief) -> tuple[ResourceRef, ...]:
    return brief.reference.refs if brief.reference.status == "resolved" else ()
