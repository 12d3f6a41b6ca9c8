"""What can be measured is run by ``make bench``, and described."""

import re

from bench.__main__ import BENCHES
from tests.repo.files import ROOT

# The soak is a target of its own.
OTHERS = {"soak", "__main__"}


def test_every_bench_is_run_by_make_bench_and_described():
    runnable = {path.stem for path in (ROOT / "bench").glob("*.py") if "__name__ ==" in path.read_text()}
    described = set(re.findall(r"^\| `([a-z_]+)` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))

    assert set(BENCHES) == runnable - OTHERS == described
