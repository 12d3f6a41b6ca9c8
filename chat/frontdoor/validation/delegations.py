"""Handing work over: a capability of the shortlist, with input that fits its schema."""

import json
import math
import re
from collections.abc import Iterator, Mapping

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from referencing import Registry
from referencing.exceptions import Unresolvable

from agencycore.ai.asked import denies_work
from agencycore.ai.types import BriefItem, ContextBrief
from agencycore.ai.wire import WireDelegate
from chat.context.query import asks_of_us
from chat.frontdoor.characters import clean_characters
from chat.frontdoor.decision import Delegate
from chat.frontdoor.facts import pending_clarify
from chat.frontdoor.goal import GOAL, REFS, goal_of, refs_of
from chat.frontdoor.validation.result import Invalid, Valid

INPUT_LIMIT = 20_000
FAULTS_AT_MOST = 3
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


class _BadInput(Exception):
    """The input is not what the capability takes; the message is for the model."""


def validate_delegate(delegate: WireDelegate, brief: ContextBrief) -> Valid | Invalid:
    capability = find_capability(brief, delegate.capability)
    if capability is None:
        known = ", ".join(slug_of(item) for item in brief.of("capabilities")) or "none"
        return Invalid((f"That capability is not in the shortlist ({known}). If none fits, answer that.",))
    if asks_of_us(brief.message) and pending_clarify(brief) is None:
        return Invalid(("The message asks what chat is or does, and for no work. Answer it from the documents.",))
    if denies_work(brief.message):
        return Invalid(("The message says that this work is not to be done. Start nothing.",))
    try:
        arguments = _read_input(delegate.input_json)
        _refuse_foreign_ids(arguments, brief)
        added: dict[str, object] = {GOAL: goal_of(brief, capability.label), REFS: refs_of(brief, capability.label)}
        _check_schema(arguments, schema_of(capability), {**added, "message": brief.message})
    except _BadInput as fault:
        return Invalid((str(fault),))
    return Valid(Delegate(slug_of(capability), {**arguments, **added}))


def find_capability(brief: ContextBrief, slug: str) -> BriefItem | None:
    return next((item for item in brief.of("capabilities") if slug_of(item) == slug), None)


def slug_of(item: BriefItem) -> str:
    slug = item.payload.get("slug")
    return slug if isinstance(slug, str) else item.id


def schema_of(item: BriefItem) -> Mapping[str, object]:
    schema = item.payload.get("input_schema", item.payload.get("schema"))
    return schema if isinstance(schema, Mapping) else {}


def _read_input(text: str) -> dict[str, object]:
    if len(text) > INPUT_LIMIT:
        raise _BadInput("`input_json` is far too long.")
    try:
        # NaN and infinity are no JSON, and the database refuses them.
        value = json.loads(clean_characters(text).strip() or "{}", parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise _BadInput("`input_json` is not a JSON object.") from error
    if not isinstance(value, dict):
        raise _BadInput("`input_json` is not a JSON object.")
    cleaned: dict[str, object] = _clean(value)
    # Code adds these; a model's own would be its words in the person's place.
    return {name: entry for name, entry in cleaned.items() if name not in (GOAL, REFS, "message")}


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _clean(value: object) -> "dict[str, object]":
    cleaned = _clean_value(value)
    assert isinstance(cleaned, dict)
    return cleaned


def _clean_value(value: object) -> object:
    match value:
        case str():
            return clean_characters(value)
        case list():
            return [_clean_value(entry) for entry in value]
        case dict():
            return {clean_characters(str(name)): _clean_value(entry) for name, entry in value.items()}
        case _:
            return value


def _refuse_foreign_ids(arguments: Mapping[str, object], brief: ContextBrief) -> None:
    """An id in the input is one that the brief or the person named."""
    known = f"{brief.message} " + " ".join(f"{item.id} {item.text}" for item in brief.items)
    foreign = [found for text in _texts(arguments) for found in _UUID.findall(text) if found not in known]
    if foreign:
        raise _BadInput(f"`input_json` names an id that the brief does not hold: {foreign[0]}.")


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for entry in value:
                yield from _texts(entry)
        case dict():
            for name, entry in value.items():
                yield str(name)
                yield from _texts(entry)


def _check_schema(arguments: Mapping[str, object], schema: Mapping[str, object], added: Mapping[str, object]) -> None:
    """``added`` is what code puts in, where the schema declares it."""
    declared = schema.get("properties")
    names = declared if isinstance(declared, Mapping) else {}
    whole = {**arguments, **{name: value for name, value in added.items() if name in names}}
    try:
        Draft202012Validator.check_schema(dict(schema))
        # A registry of its own: a "$ref" to another machine is never fetched.
        validator = Draft202012Validator(dict(schema), registry=Registry())
        faults = sorted(validator.iter_errors(whole), key=lambda fault: fault.json_path)
    except (SchemaError, Unresolvable) as error:
        raise _BadInput("That capability cannot be started: its input is not described properly.") from error
    if faults:
        listed = "; ".join(f"{fault.json_path}: {fault.message[:120]}" for fault in faults[:FAULTS_AT_MOST])
        raise _BadInput(f"`input_json` does not fit the capability's schema ({listed}).")
