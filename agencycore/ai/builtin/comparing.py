"""“What is the difference between X and Y?”: the sentence about each, where the passages hold both."""

import re
from collections.abc import Sequence
from itertools import product

from agencycore.ai.asked import compared_sides
from agencycore.ai.builtin.blocks import Unit, units_of
from agencycore.ai.builtin.language import content_stems, stems
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.reading import TITLE_STEP, TOPIC_TITLES, defines, definition_grade
from agencycore.ai.builtin.replies import Found, cited, full_stop
from agencycore.ai.types import BriefItem

_ARTICLE = re.compile(r"^(?:an?|the|each|every)\s+", re.IGNORECASE)


def answer_comparison(question: Question, items: Sequence[BriefItem]) -> Found | None:
    """A sentence or list item about each side, both out of one passage where one holds them."""
    sides = [content_stems(side) for side in compared_sides(question.text)]
    units = [unit for unit in units_of([item for item in items if item.key]) if unit.role in ("sentence", "item")]
    if len(sides) != 2 or not all(sides):
        return None
    passages = dict.fromkeys(unit.passage for unit in units)
    pools = [*([unit for unit in units if unit.passage == passage] for passage in passages), units]
    for find, pool in product((_defining, _opening, _either), pools):
        one, two = (next(iter(find(side, pool)), None) for side in sides)
        if one is not None and two is not None and one is not two:
            return Found(" ".join(cited(full_stop(unit.text), [unit.item]) for unit in (one, two)), 1.0)
    return None


def _defining(side: Sequence[str], units: Sequence[Unit]) -> list[Unit]:
    """Those that say what it is, before those that only begin with it."""
    defining = [unit for unit in units if _is_of_topic(unit) and _has_subject(unit, side) and defines(unit.text, side)]
    return sorted(defining, key=lambda unit: -definition_grade(unit.text, side))


def _is_of_topic(unit: Unit) -> bool:
    """Under many titles a word is one of a list, and says no more than what stands in its place there."""
    return len(unit.item.position.split(TITLE_STEP)) <= TOPIC_TITLES


def _opening(side: Sequence[str], units: Sequence[Unit]) -> list[Unit]:
    """The sentences that have it for their subject."""
    return [unit for unit in units if unit.role == "sentence" and _has_subject(unit, side)]


def _either(side: Sequence[str], units: Sequence[Unit]) -> list[Unit]:
    return [*_defining(side, units), *_opening(side, units)]


def _has_subject(unit: Unit, side: Sequence[str]) -> bool:
    return stems(_ARTICLE.sub("", unit.text))[: len(side)] == list(side)
