"""How much of a claim its passage carries: an estimate that tells good support from none."""

import numpy as np
import pytest

from agencycore.ai.builtin import BuiltinEmbedder
from agencycore.ai.types import ModelError
from chat.frontdoor.support import Claim, support_scores, word_support

RECORD = "Lumen Works (company)\nOwner: Mia Berg\nLifecycle stage: Customer (2026-03-03)\nOpen deals: 2"
STAGES = "A lifecycle stage says how far a company is on its way to being a customer. Stages are Lead and Customer."


class FailingEmbedder:
    name, dense_weight, relevance_floor = "failing", 0.5, 0.5

    def embed(self, texts):
        raise ModelError("timeout", "It is slow.", retryable=True, reached_vendor=True)


class BlindEmbedder(FailingEmbedder):
    def embed(self, texts):
        return np.zeros((len(texts), 256), dtype=np.float32)


def score(sentence, *passages):
    (found,) = support_scores([Claim(sentence, passages)], BuiltinEmbedder())
    return found


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The owner of Lumen Works is Mia Berg.", RECORD),
        ("Lumen Works is a Customer with 2 open deals.", RECORD),
        ("A lifecycle stage tells how far a company is.", STAGES),
    ],
)
def test_what_the_passage_says_is_well_supported(sentence, passage):
    assert score(sentence, passage) > 0.6


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The trial lasts 30 days.", RECORD),
        ("Harbor Labs was sold to Northwind in 2019.", RECORD),
        ("Refunds are paid within two weeks.", STAGES),
    ],
)
def test_what_the_passage_does_not_say_is_badly_supported(sentence, passage):
    assert score(sentence, passage) < 0.35


def test_a_wrong_figure_or_name_counts_double():
    assert word_support(Claim("Open deals: 7", (RECORD,))) == pytest.approx(3 / 5)
    assert word_support(Claim("Open deals: 2", (RECORD,))) == 1.0


def test_a_sentence_may_rest_on_several_passages():
    sentence = "Lumen Works is a Customer: how far a company is on its way."

    assert score(sentence, RECORD, STAGES) > score(sentence, RECORD)


def test_words_alone_decide_where_the_embedder_fails():
    claim = Claim("The owner is Mia Berg.", (RECORD,))

    assert support_scores([claim], FailingEmbedder()) == [1.0]
    assert support_scores([claim], BlindEmbedder()) == [0.6]
    assert support_scores([], FailingEmbedder()) == []


def test_scores_stay_between_nothing_and_all():
    claims = [Claim("", ()), Claim("Mia", ("",)), Claim("of the and", (RECORD,)), Claim("x" * 9_000, ("y" * 90_000,))]

    assert all(0.0 <= found <= 1.0 for found in support_scores(claims, BuiltinEmbedder()))
