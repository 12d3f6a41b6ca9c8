"""The openai embedder over real HTTP."""

import json

import numpy as np
import pytest
from pytest_django import Settings

from agencycore.ai.openai import OpenAIEmbedder
from agencycore.ai.openai.embedder import REQUEST_BYTES, REQUEST_TEXTS, TEXT_BYTES
from agencycore.ai.types import ModelError
from tests.agencycore.ai.fixtures import OPENAI_KEY
from tests.agencycore.ai.scenarios import SCENARIOS
from tests.agencycore.ai.scripted_server import VendorReply, VendorServer

TEXTS = ["Lifecycle stages", "Deals and their stages", "Who owns a company"]
ANY = VendorReply()


@pytest.fixture
def embedder(settings: Settings, vendor: VendorServer) -> OpenAIEmbedder:
    settings.OPENAI_API_KEY = OPENAI_KEY
    settings.OPENAI_BASE_URL = vendor.base_url
    settings.OPENAI_EMBEDDING_MODEL = "text-embedding-3-small"
    return OpenAIEmbedder()


def test_texts_become_unit_vectors_in_their_order(embedder: OpenAIEmbedder, vendor: VendorServer):
    vendor.play(ANY, ANY, ANY, ANY)

    together = embedder.embed(TEXTS)
    apart = np.concatenate([embedder.embed([text]) for text in TEXTS])

    assert together.shape == (3, 256)
    assert together.dtype.name == "float32"
    np.testing.assert_array_equal(together, apart)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, rtol=1e-6)
    assert vendor.requests[0].path == "/v1/embeddings"
    assert vendor.requests[0].body == {
        "model": "text-embedding-3-small",
        "input": TEXTS,
        "dimensions": 256,
        "encoding_format": "float",
    }


def test_the_name_tells_model_and_dimensions(embedder: OpenAIEmbedder):
    assert embedder.name == "openai:text-embedding-3-small:256"


def test_no_texts_need_no_call(embedder: OpenAIEmbedder, vendor: VendorServer):
    assert embedder.embed([]).shape == (0, 256)
    assert vendor.requests == []


def test_many_texts_go_in_requests_the_vendor_takes(embedder: OpenAIEmbedder, vendor: VendorServer):
    long_texts = ["x" * TEXT_BYTES] * (REQUEST_BYTES // TEXT_BYTES + 1)
    vendor.play(ANY, ANY, ANY)

    vectors = embedder.embed(["short"] * REQUEST_TEXTS + long_texts)

    assert vectors.shape == (REQUEST_TEXTS + len(long_texts), 256)
    assert [len(_input(vendor, number)) for number in range(3)] == [REQUEST_TEXTS, 25, 1]


def test_a_text_over_the_limit_is_cut_between_characters(embedder: OpenAIEmbedder, vendor: VendorServer):
    vendor.play(ANY)

    embedder.embed(["x" + "é" * TEXT_BYTES])

    assert _input(vendor, 0) == ["x" + "é" * ((TEXT_BYTES - 1) // 2)]


def test_an_empty_text_is_sent_as_something_the_vendor_takes(embedder: OpenAIEmbedder, vendor: VendorServer):
    vendor.play(ANY)

    assert embedder.embed(["", " \n", "a"]).shape == (3, 256)
    assert _input(vendor, 0) == ["-", "-", "a"]


@pytest.mark.parametrize(
    ("scenario", "code", "retryable"),
    [
        ("rate_limited", "rate_limited", True),
        ("server_error", "server_error", True),
        ("wrong_key", "misconfigured", False),
    ],
)
def test_a_failed_call_is_a_model_error(
    embedder: OpenAIEmbedder, vendor: VendorServer, scenario: str, code: str, retryable: bool
):
    vendor.play(SCENARIOS[scenario])

    with pytest.raises(ModelError) as caught:
        embedder.embed(TEXTS)

    assert (caught.value.code, caught.value.retryable) == (code, retryable)


@pytest.mark.parametrize(
    ("vectors", "code"),
    [
        ([[1.0] * 768] * 3, "misconfigured"),
        ([[0.0] * 256] * 3, "misconfigured"),
        ([[1.0] * 256] * 2, "server_error"),
        ([], "server_error"),
    ],
    ids=["other dimensions", "no direction", "one too few", "none"],
)
def test_vectors_that_cannot_be_used_are_refused(
    embedder: OpenAIEmbedder, vendor: VendorServer, vectors: list[list[float]], code: str
):
    rows = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(vectors)]
    vendor.play(VendorReply(raw_body=json.dumps({"object": "list", "data": rows, "model": "m"}).encode()))

    with pytest.raises(ModelError) as caught:
        embedder.embed(TEXTS)

    assert caught.value.code == code


def _input(vendor: VendorServer, number: int) -> list[str]:
    texts = vendor.requests[number].body["input"]
    assert isinstance(texts, list)
    return texts
