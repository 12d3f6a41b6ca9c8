"""Who looks after a record."""

from typing import TypeVar, cast

from django.db import transaction

from agencycore.errors import Refused
from agencycore.tenancy import Actor
from crm.actions.history import record_change
from crm.models.records import OwnedRecord
from crm.wording import name_of
from organizations.models import Membership, User

RecordT = TypeVar("RecordT", bound=OwnedRecord)


@transaction.atomic
def change_owner(*, actor: Actor, record: RecordT, owner: User | None, cause: str = "") -> RecordT:
    """Hand ``record`` to ``owner``, a member of the organization, or to nobody."""
    if owner is not None and not _is_member(owner, actor):
        raise Refused("Only a member of the organization can own a record.")
    record = cast(RecordT, type(record).objects.visible_to(actor).select_for_update().get(pk=record.pk))
    before = record.owner
    if before == owner:
        raise Refused(f"{name_of(owner) or 'Nobody'} owns {record} already.")
    record.owner = owner
    record.save(update_fields=["owner", "updated_at"])
    record_change(actor=actor, record=record, field="owner", old=name_of(before), new=name_of(owner), cause=cause)
    return record


def _is_member(user: User, actor: Actor) -> bool:
    return Membership.objects.filter(user=user, organization_id=actor.organization_id, user__is_active=True).exists()
