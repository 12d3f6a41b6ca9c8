"""Making brief items: clean text, counted tokens, records in reading order."""

import datetime
from collections.abc import Mapping
from dataclasses import replace

from agencycore.ai.types import BriefItem, SourceName
from agencycore.refs import ProjectedField, Projection
from chat.context.tokens import clean_text, count_tokens, one_line

LABEL_LENGTH = 300
# The fields that say in one word how a record stands.
STATE_FIELDS = ("state", "status", "stage", "review state", "lifecycle stage", "score")
STATE_LENGTH = 120


def make_item(
    source: SourceName,
    kind: str,
    resource_id: str,
    *,
    label: str,
    text: str,
    evidence: bool = False,
    position: str = "",
    score: float = 0.0,
    when: datetime.datetime | None = None,
    fields: tuple[ProjectedField, ...] = (),
    url: str = "",
    pinned: bool = False,
    payload: Mapping[str, object] | None = None,
) -> BriefItem:
    """A brief item with its tokens counted; its text can be stored and sent as it is."""
    item = BriefItem(
        source=source,
        kind=kind,
        id=resource_id,
        label=one_line(label, LABEL_LENGTH),
        text=clean_text(text),
        tokens=0,
        evidence=evidence,
        position=one_line(position, LABEL_LENGTH),
        score=score,
        when=when,
        fields=fields,
        url=url,
        pinned=pinned,
        payload=payload or {},
    )
    return replace(item, tokens=cost(item))


def cost(item: BriefItem) -> int:
    """The tokens of what a prompt shows of ``item``."""
    return count_tokens(f"{item.label}\n{item.position}\n{item.text}")


def record_item(
    projection: Projection,
    *,
    score: float,
    pinned: bool,
    source: SourceName = "application",
    payload: Mapping[str, object] | None = None,
) -> BriefItem:
    """All facts of a record, one a line."""
    fields = tuple(_clean_field(field) for field in projection.fields)
    return make_item(
        source,
        projection.ref.kind,
        projection.ref.id,
        label=projection.title,
        text="\n".join([f"{projection.title} ({kind_words(projection.ref.kind)})", *map(field_line, fields)]),
        evidence=True,
        score=score,
        when=projection.updated_at,
        fields=fields,
        url=projection.url,
        pinned=pinned,
        payload=payload,
    )


def record_line(projection: Projection, *, score: float, pinned: bool = False) -> BriefItem:
    """A record in one line: title, kind, state."""
    state = next((f for f in projection.fields if f.name.lower() in STATE_FIELDS), None)
    line = f"{projection.title} ({kind_words(projection.ref.kind)})"
    fields = (_short_field(state),) if state else ()
    return make_item(
        "application",
        projection.ref.kind,
        projection.ref.id,
        label=projection.title,
        text="; ".join([line, *map(field_line, fields)]),
        evidence=True,
        score=score,
        when=projection.updated_at,
        fields=fields,
        url=projection.url,
        pinned=pinned,
        payload={"form": "line"},
    )


def field_line(field: ProjectedField) -> str:
    """ "Owner: Mia Berg", with its date where it has one."""
    when = f" ({field.when:%Y-%m-%d})" if field.when else ""
    return f"{field.name}: {field.value}{when}"


def kind_words(kind: str) -> str:
    return kind.replace("_", " ")


def _clean_field(field: ProjectedField) -> ProjectedField:
    return replace(field, name=one_line(field.name, LABEL_LENGTH), value=clean_text(field.value))


def _short_field(field: ProjectedField) -> ProjectedField:
    return replace(field, value=one_line(field.value, STATE_LENGTH))
