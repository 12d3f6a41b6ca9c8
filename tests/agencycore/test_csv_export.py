import datetime

import pytest

from agencycore.csv_export import csv_cell


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (-5, -5),
        (1.5, 1.5),
        (True, True),
        ("Acorn", "Acorn"),
        ("a=b", "a=b"),
        ("=1+1", "'=1+1"),
        ("+47 22", "'+47 22"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
    ],
)
def test_a_cell_that_would_be_run_as_a_formula_is_marked_as_text(value: object, cell: object):
    assert csv_cell(value) == cell
