"""From blocks to passages: along headings, to about 350 tokens, tables and lists whole where they fit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.extraction.document import Block, Code, ExtractedDocument, Heading, ListBlock, Paragraph, Table

BYTES_PER_TOKEN = 4
TARGET_TOKENS = 350
MAXIMUM_TOKENS = 512
PATH_SEPARATOR = " › "
PATH_LENGTH = 300
CODE_FENCE = "```"

# A glossary: many items, nearly all of the form "term: what it means". Each is a passage of its own.
GLOSSARY_ITEMS = 8
GLOSSARY_SHARE = 0.8
GLOSSARY_LEVEL = 9  # below any heading
_DEFINITION = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+([^:.!?\n]{2,60}): +\S")

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as shown. ``context`` is the title and headings above it: searched with, never shown in it."""

    text: str
    position: str
    context: str
    tokens: int


def count_tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def cut_passages(document: ExtractedDocument, title: str) -> list[Passage]:
    """The passages of ``document`` in reading order; none where it holds no words."""
    cutter = _Cutter(title)
    for block in document.blocks:
        cutter.add(block)
    return cutter.finished()


def render(block: Block) -> str:
    """The block as text: Markdown, as far as it needs marks at all."""
    match block:
        case Heading(text=text) | Paragraph(text=text):
            return text
        case Code(text=text):
            return _fenced(text)
        case ListBlock(items=items):
            return "\n".join(items)
        case Table():
            return "\n".join([*_table_head(block), *(_row(cells) for cells in block.rows)])


class _Cutter:
    def __init__(self, title: str) -> None:
        self.title = title
        self.headings: list[tuple[int, str]] = []
        self.heading_is_open = False
        self.pieces: list[str] = []
        self.tokens = 0
        self.position = ""
        self.passages: list[Passage] = []

    def add(self, block: Block) -> None:
        if isinstance(block, Heading):
            self._enter(block)
            return
        self.heading_is_open = False
        if isinstance(block, ListBlock) and _is_glossary(block):
            self._add_glossary(block)
            return
        for piece in _pieces(block):
            self._append(piece, block.position)

    def finished(self) -> list[Passage]:
        self._close_heading()
        self._flush()
        return self.passages

    def _enter(self, heading: Heading) -> None:
        self._flush()
        if self.headings and heading.level <= self.headings[-1][0]:
            self._close_heading()
        while self.headings and self.headings[-1][0] >= heading.level:
            self.headings.pop()
        self.headings.append((heading.level, heading.text))
        self.heading_is_open = True
        self.position = heading.position

    def _close_heading(self) -> None:
        """A heading with nothing under it is a line of its own: its words must be found."""
        if self.heading_is_open:
            self._append(self.headings[-1][1], self.position)
            self._flush()
        self.heading_is_open = False

    def _append(self, piece: str, position: str) -> None:
        tokens = count_tokens(piece)
        if self.pieces and (self.tokens + tokens > TARGET_TOKENS or position != self.position):
            self._flush()
        self.pieces.append(piece)
        self.tokens += tokens
        self.position = position

    def _flush(self) -> None:
        text = "\n\n".join(self.pieces).strip()
        if text:
            path = self._path()
            self.passages.append(
                Passage(text, (self.position or path)[:PATH_LENGTH], self._context(path), count_tokens(text))
            )
        self.pieces, self.tokens = [], 0

    def _add_glossary(self, block: ListBlock) -> None:
        self._flush()
        for item in block.items:
            term = _DEFINITION.match(item)
            if term is not None:
                self.headings.append((GLOSSARY_LEVEL, term[1].strip()))
            for piece in _pieces(ListBlock((item,), block.position)):
                self._append(piece, block.position)
            self._flush()
            if term is not None:
                self.headings.pop()

    def _path(self) -> str:
        return PATH_SEPARATOR.join(text for _, text in self.headings)

    def _context(self, path: str) -> str:
        if not path or path == self.title or path.startswith(self.title + PATH_SEPARATOR):
            return (path or self.title)[:PATH_LENGTH]
        return (self.title + PATH_SEPARATOR + path)[:PATH_LENGTH]


def _is_glossary(block: ListBlock) -> bool:
    defined = sum(_DEFINITION.match(item) is not None for item in block.items)
    return len(block.items) >= GLOSSARY_ITEMS and defined >= GLOSSARY_SHARE * len(block.items)


def _pieces(block: Block) -> Iterator[str]:
    """The block whole, or in parts of at most TARGET_TOKENS where it exceeds MAXIMUM_TOKENS."""
    text = render(block)
    if count_tokens(text) <= MAXIMUM_TOKENS:
        if text.strip():
            yield text
        return
    match block:
        case Heading() | Paragraph():
            yield from _gather(_sentences(text), " ")
        case ListBlock(items=items):
            yield from _gather(items, "\n")
        case Code(text=code):
            yield from (_fenced(part) for part in _gather(code.split("\n"), "\n"))
        case Table():
            yield from _table_parts(block)


def _fenced(code: str) -> str:
    return f"{CODE_FENCE}\n{code}\n{CODE_FENCE}"


def _table_parts(table: Table) -> Iterator[str]:
    """Every part repeats the header, so that a row can be read by itself."""
    head = "\n".join(_table_head(table))
    room = TARGET_TOKENS - count_tokens(head)
    if room < TARGET_TOKENS // 2:  # a header that long is no header
        head, room = "", TARGET_TOKENS
    for rows in _gather([_row(cells) for cells in table.rows], "\n", room):
        yield f"{head}\n{rows}" if head else rows


def _table_head(table: Table) -> list[str]:
    return [_row(table.header), _row(("---",) * len(table.header))] if table.header else []


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def _gather(parts: Sequence[str], separator: str, limit: int = TARGET_TOKENS) -> Iterator[str]:
    """Neighbouring parts joined up to ``limit`` tokens; a part beyond it is cut at spaces."""
    gathered: list[str] = []
    tokens = 0
    for part in (piece for whole in parts for piece in _cut(whole, limit)):
        size = count_tokens(part + separator)
        if gathered and tokens + size > limit:
            yield separator.join(gathered)
            gathered, tokens = [], 0
        gathered.append(part)
        tokens += size
    if gathered:
        yield separator.join(gathered)


def _cut(text: str, limit: int) -> Iterator[str]:
    """``text`` in pieces of at most ``limit`` tokens, at spaces where there are any."""
    size = limit * BYTES_PER_TOKEN
    data = text.encode()
    start = 0
    while len(data) - start > size:
        end = data.rfind(b" ", start + size // 2, start + size)
        if end < 0:
            end = start + size
            while data[end] & 0xC0 == 0x80:  # inside a character
                end -= 1
        yield data[start:end].decode().strip()
        start = end
    if data[start:].strip():
        yield data[start:].decode().strip() if start else text
