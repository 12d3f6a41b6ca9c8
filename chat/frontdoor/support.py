"""How much of a claim its cited passage carries: recorded for audit, never a reason to refuse.

The score is the share of the claim's weighty words that the passage holds (figures and names count
double), joined with the likeness of claim and passage in embedding space. It is an estimate: a good
paraphrase scores low on words, an invented figure low on both.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agencycore.ai.ports import Embedder
from agencycore.ai.types import ModelError

logger = logging.getLogger(__name__)

WORDS_SHARE = 0.6
NAMES_WEIGHT = 2.0
# Cosines of unrelated and of equal-in-meaning sentences, which become 0 and 1.
UNRELATED, SAME = 0.2, 0.85
WINDOW_CHARACTERS = 400
WINDOWS_AT_MOST = 60
STEM_LENGTH = 5

_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+", re.UNICODE)
_STOP_WORDS_TEXT = """
    a an the this that these those there here it its they them their he she his her him we us our you your i me my who
    whom which what when where why how is are was were be been being am do does did have has had having will would
    shall should can could may might must and or but nor so if then than as at by for from in into of off on onto out
    over to up with within without about also all any both each every few more most much many no not only other some
    such too very via per der die das den dem ein eine einen und oder ist sind war mit von zu auf für im in le la les
    un une des du et ou est sont dans sur pour par avec el los las y o es son en con por para del al
"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


@dataclass(frozen=True, slots=True)
class Claim:
    """One cited sentence and the texts it cites."""

    sentence: str
    passages: tuple[str, ...]


def content_words(text: str) -> set[str]:
    """The weighty words of ``text``, cut to a stem; figures whole."""
    return {_stem(word) for word in _WORD.findall(text) if word.lower() not in _STOP_WORDS}


def _stem(word: str) -> str:
    return word.replace(",", "") if word[0].isdigit() else word.lower()[:STEM_LENGTH]


def word_support(claim: Claim) -> float:
    """0 to 1: the weighted share of the claim's words that stand in its passages."""
    wanted = {_stem(w): _weight(w) for w in _WORD.findall(claim.sentence) if w.lower() not in _STOP_WORDS}
    if not wanted:
        return 1.0
    held = content_words(" ".join(claim.passages))
    return sum(weight for stem, weight in wanted.items() if stem in held) / sum(wanted.values())


def _weight(word: str) -> float:
    return NAMES_WEIGHT if word[0].isdigit() or word[0].isupper() else 1.0


def support_scores(claims: Sequence[Claim], embedder: Embedder) -> list[float]:
    """A score of 0 to 1 for each claim; from words alone where the embedder fails."""
    lexical = [word_support(claim) for claim in claims]
    try:
        likeness = _likeness(claims, embedder)
    except ModelError as error:
        logger.warning("Support was measured by words alone: %s", error.code)
        return [round(score, 3) for score in lexical]
    joined = zip(lexical, likeness, strict=True)
    return [round(WORDS_SHARE * words + (1 - WORDS_SHARE) * meaning, 3) for words, meaning in joined]


def _likeness(claims: Sequence[Claim], embedder: Embedder) -> list[float]:
    """The likeness of each claim and the nearest window of its passages; every text is embedded once, in one call."""
    windows = [_nearest_window(claim) for claim in claims]
    texts = list(dict.fromkeys([*(claim.sentence for claim in claims), *windows]))
    rows = {text: row for row, text in enumerate(texts)}
    vectors = embedder.embed(texts)
    cosines = [float(vectors[rows[c.sentence]] @ vectors[rows[w]]) for c, w in zip(claims, windows, strict=True)]
    return [min(1.0, max(0.0, (cosine - UNRELATED) / (SAME - UNRELATED))) for cosine in cosines]


def _nearest_window(claim: Claim) -> str:
    """The piece of the passages that shares most words with the claim: embedding them all costs more than it tells."""
    wanted = content_words(claim.sentence)
    step = WINDOW_CHARACTERS // 2
    windows = [
        passage[start : start + WINDOW_CHARACTERS]
        for passage in claim.passages
        for start in range(0, max(1, len(passage) - step), step)
    ]
    return max(windows[:WINDOWS_AT_MOST], key=lambda window: len(wanted & content_words(window)), default="")
