"""Plain text: paragraphs between blank lines, and lists."""

import re
from pathlib import Path

from knowledge.extraction.document import Block, ExtractedDocument, ListBlock, Paragraph
from knowledge.extraction.encodings import decode

LIST_ITEM = re.compile(r"\s*(?:[-*•+]|\d{1,3}[.)])\s+\S")


class TextExtractor:
    kind = "text"
    is_plain = True

    def sniff(self, head: bytes, filename: str) -> bool:
        """Whatever no other kind claimed: whether it is text at all is found out by decoding it."""
        return True

    def extract(self, path: Path) -> ExtractedDocument:
        text = decode(path.read_bytes())
        paragraphs = [part.strip("\n") for part in re.split(r"\n[^\S\n]*\n", text) if part.strip()]
        return ExtractedDocument("", "", tuple(_block(paragraph) for paragraph in paragraphs))


def _block(paragraph: str) -> Block:
    lines = paragraph.split("\n")
    if len(lines) > 1 and all(LIST_ITEM.match(line) for line in lines):
        return ListBlock(tuple(line.rstrip() for line in lines))
    return Paragraph("\n".join(line.rstrip() for line in lines))
