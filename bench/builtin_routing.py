"""How well messages are routed by the built-in responder: python -m bench.builtin_routing [--misses]

Intents alone, without a brief: what a message points at corrects many of them in the product.

- ``routing_development.tsv``: not in the examples, but known to whoever wrote them, so it flatters.
- cross-validation: each tenth of the examples, predicted from the other nine tenths.
- clinc-oos (small requests to an assistant, all off our topic), workbench (office work): their topics
  were known when the last examples were written.
- mtrag-human (questions of real conversations): not looked at; none of them asks for work.
"""

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from agencycore.ai.builtin.deciding import Decider
from agencycore.ai.builtin.examples import Example, ExampleModel, Intent, read_examples
from agencycore.ai.builtin.language import stems
from agencycore.ai.builtin.routing import Router
from agencycore.ai.types import BriefItem, ContextBrief, Reference
from agencycore.ai.wire import WireDelegate, WireOutcome

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "agencycore/ai/builtin/routing_examples.tsv"
CORPORA = Path(os.environ.get("AGENCYCORE_CORPORA", HERE.parent.parent / "shared/corpora"))
DEVELOPMENT = HERE / "routing_development.tsv"
STARTED = ("work_request", "authoring_request", "schedule_request")
CAPABILITIES = (
    ("signals-search", "Signals Search", "Finds companies and prospects by buying signals, ICP, industry, country, "
     "funding or hiring."),
    ("crm-question-agent", "CRM Question Agent", "Answers questions over many CRM records: lists, counts, comparisons "
     "and joins of companies, people, deals and activities."),
    ("definition-builder", "Definition Builder", "Creates and changes agents and workflows: drafts definitions, adds "
     "steps, tools and approvals."),
    ("schedule-setup", "Schedule Setup", "Plans agents and workflows to run on a schedule, every day, week or month."),
    ("research-assistant", "Research Assistant", "Researches one company or topic on the web and writes a brief."),
)  # fmt: skip
SAMPLE = 1000
FOLDS = 10
# Intents of clinc-oos that are speech acts or commands here too, so not off-topic.
SHARED_INTENTS = {"greeting", "goodbye", "thank_you", "yes", "no", "maybe", "repeat", "cancel", "are_you_a_bot",
                  "what_is_your_name", "what_can_i_ask_you", "who_made_you", "how_old_are_you", "where_are_you_from",
                  "what_are_your_hobbies", "do_you_have_pets", "who_do_you_work_for", "user_name", "change_ai_name",
                  "meaning_of_life", "fun_fact", "tell_joke"}  # fmt: skip
# All of these end in an honest "I cannot", unless a document of the organization covers the question.
HARMLESS: frozenset[Intent] = frozenset(
    {
        "offtopic",
        "external_facts",
        "knowledge_question",
        "smalltalk",
        "conversation",
        "record_question",
        "run_question",
        "capability_question",
    }
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="print what was routed wrong")
    show_misses = parser.parse_args().misses
    router, examples = Router(EXAMPLES), read_examples(EXAMPLES)
    development = read_examples(DEVELOPMENT)
    _check_apart(examples, development)
    _measure("development", [(message, router.route_text(message.text).intent) for message in development], show_misses)
    _measure("cross-validation", list(_cross_validated(examples)), show_misses)
    _measure_off_topic(router)
    _measure_work(router)
    _measure_questions(router)
    _measure_delegation()


def _cross_validated(examples: Sequence[Example]) -> Iterator[tuple[Example, Intent]]:
    shuffled = random.Random(5).sample(list(examples), len(examples))  # noqa: S311
    for fold in range(FOLDS):
        model = ExampleModel([example for row, example in enumerate(shuffled) if row % FOLDS != fold])
        for example in shuffled[fold::FOLDS]:
            yield example, model.classify(example.text).intent


def _check_apart(training: Sequence[Example], development: Sequence[Example]) -> None:
    known = {_plain(example.text) for example in training}
    shared = [example.text for example in development if _plain(example.text) in known]
    if shared:
        raise SystemExit(f"{DEVELOPMENT.name} shares messages with the examples: {shared}")


