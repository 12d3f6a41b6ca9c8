"""A passage's text in the parts a page shows: code, tables, lists and running text, word for word."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from knowledge.chunking import CODE_FENCE

PartKind: TypeAlias = Literal["text", "list", "table", "code"]

_LIST_LINE = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+\S")
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|(?: ---+ \|)+")


@dataclass(frozen=True, slots=True)
class Part:
    """``rows`` are a table's, its header first if it has one; ``text`` is everything else's."""

    kind: PartKind
    text: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def parts_of(text: str) -> list[Part]:
    return [_part(paragraph) for paragraph in _paragraphs(text)]


def _paragraphs(text: str) -> Iterator[str]:
    """Split at blank lines, but not inside code."""
    lines: list[str] = []
    in_code = False
    for line in text.split("\n"):
        in_code = in_code != line.startswith(CODE_FENCE)
        if line.strip() or in_code:
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _part(paragraph: str) -> Part:
    lines = paragraph.split("\n")
    if lines[0].startswith(CODE_FENCE):
        return Part("code", "\n".join(line for line in lines if not line.startswith(CODE_FENCE)))
    if all(line.startswith("|") and line.endswith("|") for line in lines):
        return _table(lines)
    if _LIST_LINE.match(lines[0]) and len(lines) > 1:
        return Part("list", paragraph)
    return Part("text", paragraph)


def _table(lines: list[str]) -> Part:
    has_header = len(lines) > 1 and bool(_RULE.fullmatch(lines[1]))
    header = _cells(lines[0]) if has_header else ()
    return Part("table", header=header, rows=tuple(_cells(line) for line in (lines[2:] if has_header else lines)))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1])
