"""What an extractor makes of a file: a title and blocks in reading order.

Imports nothing of the product: the extraction child loads it without Django.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias, cast


@dataclass(frozen=True, slots=True)
class Heading:
    """``level`` counts from 1. ``position`` is a page or sheet, where the kind has such."""

    level: int
    text: str
    position: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    position: str = ""


@dataclass(frozen=True, slots=True)
class ListBlock:
    """``items`` carry their own markers and indentation ("- ", "2. ")."""

    items: tuple[str, ...]
    position: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """``header`` is empty where the table has none."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    position: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    text: str
    position: str = ""


Block: TypeAlias = Heading | Paragraph | ListBlock | Table | Code


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """``language`` is a tag the file itself gives (``de``, ``en-GB``), or ""."""

    title: str
    language: str
    blocks: tuple[Block, ...]


_BLOCK_TYPES: Mapping[str, type[Block]] = {
    "heading": Heading,
    "paragraph": Paragraph,
    "list": ListBlock,
    "table": Table,
    "code": Code,
}
_TYPE_NAMES = {block_type: name for name, block_type in _BLOCK_TYPES.items()}


def document_as_json(document: ExtractedDocument) -> dict[str, object]:
    blocks = [[_TYPE_NAMES[type(block)], asdict(block)] for block in document.blocks]
    return {"title": document.title, "language": document.language, "blocks": blocks}


def document_from_json(data: Mapping[str, object]) -> ExtractedDocument:
    blocks = cast(Sequence[tuple[str, dict[str, object]]], data["blocks"])
    return ExtractedDocument(
        title=str(data["title"]),
        language=str(data["language"]),
        blocks=tuple(_block_from_json(name, fields) for name, fields in blocks),
    )


def _block_from_json(name: str, fields: dict[str, object]) -> Block:
    return _BLOCK_TYPES[name](**{key: _frozen(value) for key, value in fields.items()})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
