"""Documents are read in a child process of their own, which may take neither much memory nor time."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.extraction.document import ExtractedDocument, document_from_json
from knowledge.extraction.limits import OUT_OF_MEMORY_STATUS, OUTPUT_BYTES, WALL_SECONDS
from knowledge.extraction.port import ExtractionFailed

PRODUCT_FOLDER = Path(__file__).resolve().parents[2]
POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Extraction:
    kind: str
    document: ExtractedDocument


def extract_in_child(
    path: Path,
    *,
    filename: str,
    extractors: Sequence[str],
    while_waiting: Callable[[], None] = lambda: None,
) -> Extraction:
    """Read ``path`` within the limits; raises ExtractionFailed.

    ``while_waiting`` is called every second; what it raises ends the child and goes on to the caller.
    """
    with tempfile.TemporaryDirectory(prefix="extraction-") as folder:
        output = Path(folder) / "document.json"
        status = _run([str(path.resolve()), str(output), filename, *extractors], folder, while_waiting)
        if status != 0:
            raise _ended_by_limits(status)
        return _result(output)


def _run(arguments: list[str], folder: str, while_waiting: Callable[[], None]) -> int:
    child = subprocess.Popen(  # noqa: S603 - a list, no shell; file names are arguments and never run
        [sys.executable, "-m", "knowledge.extraction.child", *arguments],
        cwd=PRODUCT_FOLDER,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return _wait(child, while_waiting)
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def _wait(child: "subprocess.Popen[bytes]", while_waiting: Callable[[], None]) -> int:
    waited = 0.0
    while waited < WALL_SECONDS:
        try:
            return child.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            waited += POLL_SECONDS
            while_waiting()
    return -signal.SIGXCPU


def _environment(folder: str) -> dict[str, str]:
    """No secrets, one thread each: libraries that start many reserve more memory than the limit."""
    return {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": folder,
        "HOME": folder,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _ended_by_limits(status: int) -> ExtractionFailed:
    if status in {-signal.SIGXCPU, -signal.SIGKILL}:
        return ExtractionFailed("too_slow", "Reading this document takes too long. Divide it and try again.")
    if status in {OUT_OF_MEMORY_STATUS, -signal.SIGXFSZ}:
        return ExtractionFailed("too_complex", "Reading this document takes too much memory. Divide it and try again.")
    return ExtractionFailed("unreadable", "The file is damaged or not what its name says, and cannot be read.")


def _result(output: Path) -> Extraction:
    if not output.exists() or output.stat().st_size > OUTPUT_BYTES:
        raise ExtractionFailed("unreadable", "The file could not be read.")
    result = json.loads(output.read_text(encoding="utf-8"))
    if "code" in result:
        raise ExtractionFailed(str(result["code"]), str(result["reason"]))
    return Extraction(str(result["kind"]), document_from_json(result["document"]))
