"""A brief as it is stored on its turn, and back: an exact round-trip."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import cast, get_args

from agencycore.ai.types import (
    BriefItem,
    ContextBrief,
    MessageClass,
    Reference,
    ReferenceStatus,
    SourceName,
    SourceReport,
    SourceState,
)
from agencycore.refs import ProjectedField, ResourceRef

Json = Mapping[str, object]


def brief_as_json(brief: ContextBrief) -> dict[str, object]:
    return {
        "message": brief.message,
        "query": brief.query,
        "message_class": brief.message_class,
        "preamble": brief.preamble,
        "reference": {
            "status": brief.reference.status,
            "refs": [ref.as_json() for ref in brief.reference.refs],
            "phrase": brief.reference.phrase,
        },
        "items": [_item_as_json(item) for item in brief.items],
        "sources": [{field.name: getattr(report, field.name) for field in fields(report)} for report in brief.sources],
        "token_breakdown": dict(brief.token_breakdown),
        "language": brief.language,
    }


def brief_from_json(stored: Json) -> ContextBrief:
    """The brief that ``brief_as_json`` stored; raises ValueError for anything else."""
    try:
        return _brief(stored)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a stored brief: {error!r}") from error


def _brief(stored: Json) -> ContextBrief:
    reference = _object(stored["reference"])
    return ContextBrief(
        message=str(stored["message"]),
        query=str(stored["query"]),
        message_class=cast(MessageClass, _word(stored["message_class"], get_args(MessageClass))),
        preamble=str(stored["preamble"]),
        reference=Reference(
            status=cast(ReferenceStatus, _word(reference["status"], get_args(ReferenceStatus))),
            refs=tuple(_ref(ref) for ref in _objects(reference["refs"])),
            phrase=str(reference["phrase"]),
        ),
        items=tuple(_item(item) for item in _objects(stored["items"])),
        sources=tuple(_report(report) for report in _objects(stored["sources"])),
        token_breakdown={name: _whole(tokens) for name, tokens in _object(stored["token_breakdown"]).items()},
        language=str(stored["language"]),
    )


def _item_as_json(item: BriefItem) -> dict[str, object]:
    plain = {field.name: getattr(item, field.name) for field in fields(item)}
    return plain | {
        "when": item.when.isoformat() if item.when else None,
        "fields": [_field_as_json(field) for field in item.fields],
        "payload": dict(item.payload),
    }


def _item(stored: Json) -> BriefItem:
    when = stored["when"]
    return BriefItem(
        source=_source(stored["source"]),
        kind=str(stored["kind"]),
        id=str(stored["id"]),
        label=str(stored["label"]),
        text=str(stored["text"]),
        tokens=_whole(stored["tokens"]),
        key=str(stored["key"]),
        evidence=bool(stored["evidence"]),
        position=str(stored["position"]),
        score=float(cast(float, stored["score"])),
        when=datetime.datetime.fromisoformat(str(when)) if when else None,
        fields=tuple(_field(field) for field in _objects(stored["fields"])),
        url=str(stored["url"]),
        pinned=bool(stored["pinned"]),
        payload=_object(stored["payload"]),
    )


def _field_as_json(field: ProjectedField) -> dict[str, object]:
    return {
        "name": field.name,
        "value": field.value,
        "when": field.when.isoformat() if field.when else None,
        "question_words": list(field.question_words),
    }


def _field(stored: Json) -> ProjectedField:
    when = stored["when"]
    return ProjectedField(
        name=str(stored["name"]),
        value=str(stored["value"]),
        when=datetime.date.fromisoformat(str(when)) if when else None,
        question_words=tuple(map(str, cast("Sequence[object]", stored["question_words"]))),
    )


def _report(stored: Json) -> SourceReport:
    return SourceReport(
        name=_source(stored["name"]),
        state=cast(SourceState, _word(stored["state"], get_args(SourceState))),
        milliseconds=_whole(stored["milliseconds"]),
        items=_whole(stored["items"]),
        dropped=_whole(stored["dropped"]),
        tokens=_whole(stored["tokens"]),
        reason=str(stored["reason"]),
    )


def _ref(stored: Json) -> ResourceRef:
    return ResourceRef(str(stored["kind"]), str(stored["id"]), str(stored["label"]))


def _source(value: object) -> SourceName:
    return cast(SourceName, _word(value, get_args(SourceName)))


def _word(value: object, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise ValueError(f"not a stored brief: {value!r}")
    return str(value)


def _whole(value: object) -> int:
    return int(cast(int, value))


def _object(value: object) -> Json:
    return {str(name): part for name, part in cast(Json, value).items()}


def _objects(value: object) -> list[Json]:
    return [_object(part) for part in cast("Sequence[object]", value)]
