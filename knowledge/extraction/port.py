"""The port of document kinds, and the ways a document can fail.

Imports nothing of Django: the extraction child loads it.
"""

from importlib import import_module
from pathlib import Path
from typing import Protocol

from knowledge.extraction.document import ExtractedDocument

# How much of a file's beginning an extractor may judge by.
HEAD_BYTES = 16_384


class ExtractionFailed(Exception):
    """A document that cannot be read: ``code`` for programs, ``reason`` for the member."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Extractor(Protocol):
    """Reads documents of one kind.

    ``sniff`` says from the file's first HEAD_BYTES whether it is of this kind; the file's name is a
    hint between kinds the content leaves open, never proof. A kind that ``is_plain`` is text without a
    form of its own; those are asked after all others. ``extract`` returns the document's
    blocks in reading order, and raises ExtractionFailed where it cannot; other exceptions count as
    ``unreadable``. Hidden text is not extracted. ``EXTRACTORS`` in the settings lists the
    extractors in the order they are asked.
    """

    kind: str
    is_plain: bool

    def sniff(self, head: bytes, filename: str) -> bool: ...

    def extract(self, path: Path) -> ExtractedDocument: ...


def load_extractor(dotted_path: str) -> Extractor:
    module, _, name = dotted_path.rpartition(".")
    extractor: Extractor = getattr(import_module(module), name)()
    return extractor
