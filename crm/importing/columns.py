"""The columns that a file of each kind may have, and the words they go by."""

from collections.abc import Callable
from dataclasses import dataclass

from crm.importing import cells
from crm.importing.directory import Directory
from crm.models import Company, Deal, Person
from crm.models.records import OwnedRecord

Parse = Callable[[str, Directory], object]


@dataclass(frozen=True, slots=True)
class Column:
    """``title`` is the header as documented; ``aliases`` are further headers that mean the same."""

    title: str
    field: str
    parse: Parse
    aliases: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class Importer:
    """How a file of one kind is read. ``identity`` are the fields that tell its records apart, surest first.

    Every row has a value for all fields of the last.
    """

    kind: str
    model: type[OwnedRecord]
    columns: tuple[Column, ...]
    identity: tuple[tuple[str, ...], ...]
    # A field that has a date and a cause of its own: (field, since, cause).
    stage: tuple[str, str, str] | None = None

    def find_column(self, header: str) -> Column | None:
        word = plain_header(header)
        for column in self.columns:
            if word in {plain_header(name) for name in (column.title, *column.aliases)}:
                return column
        return None


def plain_header(header: str) -> str:
    return "".join(letter for letter in header.casefold() if letter.isalnum())


def _plain(parse: Callable[[str], object]) -> Parse:
    return lambda cell, directory: parse(cell)


def _owner(cell: str, directory: Directory) -> object:
    return directory.owner(cell)


def _company(cell: str, directory: Directory) -> object:
    return directory.company(cell)


def _person(cell: str, directory: Directory) -> object:
    return directory.person(cell)


OWNER = Column("Owner", "owner", _owner, ("owner email", "account owner", "responsible"))

COMPANIES = Importer(
    "companies",
    Company,
    (
        Column("Name", "name", _plain(cells.text(200)), ("company", "company name", "account", "account name"), True),
        Column("Domain", "domain", _plain(cells.domain), ("website", "web", "url", "company domain")),
        Column("Industry", "industry", _plain(cells.text(80)), ("sector",)),
        Column("Country", "country", _plain(cells.text(80)), ("country name",)),
        Column("Size", "size_band", _plain(cells.size_band), ("employees", "headcount", "number of employees")),
        Column(
            "Lifecycle stage",
            "lifecycle_stage",
            _plain(cells.choice(Company.LifecycleStage)),
            ("stage", "status", "lifecycle"),
        ),
        OWNER,
    ),
    identity=(("domain",), ("name",)),
    stage=("lifecycle_stage", "stage_since", "stage_cause"),
)
PEOPLE = Importer(
    "people",
    Person,
    (
        Column("Name", "name", _plain(cells.text(200)), ("full name", "person", "contact"), True),
        Column("E-mail", "email", _plain(cells.email), ("email address", "mail")),
        Column("Title", "title", _plain(cells.text(120)), ("job title", "position", "role")),
        Column("Phone", "phone", _plain(cells.text(40)), ("telephone", "phone number", "mobile")),
        Column("Company", "company", _company, ("company domain", "company name", "account", "organization")),
        OWNER,
    ),
    identity=(("email",), ("name", "company"), ("name",)),
)
DEALS = Importer(
    "deals",
    Deal,
    (
        Column("Name", "name", _plain(cells.text(200)), ("deal", "deal name", "title"), True),
        Column("Company", "company", _company, ("company domain", "company name", "account", "customer"), True),
        Column("Stage", "stage", _plain(cells.choice(Deal.Stage)), ("deal stage", "status")),
        Column("Amount", "amount", _plain(cells.amount), ("value", "deal value")),
        Column("Currency", "currency", _plain(cells.currency), ("currency code",)),
        Column("Close date", "close_date", _plain(cells.date), ("expected close date", "closing date", "closes")),
        Column("Contact e-mail", "person", _person, ("contact", "person", "contact email address")),
        OWNER,
    ),
    identity=(("company", "name"),),
    stage=("stage", "stage_since", "stage_cause"),
)
IMPORTERS = {importer.kind: importer for importer in (COMPANIES, PEOPLE, DEALS)}
