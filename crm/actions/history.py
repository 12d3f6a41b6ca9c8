"""The trace that every action leaves, and the refusals that several share."""

from agencycore.errors import ProductError, Refused
from agencycore.tenancy import Actor
from crm.models import FieldChange
from crm.models.records import Record

REASON_MAX_LENGTH = 300


def record_change(*, actor: Actor, record: Record, field: str, old: str, new: str, cause: str = "") -> FieldChange:
    """Keep that ``field`` of ``record`` went from ``old`` to ``new``, both as a person reads them."""
    return FieldChange.objects.create(
        organization_id=actor.organization_id,
        object_kind=FieldChange.ObjectKind(type(record).__name__.lower()),
        object_id=record.pk,
        field=field,
        old=old[:REASON_MAX_LENGTH],
        new=new[:REASON_MAX_LENGTH],
        changed_by_id=actor.user_id,
        cause=cause,
    )


def required_reason(text: str, what: str) -> str:
    """``text`` as a reason that is kept; raises ProductError if it says nothing or too much."""
    reason = " ".join(text.split())
    if not reason:
        raise ProductError(f"Say why {what}: the reason is kept in the history.")
    if len(reason) > REASON_MAX_LENGTH:
        raise ProductError(f"The reason is longer than {REASON_MAX_LENGTH} characters.")
    return reason


def changed_meanwhile(record: Record) -> Refused:
    return Refused(f"{record} was changed by somebody else in the meantime. Look at it again.")
