"""Which record each row of a file is about: one that exists, or a new one; never two rows about the same."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import models

from crm.importing.columns import Importer
from crm.importing.tables import RowProblem
from crm.models.records import OwnedRecord

Values = dict[str, object]
# The fields that tell a record apart, and their values.
Identity = tuple[tuple[str, ...], tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """The values of one row without problems."""

    number: int
    values: Values


@dataclass(eq=False, slots=True)
class Subject:
    """What a row may be about. ``record`` is None for one that the file itself brings."""

    record: OwnedRecord | None
    row: int | None = None


class Matcher:
    """Finds the subject of each row.

    A row is about the record that has its surest identity. Failing that, about the one that has a less
    sure identity of the row and no surer one of its own: the row completes it. What was known by an
    identity before a row changed it stays known by it, so that no result depends on the order of rows.
    """

    def __init__(self, importer: Importer, records: Iterable[OwnedRecord]) -> None:
        self._importer = importer
        self._known: defaultdict[Identity, set[Subject]] = defaultdict(set)
        self._known_no_surer: defaultdict[Identity, set[Subject]] = defaultdict(set)
        for record in records:
            self._add_known(Subject(record))

    def match(self, rows: Sequence[Row]) -> tuple[list[OwnedRecord | None], list[RowProblem]]:
        """The record of each row, None for a new one; and the rows that have none of their own."""
        problems: list[RowProblem] = []
        subjects: dict[int, Subject] = {}
        # Rows that say less may mean what rows that say more are about, wherever those stand.
        for row in sorted(rows, key=self._sureness):
            subject = self._subject_of(row, problems)
            if subject is not None:
                subjects[row.number] = subject
        problems.sort(key=lambda problem: problem.row)
        return [subjects[row.number].record if row.number in subjects else None for row in rows], problems

    def _subject_of(self, row: Row, problems: list[RowProblem]) -> Subject | None:
        identities = identities_of(self._importer, row.values)
        found = self._find(identities)
        if len(found) > 1:
            problems.append(RowProblem(row.number, self._title(identities[0][0][0]), self._several(identities[0])))
            return None
        subject = next(iter(found), Subject(None))
        if subject.row is not None:
            earlier, later = sorted((subject.row, row.number))
            problems.append(RowProblem(later, self._title(identities[0][0][-1]), f"repeats row {earlier}."))
            return None
        subject.row = row.number
        self._add_values(subject, identities)
        return subject

    def _find(self, identities: Sequence[Identity]) -> set[Subject]:
        surest, *others = identities
        if surest in self._known:
            return self._known[surest]
        return next((self._known_no_surer[each] for each in others if each in self._known_no_surer), set())

    def _add_known(self, subject: Subject) -> None:
        names = {name for fields in self._importer.identity for name in fields}
        identities = identities_of(self._importer, {name: getattr(subject.record, name) for name in names})
        self._add_values(subject, identities)
        if identities:
            self._known_no_surer[identities[0]].add(subject)

    def _add_values(self, subject: Subject, identities: Iterable[Identity]) -> None:
        for identity in identities:
            self._known[identity].add(subject)

    def _sureness(self, row: Row) -> int:
        return self._importer.identity.index(identities_of(self._importer, row.values)[0][0])

    def _several(self, identity: Identity) -> str:
        surest = self._importer.identity[0]
        said = f"Several {self._importer.kind} in the CRM or in this file fit this row."
        return said if identity[0] == surest else f"{said} Add its {self._title(surest[0])} to tell which is meant."

    def _title(self, field: str) -> str:
        return next(column.title for column in self._importer.columns if column.field == field)


def identities_of(importer: Importer, values: Values) -> list[Identity]:
    """How the record with ``values`` may be known, the surest way first."""
    return [
        (fields, tuple(_comparable(values[name]) for name in fields))
        for fields in importer.identity
        if all(values.get(name) for name in fields)
    ]


def _comparable(value: object) -> object:
    if isinstance(value, models.Model):
        return value.pk
    return value.casefold() if isinstance(value, str) else value
