"""The built-in adapters keep what every adapter keeps."""

import numpy as np
import pytest

from agencycore.ai.builtin import BuiltinEmbedder, BuiltinResponder
from agencycore.ai.types import Usage
from tests.agencycore.ai.contract import EMBEDDER_CHECKS, RESPONDER_CHECKS, check_name
from tests.agencycore.ai.requests import decision_request


@pytest.mark.parametrize("check", RESPONDER_CHECKS, ids=check_name)
def test_the_responder_keeps_the_contract(check):
    check(BuiltinResponder)


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=check_name)
def test_the_embedder_keeps_the_contract(check):
    check(BuiltinEmbedder)


def test_nothing_is_paid_so_no_tokens_are_counted():
    assert BuiltinResponder().decide(decision_request()).usage == Usage()


def test_vectors_of_related_texts_are_nearer_than_those_of_others():
    vectors = BuiltinEmbedder().embed(["the owner of a company", "who owns this firm", "boil the eggs for ten minutes"])

    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_a_text_longer_than_a_batch_is_the_mean_of_all_its_words():
    words = ["alpha beta gamma delta "] * 20_000
    embedder = BuiltinEmbedder()

    long, short = embedder.embed(["".join(words), words[0]])

    assert long @ short == pytest.approx(1, abs=5e-3)


def test_vectors_are_those_of_the_wheel():
    wordllama = pytest.importorskip("wordllama")
    texts = ["What is lifecycle stage?", "Find fintech companies hiring a head of growth."]
    folder = wordllama.__path__[0]
    theirs = wordllama.WordLlama.load(cache_dir=folder, disable_download=True).embed(texts, norm=True)

    np.testing.assert_allclose(BuiltinEmbedder().embed(texts), theirs, atol=1e-6)