def _plain(text: str) -> str:
    return " ".join(stems(text))


def _measure(name: str, routed: Sequence[tuple[Example, Intent]], show_misses: bool) -> None:
    right: dict[Intent, list[bool]] = defaultdict(list)
    misses: list[str] = []
    for message, intent in routed:
        right[message.intent].append(intent == message.intent)
        if intent != message.intent:
            misses.append(f"  {message.intent} -> {intent}: {message.text}")
    total = [hit for hits in right.values() for hit in hits]
    print(f"\n{name}: {sum(total)} of {len(total)} right, {100 * sum(total) / len(total):.1f} %")
    for intent, hits in sorted(right.items()):
        print(f"  {intent:20} {sum(hits):3} of {len(hits)}")
    if show_misses:
        print("\n".join(misses))


def _measure_off_topic(router: Router) -> None:
    texts = _clinc()
    if not texts:
        print("\nclinc-oos: not at hand")
        return
    found = Counter(router.route_text(text).intent for text in texts)
    harmless = sum(found[intent] for intent in HARMLESS)
    print(f"\nclinc-oos, {SAMPLE} off-topic requests: {harmless / 10:.1f} % routed where nothing is started or stopped")
    print("  " + ", ".join(f"{intent} {count}" for intent, count in found.most_common()))


def _clinc() -> list[str]:
    path = CORPORA / "routing/clinc-oos/all.jsonl"
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [row["text"] for row in rows if row["intent"] not in SHARED_INTENTS]
    return random.Random(7).sample(texts, SAMPLE)  # noqa: S311


def _measure_work(router: Router) -> None:
    path = CORPORA / "routing/workbench/queries.jsonl"
    if not path.exists():
        print("\nworkbench: not at hand")
        return
    queries = sorted({json.loads(line)["query"] for line in path.read_text(encoding="utf-8").splitlines()})
    found = Counter(router.route_text(query).intent for query in queries)
    print(
        f"\nworkbench, {len(queries)} office requests: {100 * found['work_request'] / len(queries):.1f} % work_request"
    )
    print("  " + ", ".join(f"{intent} {count}" for intent, count in found.most_common()))


def _measure_questions(router: Router) -> None:
    texts = _questions()
    if not texts:
        print("\nmtrag-human: not at hand")
        return
    found = Counter(router.route_text(text).intent for text in texts)
    harmless = sum(found[intent] for intent in HARMLESS)
    print(f"\nmtrag-human, {len(texts)} questions: {100 * harmless / len(texts):.1f} % routed where nothing is started")
    print("  " + ", ".join(f"{intent} {count}" for intent, count in found.most_common()))


def _questions() -> list[str]:
    path = CORPORA / "routing/mtrag-human/turns.jsonl"
    if not path.exists():
        return []
    return sorted({json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()})


def _measure_delegation() -> None:
    """Of messages that are none of our work, how many would start something; of ours, how many do."""
    router = Router(EXAMPLES)
    development = read_examples(DEVELOPMENT)
    ours = [message.text for message in development if message.intent in STARTED]
    print("\nEnd to end with the growth capabilities and nothing else in the brief:")
    for name, texts in (("our own requests", ours), ("clinc-oos", _clinc()[:600]), ("mtrag-human", _questions())):
        started = sum(isinstance(_decide(text, router), WireDelegate) for text in texts)
        print(f"  {name}: {started} of {len(texts)} delegated")


def _decide(text: str, router: Router) -> WireOutcome:
    items = tuple(
        BriefItem("capabilities", "definition", slug, name, description, 30,
                  payload={"slug": slug, "description": description, "input_schema": {"type": "object"}})
        for slug, name, description in CAPABILITIES
    )  # fmt: skip
    brief = ContextBrief(text, text, "ordinary", "", Reference("not_needed"), items, (), {})
    return Decider(brief, router, may_start=True, may_ask=True).outcome()


if __name__ == "__main__":
    main()
