"""The scripted adapters keep the contract of their ports."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agencycore.ai.scripted import ScriptedEmbedder, ScriptedFileResponder, ScriptedResponder
from tests.agencycore.ai.contract import (
    DECISIONS,
    EMBEDDER_CHECKS,
    REPORTS,
    RESPONDER_CHECKS,
    SUMMARIES,
    MakeEmbedder,
    MakeResponder,
    check_name,
)
from tests.agencycore.ai.scenarios import GOOD_DECISION

SUMMARY = "Olivia looks for logistics companies in Norway."
REPORT = "Fjordline is one [r2]."


@pytest.mark.parametrize("check", RESPONDER_CHECKS, ids=check_name)
def test_the_responder_keeps_the_contract(check: Callable[[MakeResponder], None]):
    check(
        lambda: ScriptedResponder(
            [GOOD_DECISION] * DECISIONS, summaries=[SUMMARY] * SUMMARIES, reports=[REPORT] * REPORTS
        )
    )


@pytest.mark.parametrize("check", RESPONDER_CHECKS, ids=check_name)
def test_the_responder_of_a_file_keeps_the_contract(
    check: Callable[[MakeResponder], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lines = [{"reply": GOOD_DECISION}, {"reply": SUMMARY, "purpose": "summary"}, {"reply": REPORT, "purpose": "report"}]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    monkeypatch.setenv("SCRIPTED_REPLIES", str(path))

    check(ScriptedFileResponder)


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=check_name)
def test_the_embedder_keeps_the_contract(check: Callable[[MakeEmbedder], None]):
    check(ScriptedEmbedder)
