"""One import: read, check every row, then write all of them in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from agencycore.errors import ProductError
from agencycore.tenancy import Actor
from crm.importing.cells import CellProblem
from crm.importing.columns import IMPORTERS, Column, Importer
from crm.importing.directory import Directory
from crm.importing.tables import RowProblem, Table, read_table
from crm.importing.writing import Identity, Values, compare, identities_of, write

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
    rows = _check_rows(importer, columns, table, Directory(actor))
    batch = compare(importer, rows, actor=actor, cause=f"Imported from {file_name[:FILE_NAME_LENGTH]}.")
    write(importer, batch)
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
    importer: Importer, columns: Sequence[Column | None], table: Table, directory: Directory
) -> list[Values]:
    rows: list[Values] = []
    problems: list[RowProblem] = []
    first_seen: dict[Identity, int] = {}
    for number, cells in table.rows:
        values, wrong = _parse_row(columns, number, cells, directory)
        if len(cells) > len(columns):
            wrong.append(RowProblem(number, "(row)", f"has {len(cells)} cells, but the header has {len(columns)}."))
        problems += wrong
        if not wrong:
            fields, key = identities_of(importer, values)[0]
            earlier = first_seen.setdefault((fields, key), number)
            if earlier != number:
                problems.append(RowProblem(number, _title_of(importer, fields[-1]), f"repeats row {earlier}."))
            rows.append(values)
    if problems:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        raise ImportRefused(f"Nothing was imported: {count} in the file.", problems)
    return rows


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
    return values, wrong


def _title_of(importer: Importer, field: str) -> str:
    return next(column.title for column in importer.columns if column.field == field)
