"""“What is the difference between X and Y?”: the sentence about each, where the passages hold both."""

import re
from collections.abc import Sequence

from agencycore.ai.builtin.blocks import Unit, units_of
from agencycore.ai.builtin.language import content_stems, stems
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.reading import defines
from agencycore.ai.builtin.replies import Found, cited, full_stop
from agencycore.ai.types import BriefItem

_COMPARED = re.compile(
    r"\bdifferences? between (?P<one>.+?) and (?P<two>.+)|\bcompare (?P<one2>.+?) (?:and|with|to) (?P<two2>.+)|"
    r"^(?:what is |what's )?(?P<one3>.+?) (?:vs\.?|versus) (?P<two3>.+)|"
    r"\bhow (?:is|are|does|do) (?P<one4>.+?) (?:different|differ) from (?P<two4>.+)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|each|every)\s+", re.IGNORECASE)


def sides_of(question: Question) -> tuple[str, ...]:
    """What is compared with what, in the person's words without articles; () where nothing is."""
    match = _COMPARED.search(" ".join(question.text.split()))
    sides = [side for side in match.groups() if side is not None] if match else []
    return tuple(_ARTICLE.sub("", side).strip(" ?!.") for side in sides)


def answer_comparison(question: Question, items: Sequence[BriefItem]) -> Found | None:
    sides = sides_of(Question(question.lowered))
    if not sides:
        return None
    one, two = map(content_stems, sides)
    units = [unit for unit in units_of([item for item in items if item.key]) if unit.role == "sentence"]
    told = [_sentence_about(side, units) for side in (one, two) if side]
    found = [unit for unit in told if unit is not None]
    if len(found) < 2 or found[0] is found[1]:
        return None
    return Found(" ".join(cited(full_stop(unit.text), [unit.item]) for unit in found), 1.0)


def _sentence_about(side: Sequence[str], units: Sequence[Unit]) -> Unit | None:
    """The first sentence that says what it is; else the first that has it for its subject."""
    opening = [unit for unit in units if stems(_ARTICLE.sub("", unit.text))[: len(side)] == list(side)]
    return next((unit for unit in opening if defines(unit.text, side)), opening[0] if opening else None)
