"""Files and functions stay small enough to be read."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.repo.files import APPS, python_files, relative

LONGEST_FILE_LINES = 500
LONGEST_FUNCTION_LINES = 60


def test_no_file_is_longer_than_500_lines():
    long = {relative(path): lines for path in python_files() if (lines := _lines(path)) > LONGEST_FILE_LINES}

    assert long == {}


def test_no_function_of_the_product_is_longer_than_60_lines():
    long = {
        f"{relative(path)}:{function.name}": _length(function)
        for path in python_files(*APPS)
        for function in _functions(path)
        if _length(function) > LONGEST_FUNCTION_LINES
    }

    assert long == {}


def test_no_module_is_named_for_leftovers():
    homeless = {"utils", "helpers", "common", "base", "services", "misc"}
    # The bundled services are the concept itself.
    allowed = {"agencycore/embedded/services.py"}

    named = {relative(path) for path in python_files(*APPS) if path.stem in homeless}

    assert named - allowed == set()


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of the body; a docstring is a contract and not length."""
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return (function.end_lineno or first.lineno) - first.lineno + 1
