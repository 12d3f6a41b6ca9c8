"""Fitting what the sources gave into the token budget.

Every source has a share; what it does not use is passed on. Whole items go, those of the lowest
score first. Pinned items stay, also over budget. Only where the budget is short is an item that
alone passes its source's share cut in the middle. Nothing here reads anything: same input, same brief.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from agencycore.ai.types import BriefItem, SourceName
from chat.context.items import cost
from chat.context.tokens import count_tokens, cut_middle

# Parts of a hundred, in the order in which unused tokens are passed on.
SHARES: Mapping[SourceName, int] = {
    "conversation": 25,
    "application": 25,
    "knowledge": 25,
    "runs": 8,
    "definitions": 8,
    "capabilities": 6,
    "memory": 3,
}
# Sources whose texts may say the same thing twice. A record is never a double of another record.
COMPARED: frozenset[SourceName] = frozenset({"knowledge", "memory"})
SHINGLE_WORDS = 5
Shingles: TypeAlias = frozenset[tuple[str, ...]]
NEAR_DUPLICATE_OVERLAP = 0.8
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Packed:
    """``items`` in the order given, evidence numbered r1, r2, …; the counts are per source."""

    items: tuple[BriefItem, ...]
    dropped: Mapping[SourceName, int]
    tokens: Mapping[SourceName, int]


def pack(given: Sequence[BriefItem], budget: int) -> Packed:
    """The items that fit into ``budget`` tokens, in their order."""
    distinct = drop_duplicates(given)
    if sum(item.tokens for item in distinct) > budget:
        distinct = [_cut_to_share(item, budget) for item in distinct]
    kept = _fit(distinct, budget)
    items = _numbered([item for index, item in enumerate(distinct) if index in kept])
    return Packed(items, _dropped(given, items), _tokens(items))


def drop_duplicates(given: Sequence[BriefItem]) -> list[BriefItem]:
    """Without items of the same record, or whose text nearly repeats that of a better item."""
    kept: set[int] = set()
    seen: set[tuple[str, str]] = set()
    compared: list[tuple[str, Shingles]] = []
    for index in _ranked(given):
        item = given[index]
        if (item.kind, item.id) in seen and not item.pinned:
            continue
        if item.source in COMPARED:
            digest, shingles = _digest(item.text), _shingles(item.text)
            if not item.pinned and any(digest == d or _overlap(shingles, s) for d, s in compared):
                continue
            compared.append((digest, shingles))
        seen.add((item.kind, item.id))
        kept.add(index)
    return [item for index, item in enumerate(given) if index in kept]


def _ranked(items: Sequence[BriefItem]) -> list[int]:
    """Indexes from the first to keep to the first to drop."""
    return sorted(range(len(items)), key=lambda index: (not items[index].pinned, -items[index].score, index))


def _cut_to_share(item: BriefItem, budget: int) -> BriefItem:
    """``item`` within its source's share; facts that fell into the gap go with their text."""
    share = _share(item.source, budget)
    if item.tokens <= share:
        return item
    beside_text = count_tokens(item.label + item.position) + 1
    text = cut_middle(item.text, max(share - beside_text, 1))
    shorter = replace(
        item,
        text=text,
        fields=tuple(field for field in item.fields if field.value in text),
        payload={**item.payload, "cut": True},
    )
    return replace(shorter, tokens=cost(shorter))


def _share(source: SourceName, budget: int) -> int:
    return budget * SHARES[source] // 100


def _fit(items: Sequence[BriefItem], budget: int) -> set[int]:
    kept = {index for index, item in enumerate(items) if item.pinned}
    pinned = _sum_by_source([items[index] for index in kept])
    queues = {
        source: [index for index in _ranked(items) if items[index].source == source and index not in kept]
        for source in SHARES
    }
    left = budget - sum(pinned.values())
    for source, queue in queues.items():
        own = min(left, max(0, _share(source, budget) - pinned.get(source, 0)))
        left -= _take(items, queue, own, kept)
    for queue in queues.values():
        left -= _take(items, queue, left, kept)
    return kept


def _take(items: Sequence[BriefItem], queue: list[int], allowance: int, kept: set[int]) -> int:
    """Move whole items from the front of ``queue`` into ``kept`` while they fit; the tokens they cost."""
    used = 0
    while queue and used + items[queue[0]].tokens <= allowance:
        used += items[queue[0]].tokens
        kept.add(queue.pop(0))
    return used


def _numbered(items: Sequence[BriefItem]) -> tuple[BriefItem, ...]:
    numbers = {index: n for n, index in enumerate((i for i, item in enumerate(items) if item.evidence), start=1)}
    return tuple(replace(item, key=f"r{numbers[i]}" if i in numbers else "") for i, item in enumerate(items))


def _dropped(given: Sequence[BriefItem], kept: Sequence[BriefItem]) -> dict[SourceName, int]:
    return {
        source: sum(item.source == source for item in given) - sum(item.source == source for item in kept)
        for source in dict.fromkeys(item.source for item in given)
    }


def _tokens(items: Sequence[BriefItem]) -> dict[SourceName, int]:
    return _sum_by_source(items)


def _sum_by_source(items: Sequence[BriefItem]) -> dict[SourceName, int]:
    sums: dict[SourceName, int] = {}
    for item in items:
        sums[item.source] = sums.get(item.source, 0) + item.tokens
    return sums


def _digest(text: str) -> str:
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()


def _shingles(text: str) -> Shingles:
    """Each run of five words; the whole text where it has fewer."""
    words = _WORD.findall(text.lower())
    if len(words) <= SHINGLE_WORDS:
        return frozenset([tuple(words)])
    return frozenset(zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False))


def _overlap(one: Shingles, other: Shingles) -> bool:
    """Whether what both have is most of what either has."""
    few, many = sorted((len(one), len(other)))
    if few < NEAR_DUPLICATE_OVERLAP * many:  # told by the lengths alone, as nearly always
        return False
    shared = len(one & other)
    return shared >= NEAR_DUPLICATE_OVERLAP * (few + many - shared)
