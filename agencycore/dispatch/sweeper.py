"""What nobody is working on any more: ring again, or give up."""

import logging
import uuid

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.module_loading import import_string

from agencycore.dispatch.models import Dispatch
from agencycore.dispatch.queue import ring

logger = logging.getLogger(__name__)

SWEEP_LIMIT = 500


def sweep() -> None:
    """Give up what is past its deadline or out of attempts; ring for the rest that is due and unheld."""
    for kind, object_id, organization_id in _lost():
        give_up(kind=kind, object_id=object_id, organization_id=organization_id)
    for kind, object_id, organization_id in _due():
        ring(kind=kind, object_id=object_id, organization_id=organization_id)


def give_up(*, kind: str, object_id: uuid.UUID, organization_id: uuid.UUID) -> None:
    """End the work as its room ends what failed. One that cannot be ended is logged and met again."""
    try:
        import_string(settings.DISPATCH_GIVE_UP[kind])(organization_id=organization_id, object_id=object_id)
    except Exception:
        logger.exception("Could not give up %s %s.", kind, object_id)


def _lost() -> list[tuple[str, uuid.UUID, uuid.UUID]]:
    return _addresses(Dispatch.objects.filter(Q(deadline_at__lte=Now()) | (_spent() & _unheld())))


def _due() -> list[tuple[str, uuid.UUID, uuid.UUID]]:
    earlier = Dispatch.objects.filter(sequence_key=OuterRef("sequence_key"), id__lt=OuterRef("id"))
    return _addresses(Dispatch.objects.filter(_unheld(), ~_spent(), due_at__lte=Now()).filter(~Exists(earlier)))


def _unheld() -> Q:
    return Q(lease_until__isnull=True) | Q(lease_until__lt=Now())


def _spent() -> Q:
    """Out of attempts, as a claim counts them: cut-off ones only where no deadline bounds the work."""
    most = settings.MAX_ATTEMPTS
    return Q(faults__gte=most) | Q(deadline_at__isnull=True, attempts__gte=most)


def _addresses(rows: QuerySet[Dispatch]) -> list[tuple[str, uuid.UUID, uuid.UUID]]:
    return list(rows.order_by("due_at").values_list("kind", "object_id", "organization_id")[:SWEEP_LIMIT])
