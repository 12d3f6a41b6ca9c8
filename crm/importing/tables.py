"""From the bytes of a file to a table of texts: encoding, delimiter, header."""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from charset_normalizer import from_bytes

from agencycore.errors import ProductError

DELIMITERS = (",", ";", "\t", "|")
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings that spreadsheets save CSV in where it is not UTF-8, likeliest first.
OTHER_ENCODINGS = ["cp1252", "utf_16_le", "utf_16_be", "cp1251", "gb18030", "shift_jis", "big5", "euc_kr"]
DETECTION_BYTES = 64_000
# Binary files that people take for CSV: zipped and old Office files, PDF.
BINARY_STARTS = (
    b"PK\x03\x04",
    b"\xd0\xcf\x11\xe0",
    b"%PDF",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"PAR1",
)
NOT_TEXT = "This is not a text file. In your spreadsheet, choose “Save as” and the format CSV."
# Categories of code points that no text is made of, and the share of them that damaged text stays under.
NOT_TEXT_CATEGORIES = {"Cc", "Cn", "Co", "Cs"}
NOT_TEXT_SHARE = 0.1
NOT_ASCII = re.compile(rb"[\x80-\xff]+")
UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class UnreadableTable(ProductError):
    code = "unreadable_file"


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is wrong in one cell. ``row`` counts as a spreadsheet does: the header is row 1."""

    row: int
    column: str
    problem: str

    def __str__(self) -> str:
        return f"Row {self.row}, column “{self.column}”: {self.problem}"


@dataclass(frozen=True, slots=True)
class Table:
    header: tuple[str, ...]
    # (row number, cells); rows without any text are left out, short ones are filled up.
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def read_table(data: bytes, *, known_headers: Callable[[str], bool], max_rows: int) -> Table:
    """The table in ``data``. Raises UnreadableTable with words for the member.

    The delimiter is the one under which most of the header's cells are known.
    """
    text = decode(data)
    delimiter = max(DELIMITERS, key=lambda each: _recognised(text, each, known_headers))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = list(_numbered(reader, max_rows))
    if not rows:
        raise UnreadableTable("The file is empty.")
    (_, header), *body = rows
    width = len(header)
    return Table(tuple(cell.strip() for cell in header), tuple((number, _fit(row, width)) for number, row in body))


def decode(data: bytes) -> str:
    """The text in ``data``. Raises UnreadableTable for what is no text."""
    if data.startswith(BINARY_STARTS):
        raise UnreadableTable(NOT_TEXT)
    text = _decoded(data)
    sample = [letter for letter in text[:DETECTION_BYTES] if letter not in "\t\r\n"]
    strange = sum(unicodedata.category(letter) in NOT_TEXT_CATEGORIES for letter in sample)
    if strange > len(sample) * NOT_TEXT_SHARE:
        raise UnreadableTable(NOT_TEXT)
    return text


def _decoded(data: bytes) -> str:
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_as(data, encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = _guess(data)
    # UTF-16 without a mark is valid UTF-8 full of NULs where its text is English.
    return _guess(data) if "\0" in text else text


def _guess(data: bytes) -> str:
    """The text of bytes that are not UTF-8.

    Western text has single accented letters between ASCII ones; scripts of their own have runs of
    them. That tells the two apart in files too short for statistics on letters.
    """
    runs = NOT_ASCII.findall(data)
    if runs and b"\0" not in data and sum(map(len, runs)) < 2 * len(runs):
        return _decode_as(data, "cp1252")
    best = from_bytes(data[:DETECTION_BYTES], cp_isolation=OTHER_ENCODINGS).best()
    if best is None and b"\0" in data:
        raise UnreadableTable(NOT_TEXT)
    if best is None:
        raise UnreadableTable("The encoding of the file could not be told. Save it as UTF-8 and try again.")
    return _decode_as(data, best.encoding)


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise UnreadableTable("The file holds bytes that are no text. Save it as UTF-8 and try again.") from None


def _recognised(text: str, delimiter: str, known: Callable[[str], bool]) -> tuple[int, int]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    try:
        cells = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:
        return 0, 0
    return sum(known(cell) for cell in cells), len(cells)


def _numbered(reader: Iterator[list[str]], max_rows: int) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold text, with their numbers; the header is the first of them."""
    count = number = 0
    try:
        for number, row in enumerate(reader, start=1):
            if not any(cell.strip() for cell in row):
                continue
            count += 1
            if count > max_rows + 1:
                raise UnreadableTable(f"The file has more than {max_rows:,} rows. Split it and import the parts.")
            yield number, row
    except csv.Error as error:
        raise UnreadableTable(f"Row {number + 1} is not valid CSV: {_in_words(error)}") from None


def _in_words(error: csv.Error) -> str:
    """What the reader found; its own messages are for programmers."""
    said = str(error)
    if "field limit" in said:
        return f"a cell has more than {csv.field_size_limit():,} characters. A closing quotation mark may be missing."
    if "unexpected end" in said:
        return "a quotation mark opens a cell and none closes it."
    if "expected after" in said:
        return "a quotation mark inside a cell is not doubled."
    return "its cells or line breaks cannot be told apart."


def _fit(row: list[str], width: int) -> tuple[str, ...]:
    cells = [cell.strip() for cell in row]
    return (*cells, *[""] * (width - len(cells)))
