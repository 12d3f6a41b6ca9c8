"""Lists of records: search, filters, order and pages, from the words of an address."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, Q, QuerySet

from agencycore.tenancy import Actor
from crm.wording import name_of
from organizations.models import User

PAGE_SIZE = 50
SEARCH_MAX_LENGTH = 100
OPTIONS_MAX = 200
SHOWN_LENGTH = 60
NOBODY = "nobody"

RowT = TypeVar("RowT", bound=Model)


@dataclass(frozen=True, slots=True)
class Filter:
    """One choice above a list: ``conditions`` says for each offered value which rows it keeps."""

    name: str
    label: str
    options: Sequence[tuple[str, str]]
    conditions: Mapping[str, Q]


@dataclass(frozen=True, slots=True)
class ChosenFilter:
    name: str
    label: str
    options: Sequence[tuple[str, str]]
    chosen: str


@dataclass(frozen=True, slots=True)
class Listing(Generic[RowT]):
    page: Page[RowT]
    search: str
    filters: tuple[ChosenFilter, ...]
    # What the address asked for and did not get, in words.
    notices: tuple[str, ...] = ()

    @property
    def is_filtered(self) -> bool:
        return any(each.chosen for each in self.filters)

    @property
    def is_narrowed(self) -> bool:
        return bool(self.search) or self.is_filtered


def make_listing(
    rows: QuerySet[RowT],
    *,
    parameters: Mapping[str, str],
    search_columns: Iterable[str],
    filters: Sequence[Filter],
    order: Sequence[str],
) -> Listing[RowT]:
    """The page of ``rows`` that ``parameters`` (q, page, and the filters' names) ask for.

    A value that no filter offers narrows nothing, and a page that does not exist is the nearest one;
    the notices say so.
    """
    search = parameters.get("q", "").replace("\0", "").strip()[:SEARCH_MAX_LENGTH]
    if search:
        rows = rows.filter(_any_contains(search_columns, search))
    chosen, notices = [], []
    for each in filters:
        value = parameters.get(each.name, "")
        if value in each.conditions:
            rows = rows.filter(each.conditions[value])
        elif value:
            notices.append(f"The filter “{each.label}” has no choice “{value[:SHOWN_LENGTH]}”. It was left out.")
            value = ""
        chosen.append(ChosenFilter(each.name, each.label, each.options, value))
    wanted = parameters.get("page", "")
    page = Paginator(rows.order_by(*order), PAGE_SIZE).get_page(wanted or 1)
    if wanted and wanted != str(page.number):
        notices.append(f"There is no page “{wanted[:SHOWN_LENGTH]}”. This is page {page.number}.")
    return Listing(page, search, tuple(chosen), tuple(notices))


def choice_filter(name: str, label: str, column: str, choices: Iterable[tuple[str, str]]) -> Filter:
    options = tuple(choices)
    return Filter(name, label, options, {value: Q(**{column: value}) for value, _ in options})


def owner_filter(members: Iterable[User]) -> Filter:
    people = [(str(member.pk), name_of(member)) for member in members]
    conditions = {key: Q(owner_id=int(key)) for key, _ in people}
    return Filter("owner", "Any owner", (*people, (NOBODY, "Nobody")), {**conditions, NOBODY: Q(owner=None)})


def values_filter(name: str, label: str, column: str, rows: QuerySet[RowT]) -> Filter:
    """A filter over the values that ``column`` has in ``rows``."""
    values = rows.exclude(**{column: ""}).order_by(column).values_list(column, flat=True).distinct()
    return choice_filter(name, label, column, [(value, value) for value in values[:OPTIONS_MAX]])


def members_of(actor: Actor) -> list[User]:
    """The members of the actor's organization, by name: those who may own a record."""
    members = User.objects.filter(memberships__organization_id=actor.organization_id, is_active=True)
    return list(members.order_by("first_name", "last_name", "username"))


def _any_contains(columns: Iterable[str], text: str) -> Q:
    condition = Q()
    for column in columns:
        condition |= Q(**{f"{column}__icontains": text})
    return condition
