"""One file to blocks, by whichever extractor takes it. Runs in the extraction child."""

import logging
from collections.abc import Sequence
from pathlib import Path

from knowledge.extraction.document import document_as_json
from knowledge.extraction.kinds import refuse_unsupported, unsupported
from knowledge.extraction.limits import MAXIMUM_BLOCKS
from knowledge.extraction.port import HEAD_BYTES, ExtractionFailed, Extractor, load_extractor

logger = logging.getLogger(__name__)


def read_document(path: Path, filename: str, extractors: Sequence[str]) -> dict[str, object]:
    """``{kind, document}``, or ``{code, reason}`` for a document that cannot be read."""
    try:
        extractor = choose_extractor(path, filename, [load_extractor(name) for name in extractors])
        document = extractor.extract(path)
    except ExtractionFailed as failure:
        return {"code": failure.code, "reason": failure.reason}
    except (MemoryError, RecursionError):
        raise
    except Exception:  # whatever a parser makes of a broken file: it is the file's fault
        logger.exception("Could not read a document.")
        return {"code": "unreadable", "reason": "The file is damaged or not what its name says, and cannot be read."}
    if len(document.blocks) > MAXIMUM_BLOCKS:
        return {"code": "too_complex", "reason": "The document has too many parts to be read. Divide it and try again."}
    return {"kind": extractor.kind, "document": document_as_json(document)}


def choose_extractor(path: Path, filename: str, extractors: Sequence[Extractor]) -> Extractor:
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise ExtractionFailed("empty", "The file is empty.")
    formed = [extractor for extractor in extractors if not extractor.is_plain]
    plain = [extractor for extractor in extractors if extractor.is_plain]
    for extractor in formed:
        if extractor.sniff(head, filename):
            return extractor
    refuse_unsupported(head, filename)
    for extractor in plain:
        if extractor.sniff(head, filename):
            return extractor
    raise unsupported("Files of this kind")
