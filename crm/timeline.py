"""What happened around a record: its newest activities and changes, for its page."""

import uuid

from django.db.models import QuerySet

from agencycore.tenancy import Actor
from crm.models import Activity, FieldChange
from crm.models.records import Record
from crm.queries import NEWEST_ACTIVITY, NEWEST_CHANGE, activities_of, changes_of

TIMELINE_LENGTH = 20


def activities_about(actor: Actor, **about: Record) -> QuerySet[Activity]:
    """The newest activities of ``company=…``, ``person=…`` or ``deal=…``."""
    return activities_of(actor).filter(**about).order_by(*NEWEST_ACTIVITY)[:TIMELINE_LENGTH]


def changes_to(actor: Actor, kind: FieldChange.ObjectKind, record_id: uuid.UUID) -> QuerySet[FieldChange]:
    return changes_of(actor, kind).filter(object_id=record_id).order_by(*NEWEST_CHANGE)[:TIMELINE_LENGTH]
