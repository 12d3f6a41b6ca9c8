"""The real files and data sets that tests try the product on, used from where they lie."""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("AGENCYCORE_CORPORA", Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"))


def corpus(name: str) -> Path:
    """The folder or file ``name`` of the corpora; the test is skipped where they are not at hand."""
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"corpora not found: {name} (set AGENCYCORE_CORPORA)")
    return path
