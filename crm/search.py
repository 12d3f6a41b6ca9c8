"""Finding a record by its name, for a person who is typing it."""

from dataclasses import dataclass
from typing import cast

from django.db.models import CharField, F, Q, QuerySet, Value
from django.db.models.functions import Cast, Coalesce, NullIf

from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from crm.models import Company, Deal, Opportunity, Person, Prospect
from crm.models.records import Record

FOUND_MAX = 8


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """``detail`` tells records of one name apart: the domain, the company."""

    ref: ResourceRef
    detail: str


def find_records(actor: Actor, words: str, limit: int = FOUND_MAX) -> list[FoundRecord]:
    """Records whose name contains ``words``, those that begin with them first; one statement."""
    words = " ".join(words.replace("\0", "").split())
    if not words:
        return []
    kinds = [
        _named("company", Company.objects.visible_to(actor), "name", "domain", words),
        _named("person", Person.objects.visible_to(actor), "name", "company__name", words),
        _named("deal", Deal.objects.visible_to(actor), "name", "company__name", words),
        _named("opportunity", Opportunity.objects.visible_to(actor), "name", "company__name", words),
        _named("prospect", Prospect.objects.visible_to(actor), "company_name", "contact_name", words),
    ]
    found = kinds[0].union(*kinds[1:], all=True).order_by("-begins", "label", "key")[:limit]
    return [FoundRecord(ResourceRef(row["kind"], row["key"], row["label"]), row["detail"] or "") for row in found]


def _named(kind: str, rows: QuerySet[Record], name: str, detail: str, words: str) -> QuerySet[Record, dict[str, str]]:
    named = (
        rows.filter(**{f"{name}__icontains": words})
        .annotate(
            kind=Value(kind, CharField()),
            key=Cast("id", CharField()),
            label=F(name),
            detail=Coalesce(NullIf(F(detail), Value("")), Value("")),
            begins=Q(**{f"{name}__istartswith": words}),
        )
        .values("kind", "key", "label", "detail", "begins")
    )
    return cast(QuerySet[Record, dict[str, str]], named)
