"""The relevance floor: whether the passages found bear on the question at all.

A best passage always exists, also for "what is the weather in Oslo?". A logistic model over what search
knows about the whole result tells the two apart. Its coefficients belong to an embedder, whose cosines
they weigh; they are fitted by ``bench/relevance.py`` (see docs/engineering/knowledge.md).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer being among the passages found. All values are 0 to 1.

    ``coverage`` is the greatest share of the question's IDF mass that one passage covers, ``joint`` the
    greatest product of a passage's cosine and its coverage, ``unknown`` the share of the mass in words
    that stand in no passage at all.
    """

    best_cosine: float
    mean_cosine: float
    coverage: float
    joint: float
    unknown: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Log-odds of being on topic: ``bias`` plus the weighted evidence."""

    bias: float
    best_cosine: float
    mean_cosine: float
    coverage: float
    joint: float
    unknown: float

    def probability(self, evidence: Evidence) -> float:
        log_odds = (
            self.bias
            + self.best_cosine * evidence.best_cosine
            + self.mean_cosine * evidence.mean_cosine
            + self.coverage * evidence.coverage
            + self.joint * evidence.joint
            + self.unknown * evidence.unknown
        )
        return 1 / (1 + math.exp(-log_odds))


CALIBRATIONS: Mapping[str, Calibration] = {
    "wordllama-l2-256": Calibration(-5.0, 5.0, 0.0, 2.0, 5.0, -2.0),
}
THRESHOLD = 0.5
# By words alone, a passage has to cover more than half of what was asked.
WORDS_ALONE_COVERAGE = 0.55


def is_on_topic(evidence: Evidence, *, embedder: str, floor: float) -> bool:
    """``floor`` is the embedder's plain cosine floor, for one without a calibration."""
    calibration = CALIBRATIONS.get(embedder)
    if calibration is None:
        return evidence.best_cosine >= floor
    return calibration.probability(evidence) >= THRESHOLD


def is_on_topic_by_words(evidence: Evidence) -> bool:
    return evidence.coverage >= WORDS_ALONE_COVERAGE
