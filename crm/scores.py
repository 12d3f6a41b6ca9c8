"""How a score follows from its evidence."""

from collections.abc import Iterable

from crm.models.records import SCORE_MAX, Evidence


def score_of(evidence: Iterable[Evidence]) -> int:
    """The sum of the weights, kept between 0 and 100."""
    return max(0, min(SCORE_MAX, sum(item.weight for item in evidence)))
