"""HTML, as a reader of the page sees it: no scripts, navigation or hidden text."""

import re
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knowledge.extraction.document import Block, Code, ExtractedDocument, Heading, ListBlock, Paragraph
from knowledge.extraction.encodings import decode
from knowledge.extractors.html_tables import one_line, table_of

NAMES = (".html", ".htm", ".xhtml")
DOCUMENT = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
ELEMENTS = re.compile(rb"<(?:head|body|div|p|h[1-6]|table|ul|ol|span|article)[\s>]", re.IGNORECASE)
DECLARED_ENCODING = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)|<\?xml[^>]+encoding=[\"']([\w-]+)", re.IGNORECASE)

DROPPED_TAGS = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "nav",
        "iframe",
        "object",
        "svg",
        "head",
        "form",
        "button",
        "select",
        "dialog",
    ]
)
DROPPED = ", ".join([*sorted(DROPPED_TAGS), "[hidden]", "[aria-hidden=true]", "[style]"])
HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?:\.0+)?(?:px|r?em|pt|%)?\s*(?:;|!|$)"
)
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
MAX_LIST_DEPTH = 12
MAIN_SHARE = 0.25
SPACES = re.compile(r"[^\S\n]+")


class HtmlExtractor:
    kind = "html"
    is_plain = False

    def sniff(self, head: bytes, filename: str) -> bool:
        narrow = head.replace(b"\x00", b"")  # UTF-16 and UTF-32, as far as tags go
        if DOCUMENT.search(narrow):
            return narrow.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<")
        return filename.lower().endswith(NAMES) and bool(ELEMENTS.search(narrow))

    def extract(self, path: Path) -> ExtractedDocument:
        data = path.read_bytes()
        declared = DECLARED_ENCODING.search(data[:4096])
        names = [name.decode() for name in declared.groups() if name] if declared else [""]
        tree = LexborHTMLParser(decode(data, names[0]))
        title = tree.css_first("title")
        language = tree.root.attributes.get("lang") if tree.root else None
        return ExtractedDocument(one_line(title.text()) if title else "", language or "", tuple(_visible_blocks(tree)))


def blocks_of_html(fragment: str) -> list[Block]:
    """The blocks of a piece of HTML, as found in Markdown."""
    return _visible_blocks(LexborHTMLParser(fragment))


def _visible_blocks(tree: LexborHTMLParser) -> list[Block]:
    _drop_hidden(tree)
    writer = _Writer()
    if tree.body is not None:
        writer.walk(_main_part(tree.body))
    return writer.finished()


def _main_part(body: LexborNode) -> LexborNode:
    """What the page itself calls its main part, if it holds a fair share of the words; else all of it."""
    main = body.css_first("main, [role=main]")
    if main is not None and len(main.text()) >= MAIN_SHARE * len(body.text()):
        return main
    return body


def _drop_hidden(tree: LexborHTMLParser) -> None:
    dropped = [node for node in tree.css(DROPPED) if _is_hidden(node)]
    ids = {node.mem_id for node in dropped}
    # Only the outermost: what stands inside is freed with it.
    for node in [node for node in dropped if not _has_ancestor(node, ids)]:
        node.decompose()


def _is_hidden(node: LexborNode) -> bool:
    style = (node.attributes.get("style") or "").lower()
    return bool(HIDDEN_STYLE.search(style)) if _is_styled_only(node) else True


def _is_styled_only(node: LexborNode) -> bool:
    """Whether nothing but its style can hide the element."""
    attributes = node.attributes
    return node.tag not in DROPPED_TAGS and "hidden" not in attributes and attributes.get("aria-hidden") != "true"


def _has_ancestor(node: LexborNode, ids: set[int]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id in ids:
            return True
        parent = parent.parent
    return False


class _Writer:
    """Collects blocks; running text between two blocks is a paragraph."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.running: list[str] = []

    def finished(self) -> list[Block]:
        self._flush()
        return self.blocks

    def walk(self, root: LexborNode) -> None:
        # An explicit stack: pages nest deeper than Python does.
        stack: list[LexborNode | None] = list(reversed(_children(root)))
        while stack:
            node = stack.pop()
            if node is None:
                self._flush()
            elif node.is_text_node:
                self.running.append(" ".join(re.split(r"\s+", node.text(deep=False) or "")))
            elif node.tag == "br":
                self.running.append("\n")
            elif (block := _leaf(node)) is not None:
                self._flush()
                self.blocks.extend(block)
            elif node.tag in BLOCKS:
                self._flush()
                stack.append(None)
                stack.extend(reversed(_children(node)))
            else:
                stack.extend(reversed(_children(node)))

    def _flush(self) -> None:
        text = _lines("".join(self.running))
        self.running = []
        if text:
            self.blocks.append(Paragraph(text))


def _children(node: LexborNode) -> list[LexborNode]:
    return list(node.iter(include_text=True))


def _leaf(node: LexborNode) -> list[Block] | None:
    """The blocks of an element that is read as a whole; None for one to look into."""
    match node.tag:
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
            text = one_line(node.text())
            return [Heading(int(node.tag[1]), text)] if text else []
        case "pre":
            text = node.text().strip("\n")
            return [Code(text)] if text.strip() else []
        case "ul" | "ol" if node.css_first("table, pre, h1, h2, h3, h4") is None:
            items = tuple(_list_items(node, depth=0))
            return [ListBlock(items)] if items else []
        case "table" if node.css_first("table table") is None and _is_data(node):
            return [table_of(node)]
        case _:
            return None


def _is_data(table: LexborNode) -> bool:
    """A table of values, not one that lays out a page: no blocks of running text in its cells."""
    return table.css_first("h1, h2, h3, h4, pre, ul, ol, div p, p + p") is None


def _list_items(node: LexborNode, depth: int) -> list[str]:
    items: list[str] = []
    number = 0
    for item in node.iter():
        if item.tag in {"ul", "ol"} and depth < MAX_LIST_DEPTH:
            items.extend(_list_items(item, depth + 1))
        elif item.tag == "li":
            number += 1
            marker = f"{number}. " if node.tag == "ol" else "- "
            items.extend(_list_item(item, marker, depth))
    return items


def _list_item(item: LexborNode, marker: str, depth: int) -> list[str]:
    own: list[str] = []
    nested: list[str] = []
    stack = list(reversed(_children(item)))
    while stack:
        node = stack.pop()
        if node.is_text_node:
            own.append(node.text(deep=False) or "")
        elif node.tag in {"ul", "ol"}:
            nested.extend(
                _list_items(node, depth + 1) if depth < MAX_LIST_DEPTH else [one_line(node.text(separator=" "))]
            )
        else:
            own.append(" " if node.tag in BLOCKS or node.tag == "br" else "")
            stack.extend(reversed(_children(node)))
    text = one_line("".join(own))
    return ["  " * depth + marker + text, *nested] if text else nested


def _lines(text: str) -> str:
    """Running text; only ``<br>`` breaks a line."""
    return "\n".join(line for line in (SPACES.sub(" ", part).strip() for part in text.split("\n")) if line)
