"""Bringing companies, people and deals in from a CSV file: all rows or none."""

from crm.importing.columns import IMPORTERS
from crm.importing.imports import IMPORT_MAX_ROWS, ImportRefused, ImportResult, import_records
from crm.importing.tables import RowProblem

__all__ = ["IMPORTERS", "IMPORT_MAX_ROWS", "ImportRefused", "ImportResult", "RowProblem", "import_records"]
