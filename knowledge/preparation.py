"""From an extracted document to what the index takes: passages, their language, their vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from agencycore.ai.ports import EMBEDDING_DIMENSIONS, Embedder
from knowledge.chunking import Passage, cut_passages, render
from knowledge.extraction.document import ExtractedDocument
from knowledge.extraction.port import ExtractionFailed
from knowledge.indexing import searched_text
from knowledge.languages import SIMPLE, detect_language, language_of_code

EMBEDDING_BATCH = 64
TITLE_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Prepared:
    title: str
    language: str
    passages: list[Passage]


def title_of_file(filename: str) -> str:
    return PurePath(filename).stem.replace("_", " ").replace("-", " ").strip()[:TITLE_LENGTH] or "Untitled"


def prepare(document: ExtractedDocument, *, fallback_title: str, given_title: str = "") -> Prepared:
    """Passages under the title a person gave, else the document's own, else the fallback.

    Raises ExtractionFailed for a document without words.
    """
    title = " ".join((given_title or document.title or fallback_title).split())[:TITLE_LENGTH]
    passages = [passage for passage in cut_passages(document, title) if any(map(str.isalnum, passage.text))]
    if not passages:
        raise ExtractionFailed("no_text", "No readable text was found in this document.")
    return Prepared(title, _language(document, passages), passages)


def _language(document: ExtractedDocument, passages: list[Passage]) -> str:
    """The words decide; what the file declares, often by mistake, only where they leave it open."""
    detected = detect_language("\n".join(render(block) for block in document.blocks[:400]))
    if detected != SIMPLE:
        return detected
    return language_of_code(document.language) or SIMPLE


def embed_passages(
    passages: list[Passage], embedder: Embedder, after_batch: Callable[[int], None] = lambda done: None
) -> npt.NDArray[np.float32]:
    """One unit vector per passage; ``after_batch`` hears how many are done. Raises ModelError."""
    vectors = np.zeros((len(passages), EMBEDDING_DIMENSIONS), dtype=np.float32)
    for start in range(0, len(passages), EMBEDDING_BATCH):
        batch = passages[start : start + EMBEDDING_BATCH]
        vectors[start : start + len(batch)] = embedder.embed([searched_text(passage) for passage in batch])
        after_batch(start + len(batch))
    return vectors
