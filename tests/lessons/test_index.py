"""Every promise names the tests that show it, and each of them exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.repo.files import ROOT

PAGE = ROOT / "docs/engineering/lessons.md"
ROW = re.compile(r"^\| (\d+) \|", re.MULTILINE)
FILE = re.compile(r"`(tests/[\w/]+\.py)`")
NAME = re.compile(r"`(test_\w+)`")
SHOWN_END_TO_END = {*range(1, 9), 16, 17, 18, 19, 20, 21, 24, 25}


def rows() -> Iterator[tuple[int, str]]:
    for line in PAGE.read_text().splitlines():
        if found := ROW.match(line):
            yield int(found[1]), line


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_lesson_has_its_row():
    assert [number for number, _ in rows()] == list(range(1, 26))


def test_every_named_test_exists():
    missing = []
    for number, line in rows():
        for path in FILE.findall(line):
            known = names_in(ROOT / path) if (ROOT / path).exists() else set()
            names = NAME.findall(line.split(f"`{path}`", 1)[1].split("`tests/", 1)[0])
            assert names, (number, path)
            missing += [(number, path, name) for name in names if name not in known]
    assert missing == []


def test_every_lesson_shown_end_to_end_has_a_test_of_its_number():
    named = {name for path in Path(__file__).parent.glob("test_*.py") for name in names_in(path)}
    assert {
        number for number in range(1, 26) if any(f"_lesson_{number:02}_" in name for name in named)
    } == SHOWN_END_TO_END
