"""Passages read with one question in mind: which of them carries it, and which of their sentences answers best."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from agencycore.ai.builtin.blocks import Unit, units_of
from agencycore.ai.builtin.embedder import BuiltinEmbedder
from agencycore.ai.builtin.language import content_stems, stem, stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.types import BriefItem

# Of a passage's support; see docs/engineering/builtin.md for the measurements behind these.
COVERAGE_SHARE = 0.3
FEW_WORDS = 0.4
SAME_MEANING = 0.62
DEFINED = 0.8

# What a unit's likeness in meaning counts beside its words, and what each later passage and unit loses.
MEANING = 0.5
PASSAGE_STEP = 0.04
UNIT_STEP = 0.008
# For a sentence that says what the thing asked about is.
DEFINES = 0.45
# For a sentence that sets a limit, where one is asked for, and once more for its title.
LIMITS = 0.25
# For the opening of a section whose title is the question.
ANSWERS_TITLE = 0.4
# Where the title has a word more, it is about a part of what is asked.
NEARLY_ANSWERS_TITLE = 0.25
TITLE_STEP = " › "
# Under more titles a word is one of many, and no topic ("Importing › Columns › Owner").
TOPIC_TITLES = 2
_CONTEXT_SHARE = 0.7
# Words that ask about anything; a passage need not repeat them.
_FILLER_WORDS = """
button page work works happen happens difference different differ type types kind kinds way ways example use used
allowed able possible available exist set good best main general actually often someone person come comes from
agencycore chat assistant data information
"""
FILLERS = frozenset(stems(_FILLER_WORDS))
FILLER_WEIGHT = 0.3
# "What's new?" asks about nothing that a passage could be about.
_NO_TOPIC = frozenset(stems("new news latest recent"))
_COUNTS = frozenset(stems("two three four five six seven eight nine ten following several"))
_STEP = re.compile(
    r"(?:^|[,;:] )(?:then )?(?:choose|open|click|select|go to|press|pick|enter|type|drag|drop|send|write|add|ask|"
    r"upload|turn|switch|use|copy|run|set|sign|log|call)\b|\byou can\b",
    re.IGNORECASE,
)
# "This page says which …" tells where an answer stands, and none.
_ABOUT_ITSELF = re.compile(
    r"this (?:page|section|document|chapter|article|guide) (?:\w+ ){0,2}"
    r"(?:say|describe|explain|list|tell|cover|show)s?\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never|cannot|no)\b|n['’]t\b", re.IGNORECASE)
_QUOTED_QUESTION = re.compile(r"[“\"][^“”\"]*\?[”\"]")
_DIGITS = re.compile(r"\d")
_LIMITS = frozenset(stems("limit limits limited maximum minimum most quota cap"))
_SETS_LIMIT = re.compile(
    r"\b(?:limits?|quota|cap) (?:of|on|to|for|is|are)\b|\blimited to\b|\bat most\b|\bup to\b|\b(?:no|not) more than\b|"
    r"\bmaximum\b|\bat least\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:\d{4}|january|february|march|april|may|june|july|august|september|october|november|december|daily|weekly|"
    r"monthly|yearly|days?|weeks?|months?|years?|hours?|minutes?|when|after|once)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|reason|due to|therefore|means that|in order|as a result|if|when)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Scored:
    unit: Unit
    score: float


class Reading:
    """The passages of one brief, read with one question in mind."""

    def __init__(self, question: Question, items: Sequence[BriefItem], *, told: str = "") -> None:
        self.question = question
        said = f" {' '.join(words(told))} "
        self.units = [unit for unit in units_of(items) if f" {' '.join(words(unit.text))} " not in said]
        self._items = tuple(items)
        self._embedder = BuiltinEmbedder()

    @cached_property
    def best_support(self) -> float:
        """0 to 1: how much of the question the best passage carries."""
        return max((self.support(passage) for passage in {unit.passage for unit in self.units}), default=0.0)

    def support(self, passage: int) -> float:
        """How near the passage is to the question in meaning, and how many of its words it has, rare ones first."""
        rows = [row for row, unit in enumerate(self.units) if unit.passage == passage]
        held = {stem for row in rows for stem in self._unit_stems[row] | self._context_stems[row]}
        total = sum(self._weights.values()) or 1.0
        covered = sum(weight for term, weight in self._weights.items() if term in held) / total
        if self.question.terms and set(self.question.terms) <= _NO_TOPIC:
            return 0.0
        if any(stem(name.lower()) not in held for name in self.question.names):
            covered *= 0.5
        if len(self.question.terms) < 2 and not self._is_headed(rows):
            covered *= 0.5
        meaning = max(0.0, float(self._passage_likeness[passage]))
        support = COVERAGE_SHARE * covered + (1 - COVERAGE_SHARE) * meaning
        asks_for_it = self.question.shape in ("definition", "where", "open")
        if asks_for_it and any(defines(self.units[row].text, self.question.terms) for row in rows):
            return max(support, DEFINED)
        # A passage that lacks the question's rare words is about something near it.
        return support if covered >= FEW_WORDS or meaning >= SAME_MEANING else support * 0.7

    def _is_headed(self, rows: Sequence[int]) -> bool:
        """Whether a title over the rows, or a definition in them, has the question's only term."""
        terms = self.question.terms
        named = any(term in self._context_stems[row] for row in rows for term in terms)
        if self.question.shape == "amount" and any(
            self._unit_stems[row] & set(terms) and _DIGITS.search(self.units[row].text) for row in rows
        ):
            return True
        return named or any(defines(self.units[row].text, terms) for row in rows)

    @cached_property
    def ranked(self) -> list[Scored]:
        scored = [Scored(unit, self._score(row)) for row, unit in enumerate(self.units)]
        return sorted(scored, key=lambda found: (-found.score, found.unit.passage, found.unit.order))

    def _score(self, row: int) -> float:
        unit = self.units[row]
        total = sum(self._weights.values()) or 1.0
        own, context = self._unit_stems[row], self._context_stems[row]
        lexical = sum(
            weight * (1.0 if term in own else _CONTEXT_SHARE if term in context else 0.0)
            for term, weight in self._weights.items()
        )
        score = lexical / total + MEANING * max(0.0, float(self._likeness[row])) + self._shape_bonus(unit)
        score += self._title_rows.get(row, 0.0) if self.question.shape != "how_to" else 0.0
        return score - PASSAGE_STEP * unit.passage - UNIT_STEP * unit.order

    def _shape_bonus(self, unit: Unit) -> float:
        text, question = unit.text, self.question
        bonus = -0.25 if len(text.split()) < 4 else 0.0
        bonus -= 0.4 if unit.role == "question" else 0.0
        bonus -= 0.5 if _ABOUT_ITSELF.match(text) else 0.0
        bonus += 0.15 if _NEGATION.search(text) and _NEGATION.search(question.lowered) else 0.0
        bonus += self._list_bonus(unit) if unit.role == "intro" and question.asks_list else 0.0
        bonus -= 0.2 if unit.number and question.shape != "how_to" else 0.0
        match question.shape:
            case "definition":
                return bonus + DEFINES * definition_grade(text, question.terms)
            case _ if question.asks_limit:
                return bonus + self._limit_bonus(unit)
            case "amount":
                return bonus + (0.4 if _DIGITS.search(text) else 0.0)
            case "when":
                return bonus + (0.12 if _DATE.search(text) else 0.0)
            case "why":
                return bonus + (0.1 if _REASON.search(text) else 0.0)
            case "how_to":
                return bonus + self._step_bonus(unit)
            case _:
                return bonus

    def _limit_bonus(self, unit: Unit) -> float:
        """A sentence that sets a limit to what is asked about, first of all under a title that is about limits."""
        telling = set(self.question.terms) - _LIMITS - FILLERS
        if not telling & set(stems(unit.text)):
            return 0.0
        return LIMITS * (bool(_SETS_LIMIT.search(unit.text)) + bool(_LIMITS & set(stems(unit.context))))

    def _list_bonus(self, unit: Unit) -> float:
        """“There are six stages” opens the list asked for, “A stage changes in four ways” one of something else."""
        told = set(content_stems(unit.text))
        is_counted = bool(told & _COUNTS) and told <= {*self.question.terms, *FILLERS, *_COUNTS}
        return 0.4 if is_counted else 0.25

    def _step_bonus(self, unit: Unit) -> float:
        """Numbered steps under a title that says what is asked, then sentences that tell what to do."""
        titled = set(stems(unit.context))
        if unit.number and all(term in titled for term in self.question.terms if term not in FILLERS):
            return 0.9
        return 0.1 if unit.number or unit.role == "intro" else 0.4 if _STEP.search(unit.text) else 0.0

    def answers_title(self, unit: Unit) -> bool:
        """Whether the unit opens a section whose title is the question."""
        return any(self.units[row] == unit for row in self._title_rows)

    @cached_property
    def _title_rows(self) -> dict[int, float]:
        """What the first unit under a title gains where that is the question: a section begins with its answer."""
        asked = {term for term in self.question.terms if term not in FILLERS}
        first: dict[tuple[int, str], int] = {}
        for row, unit in enumerate(self.units):
            first.setdefault((unit.passage, unit.heading), row)
        if len(asked) < 2 and self.question.shape != "definition":
            return {}
        gains = {row: self._title_gain(asked, self.units[row]) for row in first.values()}
        return {row: gain for row, gain in gains.items() if gain}

    @staticmethod
    def _title_gain(asked: set[str], unit: Unit) -> float:
        titles = unit.item.position.split(TITLE_STEP)
        title = set(content_stems(unit.heading or titles[-1])) - FILLERS
        if len(asked) < 2:
            return ANSWERS_TITLE if title == asked and len(titles) <= TOPIC_TITLES else 0.0
        if unit.role == "item" or not asked <= title or len(title) > len(asked) + 1:
            return 0.0
        return ANSWERS_TITLE if title == asked else NEARLY_ANSWERS_TITLE

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The question's terms by how rare they are in these passages; one that stands nowhere weighs most."""
        frequency = Counter(term for found in self._unit_stems for term in found)
        count = len(self.units)
        return {
            term: (math.log(1 + (count - seen + 0.5) / (seen + 0.5)) + 0.3) * (FILLER_WEIGHT if term in FILLERS else 1)
            for term in self.question.terms
            for seen in [max(1, frequency[term])]
        }

    @cached_property
    def _unit_stems(self) -> list[frozenset[str]]:
        return [frozenset(stems(_QUOTED_QUESTION.sub(" ", unit.text))) for unit in self.units]

    @cached_property
    def _context_stems(self) -> list[frozenset[str]]:
        known: dict[str, frozenset[str]] = {}
        for unit in self.units:
            known.setdefault(unit.context, frozenset(stems(unit.context)))
        return [known[unit.context] for unit in self.units]

    @cached_property
    def _passage_likeness(self) -> npt.NDArray[np.float32]:
        """Of whole passages, by the number of the passage."""
        texts = [f"{item.label} {item.position} {item.text}" for item in self._items]
        vectors = self._embedder.embed([self.question.text, *texts])
        likeness: npt.NDArray[np.float32] = vectors[1:] @ vectors[0]
        return likeness

    @cached_property
    def _likeness(self) -> npt.NDArray[np.float32]:
        # A passage that quotes the question ("ask, for example, “…?”") does not answer it.
        said = [_QUOTED_QUESTION.sub(" ", unit.text) for unit in self.units]
        texts = [f"{unit.heading or unit.item.position} {text}" for unit, text in zip(self.units, said, strict=True)]
        vectors = self._embedder.embed([self.question.text, *texts])
        likeness: npt.NDArray[np.float32] = vectors[1:] @ vectors[0]
        return likeness


