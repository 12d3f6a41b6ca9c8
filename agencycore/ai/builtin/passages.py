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
from agencycore.ai.builtin.language import content_stems, stem, stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.replies import Found, cited, full_stop
from agencycore.ai.types import BriefItem

MAX_SENTENCES = 4
MAX_LIST_ITEMS = 8
MAX_CHARACTERS = 900
# A passage answers a question from this support on; see docs/engineering/builtin.md for the measurement.
COVERED = 0.5
FURTHER_PASSAGE = 0.8
ALREADY_SAID = 0.6

_CONTEXT_SHARE = 0.7
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
        self._embedder = BuiltinEmbedder()

    @cached_property
    def best_support(self) -> float:
        """0 to 1: how much of the question the best passage carries."""
        return max((self.support(passage) for passage in {unit.passage for unit in self.units}), default=0.0)

    def support(self, passage: int) -> float:
        """Of the question's words, weighted by how rare they are here, the share in the passage; with its meaning."""
        rows = [row for row, unit in enumerate(self.units) if unit.passage == passage]
        held = {stem for row in rows for stem in self._unit_stems[row] | self._context_stems[row]}
        covered = sum(weight for term, weight in self._weights.items() if term in held)
        total = sum(self._weights.values()) or 1.0
        if any(stem(name.lower()) not in held for name in self.question.names):
            covered *= 0.5
        if len(self.question.terms) < 2 and not self._is_headed(rows):
            covered *= 0.5
        meaning = max(float(self._likeness[row]) for row in rows)
        return 0.6 * covered / total + 0.4 * min(1.0, max(0.0, meaning) / 0.75)

    def _is_headed(self, rows: Sequence[int]) -> bool:
        """Whether a title over the rows, or a definition in them, has the question's only term."""
        terms = self.question.terms
        named = any(term in self._context_stems[row] for row in rows for term in terms)
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
        score = lexical / total + 0.5 * max(0.0, float(self._likeness[row])) + self._shape_bonus(unit)
        return score - 0.04 * unit.passage - 0.008 * unit.order

    def _shape_bonus(self, unit: Unit) -> float:
        text, question = unit.text, self.question
        bonus = -0.25 if len(text.split()) < 4 else 0.0
        bonus -= 0.4 if unit.role == "question" else 0.0
        match question.shape:
            case "definition":
                return bonus + (0.45 if defines(text, question.terms) else 0.0)
            case "amount":
                return bonus + (0.15 if _DIGITS.search(text) else 0.0)
            case "when":
                return bonus + (0.12 if _DATE.search(text) else 0.0)
            case "why":
                return bonus + (0.1 if _REASON.search(text) else 0.0)
            case "how_to":
                return bonus + (0.1 if unit.number or unit.role == "intro" else 0.0)
            case _:
                return bonus

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The question's terms by how rare they are in these passages; one that stands nowhere weighs most."""
        frequency = Counter(term for found in self._unit_stems for term in found)
        count = len(self.units)
        return {
            term: math.log(1 + (count - frequency[term] + 0.5) / (frequency[term] + 0.5)) + 0.3
            for term in self.question.terms
        }

    @cached_property
    def _unit_stems(self) -> list[frozenset[str]]:
        return [frozenset(stems(unit.text)) for unit in self.units]

    @cached_property
    def _context_stems(self) -> list[frozenset[str]]:
        known: dict[str, frozenset[str]] = {}
        for unit in self.units:
            known.setdefault(unit.context, frozenset(stems(unit.context)))
        return [known[unit.context] for unit in self.units]

    @cached_property
    def _likeness(self) -> npt.NDArray[np.float32]:
        texts = [f"{unit.heading or unit.item.position} {unit.text}" for unit in self.units]
        vectors = self._embedder.embed([self.question.text, *texts])
        likeness: npt.NDArray[np.float32] = vectors[1:] @ vectors[0]
        return likeness


_DEFINING = re.compile(
    r"^\W*(?:(?:an?|the|each|every|in \w+,)\s+)?(.{2,60}?)\W*\s*(?:[:–—]| - |\b(?:is|are|means|mean|refers? to|"
    r"describes?|stands? for|says|tells|shows|names|consists? of)\b)",
    re.IGNORECASE,
)
_EMPTY_SUBJECTS = frozenset(stems("company record"))


def defines(text: str, terms: Sequence[str]) -> bool:
    """Whether ``text`` opens by saying what the terms are: “A lifecycle stage is …”, “Lifecycle stage: …”."""
    opening = _DEFINING.match(text)
    if opening is None:
        return False
    subject = set(content_stems(opening.group(1))) - _EMPTY_SUBJECTS
    return bool(subject) and subject <= set(terms)


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
        if reading.support(found.unit.passage) < reading.best_support * FURTHER_PASSAGE:
            continue
        if reading.question.shape == "definition" and not defines(found.unit.text, reading.question.terms):
            continue
        groups.append([found.unit])
        said.add(found.unit.passage)
    return [lead, *sorted(groups[1:], key=lambda group: group[0].passage)]


def _best(reading: Reading) -> Scored:
    """The best unit of a passage that covers the question about as well as any."""
    enough = reading.best_support * 0.85
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
    found = _following(blocks, unit, reading)
    later = [block for block in blocks if block > unit.block]
    if found[-1].role == "intro" and later and blocks[later[0]][0].role == "item":
        found += blocks[later[0]][:MAX_LIST_ITEMS]
    elif reading.question.shape == "how_to" and (steps := _steps_after(blocks, unit)):
        found += steps
    return found


def _following(blocks: dict[int, list[Unit]], unit: Unit, reading: Reading, *, skip_first: bool = False) -> list[Unit]:
    """The sentences from ``unit`` on, as long as they go on about it."""
    flow = [other for block in sorted(blocks) for other in blocks[block] if other.order >= unit.order]
    flow = flow[1:] if skip_first and len(flow) > 1 else flow
    is_definition = reading.question.shape == "definition"
    floor = 0.0 if is_definition else 0.45 * max(found.score for found in reading.ranked)
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
    prose = [unit for unit in group if unit.role != "item"]
    listed = [unit for unit in group if unit.role == "item"]
    if not listed:
        return cited(full_stop(" ".join(unit.text for unit in prose)), [item])
    if len(listed) == 1 and not prose:
        return cited(full_stop(_as_sentence(listed[0])), [item])
    lines = [f"{unit.number}. {unit.text}" if unit.number else f"- {unit.text}" for unit in listed]
    if prose:
        return "\n".join([cited(full_stop(" ".join(unit.text for unit in prose)), [item]), *lines])
    return "\n".join([*lines[:-1], cited(lines[-1], [item])])


def _as_sentence(unit: Unit) -> str:
    return unit.text[:1].upper() + unit.text[1:]
