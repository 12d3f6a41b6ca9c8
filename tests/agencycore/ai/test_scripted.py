"""The scripted adapters: they play exactly what was planned."""

import contextlib
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from agencycore.ai.ports import get_responder
from agencycore.ai.scripted import (
    SCRIPTED_USAGE,
    ScriptedEmbedder,
    ScriptedFileResponder,
    ScriptedResponder,
    playing,
)
from agencycore.ai.types import ModelError, ModelReply
from agencycore.ai.wire import WireDelegate
from tests.agencycore.ai.requests import decision_request, summary_request
from tests.agencycore.ai.scenarios import GOOD_DECISION

OVERLOADED = ModelError("server_error", "Overloaded.", retryable=True, reached_vendor=True)
DELEGATE = WireDelegate(outcome="delegate", capability="signals-search", input_json="{}")
DELEGATE_TEXT = '{"decision":{"outcome":"delegate","capability":"signals-search","input_json":"{}"}}'


def test_replies_are_played_in_order_in_each_of_their_forms():
    whole = ModelReply("{", "truncated", SCRIPTED_USAGE, "scripted", "scripted-1")
    responder = ScriptedResponder([GOOD_DECISION, DELEGATE, whole, lambda request: request.brief.message, ""])

    replies = [responder.decide(decision_request()) for _ in range(5)]

    assert [(reply.text, reply.finish) for reply in replies] == [
        (GOOD_DECISION, "complete"),
        (DELEGATE_TEXT, "complete"),
        ("{", "truncated"),
        ("What is the weather in Oslo?", "complete"),
        ("", "empty"),
    ]
    assert responder.remaining == 0


def test_an_error_is_raised_and_takes_its_place():
    responder = ScriptedResponder([OVERLOADED, GOOD_DECISION])

    with pytest.raises(ModelError, match=r"Overloaded\."):
        responder.decide(decision_request())

    assert responder.decide(decision_request()).text == GOOD_DECISION


def test_summaries_have_a_script_of_their_own():
    responder = ScriptedResponder([GOOD_DECISION], summaries=["They look for companies in Norway."])

    assert responder.summarise(summary_request()).text == "They look for companies in Norway."
    assert responder.decide(decision_request()).text == GOOD_DECISION


def test_text_is_streamed_to_a_listener():
    deltas: list[str] = []

    ScriptedResponder([GOOD_DECISION]).decide(decision_request(on_text=deltas.append))

    assert "".join(deltas) == GOOD_DECISION
    assert {len(delta) for delta in deltas[:-1]} == {16}


def test_an_unplanned_call_fails_loudly():
    responder = ScriptedResponder()

    with pytest.raises(AssertionError, match="No reply was planned for call 1, a DecisionRequest"):
        responder.decide(decision_request())


def test_playing_serves_every_thread_of_the_process_and_ends_with_the_block():
    heard: list[str] = []

    with playing() as outer:
        with playing([GOOD_DECISION] * 8) as inner:
            threads = [
                threading.Thread(target=lambda: heard.append(get_responder().decide(decision_request()).text))
                for _ in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

            assert get_responder() is inner

        assert get_responder() is outer

    assert heard == [GOOD_DECISION] * 8
    assert len(inner.requests) == 8


def test_playing_reports_an_unplanned_call_that_the_product_caught():
    with (
        pytest.raises(AssertionError, match="1 calls came that were not planned"),
        playing(),
        contextlib.suppress(AssertionError),
    ):
        get_responder().decide(decision_request())


def test_the_error_of_the_block_itself_is_not_hidden():
    with pytest.raises(KeyError, match="theirs"), playing():
        raise KeyError("theirs")


@pytest.fixture
def file_responder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedFileResponder:
    lines = [
        {"match": "Oslo", "reply": GOOD_DECISION},
        {"match": "slow", "reply": GOOD_DECISION, "delay_seconds": 3_600},
        {"match": "", "reply": {"outcome": "delegate", "capability": "signals-search", "input_json": "{}"}},
        {"match": "Norway", "reply": "They look in Norway.", "purpose": "summary"},
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    monkeypatch.setenv("SCRIPTED_REPLIES", str(path))
    return ScriptedFileResponder()


def test_a_file_answers_by_the_words_of_the_message_as_often_as_asked(file_responder: ScriptedFileResponder):
    assert [file_responder.decide(decision_request()).text for _ in range(2)] == [GOOD_DECISION] * 2
    assert json.loads(file_responder.decide(decision_request("Find companies")).text) == json.loads(DELEGATE_TEXT)
    assert file_responder.summarise(summary_request()).text == "They look in Norway."


def test_a_file_model_slower_than_the_timeout_times_out(file_responder: ScriptedFileResponder):
    with pytest.raises(ModelError) as caught:
        file_responder.decide(decision_request("slow", timeout_seconds=0.01))

    assert (caught.value.code, caught.value.reached_vendor) == ("timeout", True)


def test_scripted_vectors_are_of_unit_length_and_near_where_words_are_shared():
    embedder = ScriptedEmbedder()

    stage, stages, deal, empty = embedder.embed(["lifecycle stage", "Lifecycle stage of", "a deal", ""])

    np.testing.assert_allclose(np.linalg.norm([stage, stages, deal, empty], axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(embedder.embed(["lifecycle stage"])[0], stage)
    assert stage @ stages > 0.5 > stage @ deal
    assert embedder.embed([]).shape == (0, 256)
