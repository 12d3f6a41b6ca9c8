"""The words that set things in an order: “which has the higher amount?”, “and the later close date?”."""

import re
from typing import Literal, TypeAlias

Measure: TypeAlias = Literal["most", "least", "newest", "oldest"]

_OF_ORDER: tuple[tuple[Measure, str], ...] = (
    ("newest", r"latest|newest|newer|later|(?:most|more) recent(?:ly)?"),
    ("oldest", r"earliest|earlier|oldest|older|longest|longer"),
    ("most", r"higher|highest|more|most|bigger|biggest|larger|largest|greater|greatest|better|best|stronger|strongest"),
    ("least", r"lower|lowest|fewer|fewest|less|least|smaller|smallest|weaker|weakest|cheaper|cheapest|worse|worst"),
)
# They count as well ("the last one"), so that they set an order only where a question asks which.
_COUNTING: dict[Measure, str] = {"newest": "last", "oldest": "first"}
MEASURES: tuple[tuple[Measure, str], ...] = tuple(
    (name, f"{words}|{_COUNTING[name]}" if name in _COUNTING else words) for name, words in _OF_ORDER
)
# Without one that counts.
ORDER_WORDS = "|".join(words for _, words in _OF_ORDER)

_GOES_ON = r"(?:(?:and|or|but|so|then|ok|okay|what about|how about)\b\W*)*"
_OTHER_MEASURE = re.compile(
    rf"\W*{_GOES_ON}(?:(?:who|which) )?(?:has |is )?the (?:{ORDER_WORDS})\b(?! of\b)", re.IGNORECASE
)


def names_other_measure(text: str) -> bool:
    """ "And the later close date?": asks what was asked before by another measure, with a field of its own."""
    return _OTHER_MEASURE.match(text) is not None
