"""What every adapter of the two model ports keeps, whoever made it.

An adapter's test takes the checks as parameters::

    @pytest.mark.parametrize("check", RESPONDER_CHECKS, ids=check_name)
    def test_the_adapter_keeps_the_contract(check):
        check(make_responder)

``make_responder`` returns a fresh responder that is ready for ``DECISIONS`` decisions,
``SUMMARIES`` summaries and ``REPORTS`` reports, each of them good; ``make_embedder`` a fresh embedder.
"""

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np

from agencycore.ai.ports import EMBEDDING_DIMENSIONS, Embedder, Responder
from agencycore.ai.types import ModelReply
from agencycore.ai.wire import parse_decision
from tests.agencycore.ai.requests import decision_request, report_request, summary_request

MakeResponder: TypeAlias = Callable[[], Responder]
MakeEmbedder: TypeAlias = Callable[[], Embedder]

DECISIONS = 8
SUMMARIES = 2
REPORTS = 2
TEXTS = ["What is lifecycle stage?", "A lifecycle stage says how far a company has come.", "", "Zürich – 世界 🙂"]


def check_name(check: Callable[..., None]) -> str:
    return check.__name__


def responder_says_who_it_is(make: MakeResponder) -> None:
    responder = make()

    assert responder.name
    assert isinstance(responder.model, str)
    assert isinstance(responder.is_language_model, bool)


def decision_is_one_outcome_in_the_wire_form(make: MakeResponder) -> None:
    responder = make()

    reply = responder.decide(decision_request())

    assert isinstance(reply, ModelReply)
    assert reply.finish == "complete"
    assert parse_decision(reply.text).outcome in ("answer", "clarify", "delegate", "control_run")
    assert (reply.provider, bool(reply.model)) == (responder.name, bool(responder.model))


def decision_reports_its_usage(make: MakeResponder) -> None:
    usage = make().decide(decision_request()).usage

    assert 0 <= usage.cached_input <= usage.input
    assert usage.output >= 0


def text_that_arrives_is_the_reply(make: MakeResponder) -> None:
    arrived: list[str] = []

    reply = make().decide(decision_request(on_text=arrived.append))

    assert "".join(arrived) == reply.text


def summary_is_prose_within_its_tokens(make: MakeResponder) -> None:
    request = summary_request()

    reply = make().summarise(request)

    assert reply.finish == "complete"
    assert reply.text.strip()
    assert len(reply.text.encode()) <= request.max_tokens * 4


def report_is_prose_of_its_sources(make: MakeResponder) -> None:
    request = report_request()

    reply = make().report(request)

    assert reply.finish == "complete"
    assert "Fjordline" in reply.text
    assert set(re.findall(r"\[(r\d+)\]", reply.text)) <= {source.key for source in request.sources}
    assert 0 <= reply.usage.cached_input <= reply.usage.input


def responder_serves_threads_at_once(make: MakeResponder) -> None:
    responder = make()
    together = threading.Barrier(DECISIONS)

    def decide() -> str:
        together.wait()
        return parse_decision(responder.decide(decision_request()).text).outcome

    with ThreadPoolExecutor(DECISIONS) as pool:
        outcomes = [future.result() for future in [pool.submit(decide) for _ in range(DECISIONS)]]

    assert len(outcomes) == DECISIONS
    assert len(set(outcomes)) == 1


RESPONDER_CHECKS = (
    responder_says_who_it_is,
    decision_is_one_outcome_in_the_wire_form,
    decision_reports_its_usage,
    text_that_arrives_is_the_reply,
    summary_is_prose_within_its_tokens,
    report_is_prose_of_its_sources,
    responder_serves_threads_at_once,
)


def embedder_says_who_it_is(make: MakeEmbedder) -> None:
    embedder = make()

    assert embedder.name
    assert 0 <= embedder.dense_weight <= 1
    assert -1 <= embedder.relevance_floor <= 1


def vectors_are_unit_length_one_row_per_text(make: MakeEmbedder) -> None:
    vectors = make().embed(TEXTS)

    assert vectors.shape == (len(TEXTS), EMBEDDING_DIMENSIONS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def no_text_gives_no_row(make: MakeEmbedder) -> None:
    vectors = make().embed([])

    assert vectors.shape == (0, EMBEDDING_DIMENSIONS)
    assert vectors.dtype == np.float32


def a_text_has_one_vector_in_any_company(make: MakeEmbedder) -> None:
    embedder = make()

    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])

    np.testing.assert_allclose(together, backwards[::-1], atol=1e-5)
    np.testing.assert_allclose(together[0], embedder.embed(TEXTS[:1])[0], atol=1e-5)


def embedder_serves_threads_at_once(make: MakeEmbedder) -> None:
    embedder = make()
    expected = embedder.embed(TEXTS)

    with ThreadPoolExecutor(4) as pool:
        found = [future.result() for future in [pool.submit(embedder.embed, TEXTS) for _ in range(4)]]

    for vectors in found:
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


EMBEDDER_CHECKS = (
    embedder_says_who_it_is,
    vectors_are_unit_length_one_row_per_text,
    no_text_gives_no_row,
    a_text_has_one_vector_in_any_company,
    embedder_serves_threads_at_once,
)
