"""One import: read, check every row, then write all of them in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from agencycore.errors import ProductError
from agencycore.tenancy import Actor
from crm.importing.cells import CellProblem
from crm.importing.columns import IMPORTERS, Column, Importer
from crm.importing.directory import Directory
from crm.importing.matching import Matcher, Row, Values
from crm.importing.tables import RowProblem, Table, read_table
from crm.importing.writing import Batch, compare, write
from crm.models.records import OwnedRecord

IMPORT_MAX_ROWS = 10_000
FILE_NAME_LENGTH = 200


class ImportRefused(ProductError):
    """Nothing was imported; ``problems`` says where and why."""

    code = "import_refused"

    def __init__(self, message: str, problems: Sequence[RowProblem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class ImportResult:
    created: int
    updated: int
    unchanged: int
    ignored_columns: tuple[str, ...]

    def __str__(self) -> str:
        counts = f"{self.created} created, {self.updated} updated, {self.unchanged} unchanged."
        ignored = ", ".join(f"“{name}”" for name in self.ignored_columns)
        return f"{counts} Ignored columns: {ignored}." if ignored else counts


@transaction.atomic
def import_records(*, actor: Actor, kind: str, file_name: str, data: bytes) -> ImportResult:
    """Import a CSV file of ``kind`` (companies, people or deals).

    A row whose record is known already updates it; empty cells and absent columns change nothing.
    Raises UnreadableTable or ImportRefused, and then nothing is imported.
    """
    importer = IMPORTERS[kind]
    table = read_table(
        data, known_headers=lambda header: importer.find_column(header) is not None, max_rows=IMPORT_MAX_ROWS
    )
    columns = _map_header(importer, table)
    if not table.rows:
        raise ImportRefused("The file has no rows below its header.")
    rows, records = _check_rows(importer, columns, table, actor)
    pairs = [(row.values, record) for row, record in zip(rows, records, strict=True)]
    batch = compare(importer, pairs, actor=actor, cause=f"Imported from {file_name[:FILE_NAME_LENGTH]}.")
    _write(importer, batch)
    ignored = tuple(name for name, column in zip(table.header, columns, strict=True) if column is None and name)
    return ImportResult(len(batch.created), len(batch.updated), batch.unchanged, ignored)


def _map_header(importer: Importer, table: Table) -> list[Column | None]:
    """The column that each cell of the header means; None for one that is not known."""
    columns = [importer.find_column(header) for header in table.header]
    known = [column for column in columns if column is not None]
    problems = [
        RowProblem(1, column.title, "appears twice in the header.")
        for column in dict.fromkeys(known)
        if known.count(column) > 1
    ]
    problems += [
        RowProblem(1, column.title, "is missing from the header.")
        for column in importer.columns
        if column.required and column not in known
    ]
    if problems:
        titles = ", ".join(column.title for column in importer.columns)
        raise ImportRefused(f"The header does not fit {importer.kind}. Known columns: {titles}.", problems)
    return columns


def _check_rows(
    importer: Importer, columns: Sequence[Column | None], table: Table, actor: Actor
) -> tuple[list[Row], list[OwnedRecord | None]]:
    """The rows and the record that each is about, None for a new one."""
    directory = Directory(actor)
    rows: list[Row] = []
    problems: list[RowProblem] = []
    for number, cells in table.rows:
        values, wrong = _parse_row(columns, number, cells, directory)
        problems += wrong
        if not wrong:
            rows.append(Row(number, values))
    records, unmatched = Matcher(importer, _records(importer, actor)).match(rows)
    problems = sorted([*problems, *unmatched], key=lambda problem: problem.row)
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        raise ImportRefused(f"Nothing was imported: {count} in the file.", problems)
    return rows, records


def _records(importer: Importer, actor: Actor) -> QuerySet[OwnedRecord]:
    relations = {"company", "person", "owner"} & {column.field for column in importer.columns}
    return importer.model.objects.visible_to(actor).select_related(*sorted(relations)).order_by("id")


def _write(importer: Importer, batch: Batch) -> None:
    try:
        with transaction.atomic():
            write(importer, batch)
    except IntegrityError:
        # Somebody recorded one of these between the look and the writing.
        raise ImportRefused(f"Some {importer.kind} were changed meanwhile. Import the file again.") from None


def _parse_row(
    columns: Sequence[Column | None], number: int, cells: Sequence[str], directory: Directory
) -> tuple[Values, list[RowProblem]]:
    values: Values = {}
    wrong: list[RowProblem] = []
    for column, cell in zip(columns, cells, strict=False):
        if column is None:
            continue
        if cell:
            try:
                values[column.field] = column.parse(cell, directory)
            except CellProblem as problem:
                wrong.append(RowProblem(number, column.title, str(problem)))
        elif column.required:
            wrong.append(RowProblem(number, column.title, "is empty."))
    extra = next((position for position in range(len(columns), len(cells)) if cells[position]), None)
    if extra is not None:
        wrong.append(RowProblem(number, str(extra + 1), f"has no header; the header has {len(columns)} columns."))
    return values, wrong
