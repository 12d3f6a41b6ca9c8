"""The platform's own documents: the Markdown pages of ``docs/product``, read by every organization."""

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.db import connection
from django.utils import timezone

from agencycore.ai.ports import Embedder, get_embedder
from agencycore.tenancy import platform_writer
from knowledge.extraction.port import ExtractionFailed
from knowledge.extractors.markdown import MarkdownExtractor
from knowledge.indexing import indexed_as, remove_source_rows, swap_generation
from knowledge.models import KnowledgeSource
from knowledge.preparation import Prepared, embed_passages, prepare, title_of_file

Change: TypeAlias = Literal["added", "updated", "unchanged", "removed", "failed"]

# Any number: it only has to be the same in every process that writes platform documents.
PLATFORM_DOCS_LOCK = 7_305_110_001


@dataclass(frozen=True, slots=True)
class PageResult:
    path: str
    change: Change
    chunks: int = 0
    reason: str = ""
    milliseconds: int = 0


def sync_platform_docs(folder: Path) -> list[PageResult]:
    """Make the platform's sources equal to the pages of ``folder``; for unchanged pages one query in all.

    The pages come with the product and are trusted: they are read in this process.
    """
    embedder = get_embedder()
    pages = {_key(folder, page): page for page in sorted(folder.rglob("*.md"))}
    known = _known_pages(folder)
    results = [_sync(key, page, known.get(key), embedder) for key, page in pages.items()]
    return results + [_remove(key) for key in sorted(known.keys() - pages.keys())]


def _known_pages(folder: Path) -> dict[str, tuple[str, str]]:
    """Path → content hash, and what the rows were made with."""
    with platform_writer():
        pages = KnowledgeSource.objects.filter(organization__isnull=True, path__startswith=f"{_key(folder, folder)}/")
        return {
            path: (content, made) for path, content, made in pages.values_list("path", "content_hash", "indexed_as")
        }


def _key(folder: Path, page: Path) -> str:
    """``docs/product/limits.md``: the same wherever the product is installed."""
    resolved = page.resolve()
    root = settings.BASE_DIR if resolved.is_relative_to(settings.BASE_DIR) else folder.resolve().parent
    return resolved.relative_to(root).as_posix()


def _sync(key: str, page: Path, known: tuple[str, str] | None, embedder: Embedder) -> PageResult:
    started = time.monotonic()
    data = page.read_bytes()
    wanted = hashlib.sha256(data).hexdigest(), indexed_as(embedder.name)
    if known == wanted:
        return PageResult(key, "unchanged")
    try:
        prepared = prepare(MarkdownExtractor().extract(page), fallback_title=title_of_file(page.name))
    except ExtractionFailed as error:
        return PageResult(key, "failed", reason=error.reason)
    vectors = embed_passages(prepared.passages, embedder)
    _write(key, page.name, len(data), wanted, prepared, vectors, embedder)
    milliseconds = round((time.monotonic() - started) * 1000)
    return PageResult(key, "updated" if known else "added", len(prepared.passages), milliseconds=milliseconds)


def _write(
    key: str,
    filename: str,
    size: int,
    wanted: tuple[str, str],
    prepared: Prepared,
    vectors: npt.NDArray[np.float32],
    embedder: Embedder,
) -> None:
    with platform_writer():
        _lock()
        source, _ = KnowledgeSource.objects.get_or_create(
            path=key, organization=None, defaults={"size": size, "kind": "markdown", "filename": filename}
        )
        swap_generation(
            source=source,
            passages=prepared.passages,
            vectors=vectors,
            embedder_name=embedder.name,
            language=prepared.language,
        )
        source.title, source.language, source.size = prepared.title, prepared.language, size
        source.content_hash, source.indexed_as = wanted
        source.state, source.state_changed_at = KnowledgeSource.State.READY, timezone.now()
        source.chunk_count = len(prepared.passages)
        source.save()


def _remove(key: str) -> PageResult:
    with platform_writer():
        _lock()
        source = KnowledgeSource.objects.filter(path=key, organization__isnull=True).first()
        if source is not None:
            remove_source_rows(source)
            source.delete()
    return PageResult(key, "removed")


def _lock() -> None:
    """Two processes that start at once must not both write a page."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [PLATFORM_DOCS_LOCK])
