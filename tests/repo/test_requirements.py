"""Every requirement is pinned to one version."""

import re

from tests.repo.files import ROOT

PINNED = re.compile(r"[A-Za-z0-9_.-]+==[0-9][^\s;]*")


def test_every_requirement_is_pinned():
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith(("#", "-r"))]

        assert [line for line in lines if not PINNED.fullmatch(line)] == []


def test_no_requirement_stands_twice():
    lines = [
        line.split("==")[0].lower().replace("_", "-")
        for name in ("requirements.txt", "requirements-dev.txt")
        for line in (ROOT / name).read_text().splitlines()
        if "==" in line
    ]

    assert sorted(lines) == sorted(set(lines))