_DEFINING = re.compile(
    r"^\W*(?!(?:when|if|where|while|once|after|before|because|as|until|unless|since|though|to|for)\b)"
    r"(?:(?:an?|the|each|every|in \w+,)\s+)?(.{2,60}?)\W*\s*(?:[:–—]| - |\b(?:(?:is|are)(?!\s+(?:\w+ed|found|"
    r"made|kept|shown|read|set|sent|taken|given|written|held|built|chosen|known|seen|done)\b)|means|mean|refers? to|"
    r"describes?|stands? for|says|tells|shows|names|consists? of)\b)",
    re.IGNORECASE,
)
# “A deal is a sale …”, “Deal: a sale …”: what kind of thing it is, and not what it does or how it is.
_KIND_OF_THING = re.compile(
    r"^.{2,90}?(?:\W*[:–—]\s| - |\b(?:means|refers? to|stands? for|"
    r"(?:says|tells|describes) (?:how|what|where|whether))\b|"
    r"\b(?:is|are) (?:an?|the|one|some\w+|any\w*|every\w+|all|how|what|where|who|whatever|whoever|part|your|our)\b)",
    re.IGNORECASE,
)
HALF_DEFINED = 0.5
MOST_WORDS = 0.6
_EMPTY_SUBJECTS = frozenset(stems("company record crm"))


def defines(text: str, terms: Sequence[str]) -> bool:
    """Whether ``text`` opens by saying what the terms are: “A lifecycle stage is …”, “Lifecycle stage: …”."""
    opening = _DEFINING.match(text)
    if opening is None:
        return False
    asked = [term for term in terms if term not in FILLERS]
    subject = set(content_stems(opening.group(1))) - (_EMPTY_SUBJECTS - set(asked))
    return bool(subject) and subject <= set(asked) and len(subject) >= MOST_WORDS * len(asked)


def definition_grade(text: str, terms: Sequence[str]) -> float:
    """1 where ``text`` says what kind of thing the terms are, less where it opens with them and tells another thing."""
    if not defines(text, terms):
        return 0.0
    return 1.0 if _KIND_OF_THING.match(text) else HALF_DEFINED
