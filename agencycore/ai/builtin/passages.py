"""Answers from passages: the sentences that answer the question, as they stand, each passage cited."""

import re
from collections.abc import Sequence
from itertools import groupby

from agencycore.ai.builtin.blocks import Unit
from agencycore.ai.builtin.language import sentences, stems, words
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.reading import FILLERS, Reading, Scored
from agencycore.ai.builtin.replies import Found, cited, cited_sentences, full_stop, reports
from agencycore.ai.types import BriefItem

MAX_SENTENCES = 4
MAX_LIST_ITEMS = 8
MAX_CHARACTERS = 900
# A passage answers a question from this support on; see docs/engineering/builtin.md for the measurement.
COVERED = 0.36
FURTHER_PASSAGE = 0.8
AS_GOOD = 0.93
ALREADY_SAID = 0.6

_DANGLING = re.compile(r"^\W*(?:\w+\W+){0,5}(?:it|they|them|this|these|those|its|their)\b", re.IGNORECASE)
_FOLLOW_ON = re.compile(
    r"^(?:it|they|this|these|that|those|its|their|such|each|both|then|also|otherwise|however|for example|if|"
    r"in addition|in that case|until|once|after that)\b",
    re.IGNORECASE,
)


def answer_from_passages(
    question: Question,
    items: Sequence[BriefItem],
    *,
    threshold: float = COVERED,
    brief: bool = False,
    told: str = "",
) -> Found | None:
    """The sentences that answer best and are not in ``told``, or None where no passage covers the question."""
    reading = Reading(question, [item for item in items if item.key and item.text.strip()], told=told)
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
    if reading.question.asks_consequence and not reading.answers_title(found.unit):
        return False
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
