"""Passages cut into the units an answer is made of: sentences and list items, with where they stand.

Passages are Markdown or plain text written by others. Headings become context, tables become lines of
``heading: cell``, and what could act (images, HTML, code fences) is left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agencycore.ai.builtin.language import sentences
from agencycore.ai.types import BriefItem

Role: TypeAlias = Literal["sentence", "item", "intro", "question"]

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_ITEM = re.compile(r"^\s*(?:[-*+•]|(\d{1,3})[.)])\s+(.*)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?")
_LINK = re.compile(r"\[([^\]]*)\]\((?:[^()\s]|\([^)]*\))*(?:\s+\"[^\"]*\")?\)")
_TAG = re.compile(r"<(?:!--.*?--|/?[a-zA-Z][^<>]*|\?[^<>]*|![a-zA-Z][^<>]*)>", re.DOTALL)
# Before a space, a digit or a sign it is a character, before anything else it could open a tag.
_OPENER = re.compile(r"<(?=[^\s\d=<])|<$")
_KEY = re.compile(r"\[(r?\d+)\]")
_NOTICE = re.compile(r"^:::\w*\s*|^>\s?")
# A short line alone, without a closing mark, is a title in text that has lost its markup.
_TITLE_WORDS = 9


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence or list item of one passage. ``block`` numbers its paragraph or list in the passage."""

    item: BriefItem
    passage: int
    block: int
    order: int
    role: Role
    text: str
    heading: str
    number: str = ""

    @property
    def context(self) -> str:
        return f"{self.item.label} {self.item.position} {self.heading}"


def units_of(items: Sequence[BriefItem]) -> list[Unit]:
    return [unit for passage, item in enumerate(items) for unit in _passage_units(passage, item)]


def harmless(text: str) -> str:
    """Evidence text with nothing left that could load, run or pass for one of our markers."""
    before = ""
    while before != text:  # removing one thing may join the halves of another
        before, text = text, _TAG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text)))
    text = _OPENER.sub("< ", text).replace("![", "! [").replace("](", "] (")
    return " ".join(_KEY.sub(r"(\1)", text).split())


def _passage_units(passage: int, item: BriefItem) -> Iterator[Unit]:
    heading, order = "", 0
    for block, (kind, lines) in enumerate(_blocks(item.text)):
        if kind == "heading":
            heading = harmless(lines[0])
            continue
        for role, number, text in _pieces(kind, lines):
            text = harmless(text)
            if len(text) > 1:
                yield Unit(item, passage, block, order, role, text, heading, number)
                order += 1


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Headings, paragraphs, lists and tables in order, each as its lines."""
    lines: list[str] = []
    kind, fenced = "", False
    for raw in [*text.splitlines(), ""]:
        line = _NOTICE.sub("", raw)
        if _FENCE.match(line):
            fenced = not fenced
            continue
        now = "" if fenced else _line_kind(line, kind)
        if now != kind and lines:
            yield _settled(kind, lines)
            lines = []
        kind = now
        if now:
            lines.append(_HEADING.sub(r"\1", line) if now == "heading" else line)


def _line_kind(line: str, before: str) -> str:
    if not line.strip():
        return ""
    if _HEADING.match(line):
        return "heading"
    if _TABLE.match(line) or (_TABLE_RULE.match(line) and "|" in line):
        return "table"
    if _ITEM.match(line) or (before == "list" and line[:1] in " \t"):
        return "list"
    return "paragraph"


def _settled(kind: str, lines: list[str]) -> tuple[str, list[str]]:
    is_title = kind == "paragraph" and len(lines) == 1 and not re.search(r"[.!?:;,)。！？；：؟]\W*$", lines[0])
    if is_title and len(lines[0].split()) <= _TITLE_WORDS:
        return "heading", lines
    return kind, lines


def _pieces(kind: str, lines: Sequence[str]) -> Iterator[tuple[Role, str, str]]:
    if kind == "table":
        yield from _table_rows(lines)
    elif kind == "list":
        yield from _list_items(lines)
    else:
        for sentence in sentences(" ".join(lines)):
            role: Role = "intro" if sentence.endswith(":") else "question" if sentence.endswith("?") else "sentence"
            yield role, "", sentence


def _list_items(lines: Sequence[str]) -> Iterator[tuple[Role, str, str]]:
    number, text = "", ""
    for line in lines:
        match = _ITEM.match(line)
        if match is None:
            text = f"{text} {line.strip()}"
            continue
        if text:
            yield "item", number, text
        number, text = match.group(1) or "", match.group(2)
    if text:
        yield "item", number, text


def _table_rows(lines: Sequence[str]) -> Iterator[tuple[Role, str, str]]:
    rows = [_cells(line) for line in lines if not _TABLE_RULE.match(line)]
    has_head = len(lines) > 1 and bool(_TABLE_RULE.match(lines[1]))
    head = rows.pop(0) if has_head and rows else []
    for cells in rows:
        named = [f"{head[column]}: {cell}" if column < len(head) and head[column] else cell
                 for column, cell in enumerate(cells) if cell]  # fmt: skip
        first, *rest = named or [""]
        if cells and cells[0] and head:
            first = f"**{cells[0]}**"
        yield "item", "", "; ".join([first, *rest])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
