"""The relevance floor: whether the passages found bear on the question at all.

A best passage always exists, also for "what is the weather in Oslo?". A logistic model over what search
knows about the whole result tells the two apart. Its coefficients belong to an embedder, whose cosines
they weigh; ``bench/relevance.py`` fits them (see docs/engineering/knowledge.md).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer being among the passages found.

    ``joint`` is the greatest product of a passage's cosine and the share of the question's IDF mass it
    covers, ``coverage`` the greatest such share, ``unknown`` the share of the mass in words that stand in
    no passage at all, ``chunks`` how many passages were in scope: among more, chance finds better ones.
    """

    best_cosine: float
    joint: float
    coverage: float
    unknown: float
    chunks: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """Log-odds of being on topic: ``bias`` plus the weighted evidence."""

    bias: float
    best_cosine: float
    joint: float
    unknown: float
    log10_chunks: float

    def probability(self, evidence: Evidence) -> float:
        log_odds = (
            self.bias
            + self.best_cosine * evidence.best_cosine
            + self.joint * evidence.joint
            + self.unknown * evidence.unknown
            + self.log10_chunks * math.log10(max(evidence.chunks, 1))
        )
        return 1 / (1 + math.exp(-log_odds))


CALIBRATIONS: Mapping[str, Calibration] = {
    "wordllama-l2-256": Calibration(bias=-2.88, best_cosine=13.09, joint=10.98, unknown=-1.57, log10_chunks=-1.51),
}
THRESHOLD = 0.5
# By words alone, one passage has to cover more than half of what was asked.
WORDS_ALONE_COVERAGE = 0.55


def is_on_topic(evidence: Evidence, *, embedder: str, floor: float) -> bool:
    """``floor`` is the embedder's plain cosine floor, for one that is not calibrated."""
    calibration = CALIBRATIONS.get(embedder)
    if calibration is None:
        return evidence.best_cosine >= floor
    return calibration.probability(evidence) >= THRESHOLD


def is_on_topic_by_words(evidence: Evidence) -> bool:
    return evidence.coverage >= WORDS_ALONE_COVERAGE
