"""The child that reads documents: its limits hold, and whatever happens there is a reason here."""

import sys
from pathlib import Path

import pytest

from knowledge.extraction import limits, sandbox
from knowledge.extraction.document import ExtractedDocument, Paragraph
from knowledge.extraction.port import ExtractionFailed
from knowledge.extraction.sandbox import extract_in_child

PRELUDE = """
import os, sys, time
from pathlib import Path
from knowledge.extraction.document import ExtractedDocument, Paragraph
from knowledge.extraction.port import ExtractionFailed
class Hostile:
    kind = "hostile"
    is_plain = True
    def sniff(self, head, filename):
        return True
    def extract(self, path):
"""


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, name: str = "x.txt") -> ExtractedDocument:
    module = f"hostile_{tmp_path.name}"
    code = "\n".join(f"        {line}" for line in body.splitlines())
    (tmp_path / f"{module}.py").write_text(PRELUDE + code + "\n")
    (tmp_path / "document").write_bytes(b"words")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    return extract_in_child(tmp_path / "document", filename=name, extractors=[f"{module}.Hostile"]).document


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("x = bytearray(4 * 1024 ** 3)", "too_complex"),
        ("raise RecursionError", "too_complex"),
        ("os.kill(os.getpid(), 9)", "too_slow"),
        ("os._exit(0)", "unreadable"),
        ("os.abort()", "unreadable"),
        ("raise ValueError('broken')", "unreadable"),
        ("raise ExtractionFailed('encrypted', 'It has a password.')", "encrypted"),
        ("return ExtractedDocument('', '', (Paragraph('x' * 200 * 1024 * 1024),))", "too_complex"),
    ],
)
def test_a_hostile_document_ends_in_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, code: str
) -> None:
    with pytest.raises(ExtractionFailed) as failure:
        run(tmp_path, monkeypatch, body)

    assert failure.value.code == code


def test_the_child_knows_no_secrets_and_has_no_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "do not tell")

    document = run(
        tmp_path,
        monkeypatch,
        "return ExtractedDocument('', '', (Paragraph(' '.join(sorted(os.environ)) + '|' + sys.stdin.read()),))",
    )

    (block,) = document.blocks
    assert isinstance(block, Paragraph)
    names, read = block.text.split("|")
    assert read == ""
    assert set(names.split()) - {"LC_CTYPE"} == {
        "HOME",
        "LANG",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "PATH",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONPATH",
        "TMPDIR",
    }


def test_a_child_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "WALL_SECONDS", 1)

    with pytest.raises(ExtractionFailed) as failure:
        run(tmp_path, monkeypatch, "time.sleep(600)")

    assert failure.value.code == "too_slow"


def test_a_lost_lease_ends_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "POLL_SECONDS", 0.05)

    class Lost(Exception):
        pass

    def lose() -> None:
        raise Lost

    (tmp_path / "hostile_sleeper.py").write_text(PRELUDE + "        time.sleep(600)\n")
    (tmp_path / "document").write_bytes(b"words")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])

    with pytest.raises(Lost):
        extract_in_child(
            tmp_path / "document",
            filename="x.txt",
            extractors=["hostile_sleeper.Hostile"],
            while_waiting=lose,
        )


def test_a_file_name_is_never_an_option_or_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "return ExtractedDocument('', '', (Paragraph('fine'),))"

    for name in ("--help", "-c import os", "; touch /tmp/x", "$(id)", "a b\nc"):
        assert run(tmp_path, monkeypatch, body, name).blocks == (Paragraph("fine"),)


def test_the_limits_are_below_what_the_machine_has() -> None:
    assert limits.MEMORY_BYTES == 1024**3
    assert limits.CPU_SECONDS < limits.WALL_SECONDS
