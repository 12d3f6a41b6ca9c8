"""Comparing checked rows with the records that exist, and writing the difference."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from agencycore.tenancy import Actor
from crm.importing.columns import Importer
from crm.importing.matching import Values
from crm.models import FieldChange
from crm.models.records import OwnedRecord
from crm.wording import name_of
from organizations.models import User

BATCH_SIZE = 1_000
VALUE_MAX_LENGTH = 300


@dataclass(slots=True)
class Batch:
    """What is to be written."""

    created: list[OwnedRecord] = field(default_factory=list)
    updated: list[OwnedRecord] = field(default_factory=list)
    unchanged: int = 0
    changes: list[FieldChange] = field(default_factory=list)


def compare(
    importer: Importer, rows: Sequence[tuple[Values, OwnedRecord | None]], *, actor: Actor, cause: str
) -> Batch:
    """What is to be written so that every row's record, or a new one for None, has the row's values."""
    batch = Batch()
    for values, record in rows:
        if record is None:
            batch.created.append(_new_record(importer, values, actor, cause))
            continue
        changes = _update(importer, record, values, actor, cause)
        batch.changes += changes
        if changes:
            batch.updated.append(record)
        else:
            batch.unchanged += 1
    return batch


def write(importer: Importer, batch: Batch) -> None:
    rows = importer.model._default_manager
    rows.bulk_create(batch.created, batch_size=BATCH_SIZE)
    columns = [column.field for column in importer.columns]
    # An upsert on the key writes thousands of changed rows at once, which bulk_update does slowly.
    rows.bulk_create(
        batch.updated,
        batch_size=BATCH_SIZE,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=[*columns, *(importer.stage or ())[1:], "updated_at"],
    )
    FieldChange.objects.bulk_create(batch.changes, batch_size=BATCH_SIZE)


def _new_record(importer: Importer, values: Values, actor: Actor, cause: str) -> OwnedRecord:
    record = importer.model(organization_id=actor.organization_id, **values)
    if importer.stage:
        setattr(record, importer.stage[2], cause)
    return record


def _update(importer: Importer, record: OwnedRecord, values: Values, actor: Actor, cause: str) -> list[FieldChange]:
    """Set what ``values`` changes on ``record``, and return the history of it."""
    changes = []
    for name, value in values.items():
        if getattr(record, name) == value:
            continue
        old = _shown(record, name)
        setattr(record, name, value)
        changes.append(_change(record, name, old, actor, cause))
        if importer.stage and name == importer.stage[0]:
            setattr(record, importer.stage[1], timezone.now())
            setattr(record, importer.stage[2], cause)
    return changes


def _change(record: OwnedRecord, name: str, old: str, actor: Actor, cause: str) -> FieldChange:
    return FieldChange(
        organization_id=actor.organization_id,
        object_kind=FieldChange.ObjectKind(type(record).__name__.lower()),
        object_id=record.pk,
        field=name,
        old=old,
        new=_shown(record, name),
        changed_by_id=actor.user_id,
        cause=cause,
    )


def _shown(record: OwnedRecord, name: str) -> str:
    """The value of a field as a person reads it."""
    value = getattr(record, name)
    if isinstance(value, User):
        return name_of(value)
    display = getattr(record, f"get_{name}_display", None)
    if display is not None:
        return str(display())
    return "" if value is None else str(value)[:VALUE_MAX_LENGTH]
