"""Answers from passages: the sentences that answer the question, as they stand, each passage cited."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
import numpy.typing as npt

from agencycore.ai.builtin.blocks import Unit, units_of
from agencycore.ai.builtin.embedder import BuiltinEmbedder
from agencycore.ai.builtin.language import content_stems, sentences, stem, stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import Found, cited, cited_sentences, full_stop, reports
from agencycore.ai.types import BriefItem

MAX_SENTENCES = 4
MAX_LIST_ITEMS = 8
MAX_CHARACTERS = 900
# A passage answers a question from this support on; see docs/engineering/builtin.md for the measurement.
COVERED = 0.36
COVERAGE_SHARE = 0.3
FEW_WORDS = 0.4
SAME_MEANING = 0.62
DEFINED = 0.8
FURTHER_PASSAGE = 0.8
AS_GOOD = 0.93
ALREADY_SAID = 0.6

# What a unit's likeness in meaning counts beside its words, and what each later passage and unit loses.
MEANING = 0.5
PASSAGE_STEP = 0.04
UNIT_STEP = 0.008
_CONTEXT_SHARE = 0.7
# Words that ask about anything; a passage need not repeat them.
_FILLER_WORDS = """
button page work works happen happens difference different differ type types kind kinds way ways example use used
allowed able possible available exist set good best main general actually often someone person come comes from
agencycore chat assistant data information
"""
FILLERS = frozenset(stems(_FILLER_WORDS))
FILLER_WEIGHT = 0.3
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
_DANGLING = re.compile(r"^\W*(?:\w+\W+){0,5}(?:it|they|them|this|these|those|its|their)\b", re.IGNORECASE)
_QUOTED_QUESTION = re.compile(r"[“\"][^“”\"]*\?[”\"]")
_FOLLOW_ON = re.compile(
    r"^(?:it|they|this|these|that|those|its|their|such|each|both|then|also|otherwise|however|for example|if|"
    r"in addition|in that case|until|once|after that)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d")
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

    def __init__(self, question: Question, items: Sequence[BriefItem]) -> None:
        self.question = question
        self.units = units_of(items)
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
        return score - PASSAGE_STEP * unit.passage - UNIT_STEP * unit.order

    def _shape_bonus(self, unit: Unit) -> float:
        text, question = unit.text, self.question
        bonus = -0.25 if len(text.split()) < 4 else 0.0
        bonus -= 0.4 if unit.role == "question" else 0.0
        bonus -= 0.5 if _ABOUT_ITSELF.match(text) else 0.0
        bonus += 0.15 if _NEGATION.search(text) and _NEGATION.search(question.lowered) else 0.0
        bonus += 0.25 if unit.role == "intro" and question.asks_list else 0.0
        bonus -= 0.2 if unit.number and question.shape != "how_to" else 0.0
        match question.shape:
            case "definition":
                return bonus + (0.45 if defines(text, question.terms) else 0.0)
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

    def _step_bonus(self, unit: Unit) -> float:
        """Numbered steps under a title that says what is asked, then sentences that tell what to do."""
        titled = set(stems(unit.context))
        if unit.number and all(term in titled for term in self.question.terms if term not in FILLERS):
            return 0.9
        return 0.1 if unit.number or unit.role == "intro" else 0.4 if _STEP.search(unit.text) else 0.0

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
    r"^\W*(?:(?:an?|the|each|every|in \w+,)\s+)?(.{2,60}?)\W*\s*(?:[:–—]| - |\b(?:is|are|means|mean|refers? to|"
    r"describes?|stands? for|says|tells|shows|names|consists? of)\b)",
    re.IGNORECASE,
)
MOST_WORDS = 0.6
_EMPTY_SUBJECTS = frozenset(stems("company record"))


def defines(text: str, terms: Sequence[str]) -> bool:
    """Whether ``text`` opens by saying what the terms are: “A lifecycle stage is …”, “Lifecycle stage: …”."""
    opening = _DEFINING.match(text)
    if opening is None:
        return False
    subject = set(content_stems(opening.group(1))) - _EMPTY_SUBJECTS
    asked = [term for term in terms if term not in FILLERS]
    return bool(subject) and subject <= set(asked) and len(subject) >= MOST_WORDS * len(asked)


def answer_from_passages(
    question: Question, items: Sequence[BriefItem], *, threshold: float = COVERED, brief: bool = False
) -> Found | None:
    """The sentences that answer best, or None where no passage covers the question."""
    reading = Reading(question, [item for item in items if item.key and item.text.strip()])
    if not reading.units or reading.best_support < threshold:
        return None
    groups = _groups(reading, brief=brief)
    return Found("\n\n".join(_told(group) for group in groups), min(1.0, reading.best_support))


def _groups(reading: Reading, *, brief: bool) -> list[list[Unit]]:
    """Runs of neighbouring units, the best first, then further passages in the order of the brief."""
    best = _best(reading)
    lead = [best.unit] if brief else _surroundings(reading, best)
    groups = [lead]
    said = {unit.passage for unit in lead}
    for found in () if brief else reading.ranked:
        if len(groups) > 2 or sum(len(u.text) for g in groups for u in g) > MAX_CHARACTERS * 0.7:
            break
        if found.score < best.score * FURTHER_PASSAGE:
            break
        if found.unit.passage in said or found.unit.role == "question" or _is_said(found.unit, groups):
            continue
        if not _adds(reading, found, groups, best):
            continue
        if reading.support(found.unit.passage) < reading.best_support * FURTHER_PASSAGE:
            continue
        belonging = _with_list(reading, found.unit)
        if belonging:
            groups.append(belonging)
        said.add(found.unit.passage)
    return [lead, *sorted(groups[1:], key=lambda group: group[0].passage)]


def _adds(reading: Reading, found: Scored, groups: Sequence[Sequence[Unit]], best: Scored) -> bool:
    """Whether a further passage has words of the question that are still open, or is as good as the best."""
    told = {stem for group in groups for unit in group for stem in (*stems(unit.text), *stems(unit.context))}
    still_open = [term for term in reading.question.terms if term not in told and term not in FILLERS]
    if any(term in stems(found.unit.text) for term in still_open):
        return True
    return reading.question.shape in ("open", "why", "yes_no") and found.score >= best.score * AS_GOOD


def _best(reading: Reading) -> Scored:
    """The best unit of a passage that covers the question about as well as any."""
    enough = reading.best_support * (0.7 if reading.question.shape == "amount" else 0.85)
    supports = {passage: reading.support(passage) for passage in {unit.passage for unit in reading.units}}
    return next(found for found in reading.ranked if supports[found.unit.passage] >= enough)


def _surroundings(reading: Reading, best: Scored) -> list[Unit]:
    """The best unit with what belongs to it: its list, its introduction, the sentences that go on from it."""
    passage = [unit for unit in reading.units if unit.passage == best.unit.passage]
    blocks = {block: list(units) for block, units in groupby(passage, key=lambda unit: unit.block)}
    unit = best.unit
    if unit.role == "question":
        return _following(blocks, unit, reading, skip_first=True)
    if unit.role == "item":
        return _list_around(blocks, unit, reading)
    found = _following(blocks, _opening(blocks[unit.block], unit), reading)
    later = [block for block in blocks if block > unit.block]
    if found[-1].role == "intro" and later and blocks[later[0]][0].role == "item":
        found += blocks[later[0]][:MAX_LIST_ITEMS]
    elif reading.question.shape == "how_to" and (steps := _steps_after(blocks, unit)):
        found += steps
    return found


def _with_list(reading: Reading, unit: Unit) -> list[Unit]:
    """The unit; a line that announces a list with the list, and nothing where the list is not there."""
    if unit.role != "intro":
        return [unit]
    passage = [other for other in reading.units if other.passage == unit.passage and other.order > unit.order]
    listed = [other for other in passage if other.role == "item" and other.block == passage[0].block]
    return [unit, *listed[:MAX_LIST_ITEMS]] if listed else []


def _opening(block: Sequence[Unit], unit: Unit) -> Unit:
    """The sentence before, where ``unit`` only makes sense after it ("They never see it")."""
    before = [other for other in block if other.order == unit.order - 1 and other.role == "sentence"]
    return before[0] if before and _DANGLING.match(unit.text) else unit


def _following(blocks: dict[int, list[Unit]], unit: Unit, reading: Reading, *, skip_first: bool = False) -> list[Unit]:
    """The sentences from ``unit`` on, as long as they go on about it."""
    flow = [other for block in sorted(blocks) for other in blocks[block] if other.order >= unit.order]
    flow = flow[1:] if skip_first and len(flow) > 1 else flow
    is_definition = reading.question.shape == "definition"
    floor = 0.0 if is_definition else 0.35 * max(found.score for found in reading.ranked)
    scores = {found.unit.order: found.score for found in reading.ranked if found.unit.passage == unit.passage}
    found = flow[:1]
    for other in flow[1:]:
        is_next = other.block == found[-1].block
        goes_on = is_next and (_FOLLOW_ON.match(other.text) or scores.get(other.order, 0.0) >= floor)
        if not goes_on or len(found) >= MAX_SENTENCES or other.role in ("item", "question"):
            break
        if sum(len(unit.text) for unit in found) + len(other.text) > MAX_CHARACTERS:
            break
        found.append(other)
    return found


def _list_around(blocks: dict[int, list[Unit]], unit: Unit, reading: Reading) -> list[Unit]:
    """The item alone, or its whole list where the question is about the list."""
    siblings = blocks[unit.block]
    before = [block for block in blocks if block < unit.block]
    intro = [blocks[before[-1]][-1]] if before and blocks[before[-1]][-1].role in ("intro", "question") else []
    intro = [line for line in intro if line.role == "intro"]
    scores = {found.unit.order: found.score for found in reading.ranked if found.unit.passage == unit.passage}
    ordered = sorted((scores[other.order] for other in siblings), reverse=True)
    stands_out = len(ordered) > 1 and ordered[0] - ordered[1] > 0.25
    wants_list = reading.question.shape in ("how_to",) or bool(unit.number and reading.question.asks_steps)
    if (stands_out and not wants_list) or len(siblings) == 1:
        return [unit]
    listed = siblings[:MAX_LIST_ITEMS] if unit in siblings[:MAX_LIST_ITEMS] else [unit]
    return [*intro, *listed]


def _steps_after(blocks: dict[int, list[Unit]], unit: Unit) -> list[Unit]:
    for block in sorted(block for block in blocks if block > unit.block):
        if blocks[block][0].role == "item" and blocks[block][0].heading == unit.heading:
            return blocks[block][:MAX_LIST_ITEMS]
    return []


def _is_said(unit: Unit, groups: Sequence[Sequence[Unit]]) -> bool:
    mine = set(words(unit.text))
    for other in (other for group in groups for other in group):
        theirs = set(words(other.text))
        if len(mine & theirs) >= ALREADY_SAID * min(len(mine), len(theirs)):
            return True
    return False


def _told(group: Sequence[Unit]) -> str:
    """The group as Markdown, its marker on the last sentence, or on the line before the list."""
    item = group[0].item
    prose = [full_stop(unit.text) for unit in group if unit.role != "item"]
    listed = [unit for unit in group if unit.role == "item"]
    if not listed:
        return cited_sentences(prose, [item])
    if len(listed) == 1 and not prose:
        return cited_sentences(sentences(full_stop(_as_sentence(listed[0]))), [item])
    lines = [f"{unit.number}. {_line(unit)}" if unit.number else f"- {_line(unit)}" for unit in listed]
    if prose:
        return "\n".join([cited_sentences(prose, [item]), *lines])
    return "\n".join([*lines[:-1], cited(lines[-1], [item])])


def _line(unit: Unit) -> str:
    return cited_sentences(sentences(unit.text), [unit.item]) if reports(unit.text) else unit.text


def _as_sentence(unit: Unit) -> str:
    return unit.text[:1].upper() + unit.text[1:]
