"""Reading records for a member: always by what the actor may see, always a fixed number of statements."""

import uuid
from collections.abc import Iterable, Sequence
from typing import TypeVar

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Func, Model, OuterRef, QuerySet

from agencycore.tenancy import Actor
from crm.models import Activity, Company, Deal, FieldChange, Prospect, Signal
from crm.models.records import Record

RowT = TypeVar("RowT", bound=Model)


class Unnest(Func):
    function = "unnest"


def newest_of_each(
    rows: QuerySet[RowT], *, owners: QuerySet[Record], link: str, order: Sequence[str], limit: int
) -> QuerySet[RowT]:
    """At most ``limit`` of ``rows`` for each of ``owners``, in one statement.

    The work is bounded by owners times limit, however many rows an owner has: each owner's newest
    rows come off the index on (``link``, ``order``).
    """
    newest = rows.filter(**{link: OuterRef("pk")}).order_by(*order).values("pk")[:limit]
    picked = owners.order_by().values(picked=Unnest(ArraySubquery(newest)))
    return rows.filter(pk__in=picked).order_by(*order)


def grouped(rows: Iterable[RowT], link: str) -> dict[uuid.UUID, list[RowT]]:
    """``rows`` in their order, by the id in their column ``link``."""
    groups: dict[uuid.UUID, list[RowT]] = {}
    for row in rows:
        groups.setdefault(getattr(row, link), []).append(row)
    return groups


NEWEST_ACTIVITY = ("-happened_at", "-id")
NEWEST_CHANGE = ("-changed_at", "-id")
NEWEST_SIGNAL = ("-detected_at", "-id")
NEXT_TO_CLOSE = ("close_date", "id")
STRONGEST = ("-weight", "id")


def activities_of(actor: Actor) -> QuerySet[Activity]:
    return Activity.objects.visible_to(actor).select_related("by", "person")


def contacts_of(actor: Actor) -> QuerySet[Activity]:
    """Activities in which we were in touch with the other side."""
    return activities_of(actor).filter(kind__in=Activity.CONTACT_KINDS)


def changes_of(actor: Actor, kind: FieldChange.ObjectKind) -> QuerySet[FieldChange]:
    return FieldChange.objects.visible_to(actor).filter(object_kind=kind).select_related("changed_by")


def open_deals_of(actor: Actor) -> QuerySet[Deal]:
    return Deal.objects.visible_to(actor).exclude(stage__in=Deal.CLOSED_STAGES).select_related("owner")


def signals_of(actor: Actor) -> QuerySet[Signal]:
    return Signal.objects.visible_to(actor)


def companies_by_domain(actor: Actor, prospects: Sequence[Prospect]) -> dict[str, Company]:
    """The companies in the CRM that share a domain with one of ``prospects``, by domain."""
    domains = {prospect.domain for prospect in prospects if prospect.domain}
    return {company.domain: company for company in Company.objects.visible_to(actor).filter(domain__in=domains)}
