"""Markdown, read as tokens: what a reader of the rendered page would see."""

import re
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from knowledge.extraction.document import Block, Code, ExtractedDocument, Heading, ListBlock, Paragraph, Table
from knowledge.extraction.encodings import decode
from knowledge.extractors.html import blocks_of_html

NAMES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\n", re.DOTALL)
FRONT_MATTER_TITLE = re.compile(r"^title:\s*(.+)$", re.MULTILINE)
# Marks of Markdown: headings (a block of lines with # is comments), fences, links, tables, bold.
MARKS = re.compile(
    r"(?:\A|\n\n)#{1,6} \S|^```|^~~~|\[[^\]\n]+\]\([^)\s]+\)|^\|?[ :]*-{3,}[ :]*\|[-| :]*$|\*\*\S", re.MULTILINE
)
MINIMUM_MARKS = 3


class MarkdownExtractor:
    kind = "markdown"
    is_plain = True

    def sniff(self, head: bytes, filename: str) -> bool:
        if b"\x00" in head:
            return False
        needed = 0 if filename.lower().endswith(NAMES) else MINIMUM_MARKS
        text = head.decode("utf-8", errors="replace").replace("\r\n", "\n")
        return len(MARKS.findall(text)) >= needed

    def extract(self, path: Path) -> ExtractedDocument:
        text = decode(path.read_bytes())
        front = FRONT_MATTER.match(text)
        body = text[front.end() :] if front else text
        blocks = tuple(_blocks(SyntaxTreeNode(_parser().parse(body))))
        return ExtractedDocument(_front_title(front) or _main_heading(blocks), "", blocks)


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _front_title(front: re.Match[str] | None) -> str:
    title = FRONT_MATTER_TITLE.search(front[1]) if front else None
    return title[1].strip().strip("\"'") if title else ""


def _main_heading(blocks: tuple[Block, ...]) -> str:
    """The first heading of the highest level there is."""
    headings = [block for block in blocks if isinstance(block, Heading)]
    return min(headings, key=lambda heading: heading.level).text if headings else ""


def _blocks(root: SyntaxTreeNode) -> list[Block]:
    blocks: list[Block] = []
    for node in root.children:
        blocks.extend(_blocks_of(node))
    return blocks


def _blocks_of(node: SyntaxTreeNode) -> list[Block]:
    match node.type:
        case "heading":
            return _some(Heading(int(node.tag[1:]), _inline(node)))
        case "paragraph":
            return _some(Paragraph(_inline(node)))
        case "bullet_list" | "ordered_list":
            return [ListBlock(tuple(_list_items(node, depth=0)))]
        case "table":
            return [_table(node)]
        case "fence" | "code_block":
            return _some(Code(node.content.rstrip("\n")))
        case "html_block":
            return blocks_of_html(node.content)
        case _:
            return _blocks(node)


def _some(block: Heading | Paragraph | Code) -> list[Block]:
    return [block] if block.text.strip() else []


def _inline(node: SyntaxTreeNode) -> str:
    """The words of a block as they are read: a link's text, an image's description."""
    if node.type in {"text", "code_inline", "image"}:
        return node.content
    if node.type in {"softbreak", "hardbreak"}:
        return "\n"
    if node.type == "html_inline":
        return "\n" if node.content.startswith("<br") else ""
    return "".join(_inline(child) for child in node.children)


def _list_items(node: SyntaxTreeNode, depth: int) -> list[str]:
    items: list[str] = []
    number = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
    for item in node.children:
        marker = f"{number}. " if number else "- "
        items.extend(_list_item(item, "  " * depth, marker, depth))
        number += 1 if number else 0
    return items


def _list_item(item: SyntaxTreeNode, indent: str, marker: str, depth: int) -> list[str]:
    own: list[str] = []
    nested: list[str] = []
    for child in item.children:
        if child.type in {"bullet_list", "ordered_list"}:
            nested.extend(_list_items(child, depth + 1))
        elif child.type in {"fence", "code_block"}:
            own.append(child.content.rstrip("\n"))
        else:
            own.append(_inline(child))
    text = "\n".join(part for part in own if part).replace("\n", "\n" + indent + "  ")
    return [indent + marker + text, *nested]


def _table(node: SyntaxTreeNode) -> Table:
    rows = [
        tuple(_inline(cell).strip() for cell in row.children) for section in node.children for row in section.children
    ]
    return Table(header=rows[0], rows=tuple(rows[1:]))
