"""How good search ranks and what it costs: ``python -m bench.search [--quality] [--time]``.

Quality: nDCG@10 of the judged sets, fused, by words alone and by vectors alone. Time: the whole call of
``search``, its statement, and the bare exact vector scan of the same rows, in turn, so that whatever else the
machine does weighs on all three alike.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from django.db import connection

from agencycore.ai.ports import get_embedder
from agencycore.tenancy import tenant
from bench.judged import Judged, database, index, read_set
from knowledge.candidates import find_candidates
from knowledge.chunking import Passage
from knowledge.search import ask, search
from organizations.models import Organization

SETS = ("mtrag-cloud", "cranfield", "clapnq-dev")
SIZES = (1_000, 5_000, 20_000)
QUESTIONS = 20
REPEATS = 7
BARE_SCAN = """
SELECT chunk_id FROM chunk_index
WHERE organization_id = %s ORDER BY (embedding <#> %s::halfvec) + 0 LIMIT 40
"""


def gain(ranked: list[str], grades: dict[str, int]) -> float:
    """nDCG@10 with gains of 2^grade − 1."""
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:10]
    best = sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(ideal))
    got = sum((2 ** max(0, grades.get(name, 0)) - 1) / math.log2(place + 2) for place, name in enumerate(ranked[:10]))
    return got / best if best else 0.0


def quality(judged: Judged, weights: tuple[float, ...]) -> list[float]:
    """nDCG@10 for each dense weight."""
    organization, names = index(judged.name, judged.documents)
    gains: list[list[float]] = [[] for _ in weights]
    with tenant(organization.id):
        for question_id, text in judged.questions.items():
            question = ask(text, get_embedder())
            for scores, weight in zip(gains, weights, strict=True):
                found = find_candidates(
                    replace(question, dense_weight=weight), organization_id=organization.id, limit=10
                )
                scores.append(gain([names[str(hit.chunk_id)] for hit in found.hits], judged.grades[question_id]))
    return [statistics.mean(scores) for scores in gains]


def enlarged(passages: dict[str, Passage], size: int) -> dict[str, Passage]:
    """``size`` passages: the set again and again."""
    source = list(passages.items())
    return {f"{n} {source[n % len(source)][0]}": source[n % len(source)][1] for n in range(size)}


def best_ms(call: Callable[[], object]) -> float:
    """The fastest of REPEATS: what else the machine does only ever adds."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return min(times)


def timing(judged: Judged, size: int) -> list[float]:
    """Medians over questions, in ms: the call, its statement, the bare vector scan."""
    organization, _ = index(f"time-{size}", enlarged(judged.documents, size))
    times: list[list[float]] = [[], [], []]
    with tenant(organization.id):
        for text in list(judged.questions.values())[:QUESTIONS]:
            question = ask(text, get_embedder())
            calls: tuple[Callable[[], object], ...] = (
                partial(search, actor_organization_id=organization.id, query=text),
                partial(find_candidates, question, organization_id=organization.id, limit=8),
                partial(scan, organization, question.vector),
            )
            for kept, call in zip(times, calls, strict=True):
                kept.append(best_ms(call))
    return [statistics.median(kept) for kept in times]


def scan(organization: Organization, vector: str | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(BARE_SCAN, [organization.id, vector])
        cursor.fetchall()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quality", action="store_true")
    parser.add_argument("--time", action="store_true")
    chosen = parser.parse_args()
    both = not (chosen.quality or chosen.time)
    with database():
        if chosen.quality or both:
            weight = get_embedder().dense_weight
            print(f"nDCG@10      words  vectors  fused ({weight})")
            for name in SETS:
                words, vectors, fused = quality(read_set(name), (0.0, 1.0, weight))
                print(f"{name:12} {words:.3f}   {vectors:.3f}   {fused:.3f}")
        if chosen.time or both:
            print("passages in scope   search ms   statement ms   bare scan ms   statement / scan")
            for size in SIZES:
                call, statement, bare = timing(read_set("mtrag-cloud"), size)
                print(f"{size:17} {call:11.1f} {statement:14.1f} {bare:14.1f} {statement / bare:18.2f}")


if __name__ == "__main__":
    main()
