"""The process a document is read in: it limits itself, reads one file, writes one JSON file, and ends.

    python -m knowledge.extraction.child INPUT OUTPUT FILENAME EXTRACTOR…

Exit status 0: OUTPUT holds the document, or why it cannot be read. Anything else: the limits ended it.
Nothing of Django is loaded, and the environment holds no secrets.
"""

import errno
import json
import resource
import sys
from pathlib import Path

from knowledge.extraction.limits import (
    CPU_SECONDS,
    MEMORY_BYTES,
    OPEN_FILES,
    OUT_OF_MEMORY_STATUS,
    OUTPUT_BYTES,
)


def limit_self() -> None:
    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, OUTPUT_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def read(path: Path, filename: str, extractors: list[str]) -> dict[str, object]:
    # Inside the limits on purpose: a parser's own start is paid by the child too.
    from knowledge.extraction.reading import read_document  # noqa: PLC0415

    return read_document(path, filename, extractors)


def main(arguments: list[str]) -> int:
    source, output, filename, *extractors = arguments
    limit_self()
    try:
        result = read(Path(source), filename, extractors)
        Path(output).write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    except (MemoryError, RecursionError):
        return OUT_OF_MEMORY_STATUS
    except OSError as error:
        # Python ignores the signal of the file size limit and raises instead.
        if error.errno == errno.EFBIG:
            return OUT_OF_MEMORY_STATUS
        raise
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
