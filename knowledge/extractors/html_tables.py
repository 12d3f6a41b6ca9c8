"""Tables of HTML pages: every cell in its column, whatever spans it has."""

from selectolax.lexbor import LexborNode

from knowledge.extraction.document import Table

MAX_SPAN = 100


def table_of(node: LexborNode) -> Table:
    """Cells in their columns. Several header rows become one; a cell over several rows stands in each."""
    rows, header_rows = _grid(node.css("tr"))
    columns = max((len(row) for row in rows), default=0)
    square = [row + [""] * (columns - len(row)) for row in rows]
    header = tuple(
        " ".join(dict.fromkeys(cell for cell in column if cell)) for column in zip(*square[:header_rows], strict=True)
    )
    return Table(header, tuple(tuple(row) for row in square[header_rows:] if any(row)))


def _joined(column: tuple[str, ...]) -> str:
    return " ".join(dict.fromkeys(text for text in column if text))


def _grid(rows: list[LexborNode]) -> tuple[list[list[str]], int]:
    """The texts by row and column, and how many leading rows are headers."""
    grid: list[list[str]] = []
    still: dict[int, tuple[str, int]] = {}  # column → text and further rows it covers
    header_rows = 0
    for row in rows:
        is_header = row.css_first("td") is None and header_rows == len(grid)
        texts, still = _row_texts(row.css("th, td"), still, is_header)
        grid.append(texts)
        header_rows += is_header and any(texts)
    return grid, header_rows


def _row_texts(
    cells: list[LexborNode], still: dict[int, tuple[str, int]], is_header: bool
) -> tuple[list[str], dict[int, tuple[str, int]]]:
    texts: list[str] = []
    below = {column: (text, rows - 1) for column, (text, rows) in still.items() if rows > 1}
    for cell in cells:
        while len(texts) in still:
            texts.append(still[len(texts)][0])
        text = one_line(cell.text(separator=" "))
        for offset in range(_span(cell, "colspan")):
            # A heading over several columns is part of each; a value stands in the first.
            shown = text if offset == 0 or is_header else ""
            if (rows := _span(cell, "rowspan")) > 1:
                below[len(texts)] = (shown, rows - 1)
            texts.append(shown)
    while len(texts) in still:
        texts.append(still[len(texts)][0])
    return texts, below


def _span(cell: LexborNode, name: str) -> int:
    value = cell.attributes.get(name) or ""
    return min(int(value), MAX_SPAN) if value.isascii() and value.isdigit() and int(value) > 0 else 1


def one_line(text: str) -> str:
    return " ".join(text.split())
