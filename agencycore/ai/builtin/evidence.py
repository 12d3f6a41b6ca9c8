"""The answer to a question out of the brief's evidence, whichever source holds it."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from agencycore.ai.asked import is_question
from agencycore.ai.builtin.comparing import answer_comparison
from agencycore.ai.builtin.comparing_records import answer_which_record, beside_each_other
from agencycore.ai.builtin.definitions import answer_from_definitions, definition_items
from agencycore.ai.builtin.examples import Intent
from agencycore.ai.builtin.further import answer_of_named
from agencycore.ai.builtin.history import told_before
from agencycore.ai.builtin.language import listed, words
from agencycore.ai.builtin.opened import answer_from_open_record
from agencycore.ai.builtin.passages import COVERED, answer_from_passages
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import (
    POINTED_FIELD,
    STRONG_FIELD,
    answer_as_of_others,
    answer_from_records,
    carried,
)
from agencycore.ai.builtin.replies import Found
from agencycore.ai.builtin.routing import RECORD_KINDS
from agencycore.ai.builtin.runs import run_items, runs_asked_about, tell_none, tell_runs
from agencycore.ai.run_asks import asked_runs
from agencycore.ai.types import BriefItem, ContextBrief, SourceName

Reader: TypeAlias = Callable[[Question, ContextBrief], Found | None]

# Passages have to say more where the question seems to be about something else.
SURELY_COVERED = 0.48
# "How are you?" is small talk whatever the pages say.
FEWEST_ASKING_WORDS = 4
# Of the search's own score, 0 to 1.
SURELY_FOUND = 0.9
RECORD_SOURCES = frozenset({"application", "runs", "definitions"})


def answer_question(intent: Intent, question: Question, brief: ContextBrief) -> Found | None:
    """The best-fitting source's answer: the one the question is about first, the others after it."""
    for read in (answer_from_open_record, of_named, *_readers(intent, question, brief)):
        found = read(question, brief)
        if found is not None:
            return _with_record(found, question, brief)
    return None


def _with_record(found: Found, question: Question, brief: ContextBrief) -> Found:
    """Where the message points at a record, the record has its say too, or is named as silent."""
    pointed = pointed_records(brief)
    if not pointed or any(f"[{item.key}]" in found.text for item in brief.evidence if item.source in RECORD_SOURCES):
        return found
    told = records(question, brief)
    if told is not None:
        return Found(f"{found.text}\n\n{told.text}", found.strength, found.missing)
    named = listed([item.label for item in pointed])
    return Found(found.text, found.strength, (*found.missing, f"The record of {named} says nothing about this"))


def of_named(question: Question, brief: ContextBrief) -> Found | None:
    said = Question(brief.message) if question.text == brief.query else question
    return answer_of_named(said, pointed_records(brief))


def sources_for(intent: Intent) -> tuple[SourceName, ...]:
    """The sources without which a question of this intent cannot be called unanswerable."""
    match intent:
        case "record_question":
            return ("application",)
        case "run_question":
            return ("runs",)
        case "capability_question":
            return ("definitions", "knowledge")
        case _:
            return ("knowledge",)


def _readers(intent: Intent, question: Question, brief: ContextBrief) -> list[Reader]:
    is_about_record = bool(pointed_records(brief))
    match intent:
        case "record_question" if is_about_record:
            definition_first = [passages] if question.asks_definition and not _is_pointing(question, brief) else []
            return [*definition_first, records, passages, weak_records]
        case "record_question":
            return [sure_passages, records, definitions, passages]
        case "run_question":
            return [runs, *([records] if is_about_record else []), sure_passages, definitions]
        case "capability_question":
            return [definitions, passages, *([records] if is_about_record else [])]
        case "knowledge_question" if is_about_record and _is_pointing(question, brief):
            return [records, passages, definitions]
        case "knowledge_question":
            return [passages, definitions, *([records] if is_about_record else [])]
        case _:
            return [sure_passages, *([records] if is_about_record else [])]


def _is_pointing(question: Question, brief: ContextBrief) -> bool:
    """Whether the question has a word for its record ("this company"), not only a record sent along.

    Beside “Who owns this company …” a question like “… and what is a lifecycle stage?” has none.
    """
    phrase = brief.reference.phrase.lower()
    is_beside_it = phrase in brief.message.lower() and phrase not in question.lowered
    return bool(phrase) and not (is_beside_it and question.asks_definition)


def pointed_records(brief: ContextBrief) -> list[BriefItem]:
    """The records the message points at, in the order of the reference."""
    if brief.reference.status != "resolved":
        return []
    items = {(item.kind, item.id): item for item in brief.items if item.source == "application"}
    found = [items[ref.key] for ref in brief.reference.refs if ref.key in items]
    return [item for item in found if item.kind in RECORD_KINDS or item.kind not in ("run", "definition")]


def near_records(brief: ContextBrief) -> list[BriefItem]:
    """Told records that the message may be about although no word of it points: none or one."""
    told = [item for item in brief.of("application") if item.fields and item.payload.get("form") != "line"]
    told = [item for item in told if item.kind in RECORD_KINDS - {"activity"}]
    return told if len(told) == 1 else []


def record_question_of(question: Question, items: Sequence[BriefItem]) -> Question:
    return Question(question.text, (*question.about, *(item.label for item in items)))


def records(question: Question, brief: ContextBrief) -> Found | None:
    items = _records_asked(brief)
    asked = record_question_of(question, items)
    found = answer_which_record(asked, items) or answer_as_of_others(asked, *_with_others(question, brief, items))
    found = found or _told_beside(asked, items)
    return found if found is not None and found.strength >= _least(asked, items, brief) else None


def _least(asked: Question, items: Sequence[BriefItem], brief: ContextBrief) -> float:
    is_of_fields = bool(asked.terms) and all(carried(asked.terms, item) == 1 for item in items)
    is_pointed = bool(brief.reference.phrase) and bool(pointed_records(brief))
    return POINTED_FIELD if is_pointed and is_of_fields and not asked.asks_steps else STRONG_FIELD


def _with_others(
    question: Question, brief: ContextBrief, items: Sequence[BriefItem]
) -> tuple[list[BriefItem], list[BriefItem]]:
    """The records that are meant, and those that may know which field is asked for: "and the other one?"."""
    pointed = pointed_records(brief)
    if len(pointed) > 1:
        return (pointed, list(items)) if question.chooses else ([], [])
    told = [item for item in brief.of("application") if item.fields and item not in pointed]
    is_about_one = len(pointed) == 1 and question.text != brief.message
    return (pointed, [item for item in told if item.kind == pointed[0].kind]) if is_about_one else ([], [])


def weak_records(question: Question, brief: ContextBrief) -> Found | None:
    items = _records_asked(brief)
    return _told_beside(record_question_of(question, items), items)


def _told_beside(asked: Question, items: Sequence[BriefItem]) -> Found | None:
    """What each of the records says; of several that are compared first what sets them apart."""
    found = answer_from_records(asked, items)
    is_compared = found is not None and asked.compares and len(items) > 1
    return beside_each_other(asked, items, found) if found is not None and is_compared else found


def _records_asked(brief: ContextBrief) -> list[BriefItem]:
    """Those that know every name in the message: of "Enterprise rollout" the others tell something else."""
    items = pointed_records(brief) or near_records(brief)
    labels = " ".join(item.label for item in items).lower()
    named = [name.lower() for name in Question(brief.message).names if name.lower() not in labels]
    return [item for item in items if all(name in _told(item) for name in named)]


def _told(item: BriefItem) -> str:
    return " ".join(f"{field.name} {field.value}" for field in item.fields).lower()


def runs(question: Question, brief: ContextBrief) -> Found | None:
    if not run_items(brief):
        return None
    asked = runs_asked_about(brief, question)
    if not asked and (states := asked_runs(question.text)) is not None:
        return tell_none(states, run_items(brief))
    return tell_runs(question, asked) if asked else None


def definitions(question: Question, brief: ContextBrief) -> Found | None:
    return answer_from_definitions(question, brief) if definition_items(brief) or brief.of("definitions") else None


def passages(question: Question, brief: ContextBrief) -> Found | None:
    compared = answer_comparison(question, brief.of("knowledge"))
    return compared or answer_from_passages(question.about_product, brief.of("knowledge"), threshold=COVERED)


def more_of_topic(question: Question, brief: ContextBrief) -> Found | None:
    """What the passages say of the question's topic beside what was told already."""
    told = told_before(brief)
    asked = [question.about_product, *([Question(question.topic)] if question.topic else [])]
    found = (answer_from_passages(one, brief.of("knowledge"), threshold=COVERED, told=told) for one in asked)
    return next((one for one in found if one is not None), None)


def nearest_passage(question: Question, brief: ContextBrief) -> Found | None:
    """What the search is sure of, where the question's words cannot be weighed: it is in another language."""
    near = [item for item in brief.of("knowledge") if item.score >= SURELY_FOUND]
    return answer_from_passages(question, near[:1], threshold=0.0)


def sure_passages(question: Question, brief: ContextBrief) -> Found | None:
    compared = answer_comparison(question, brief.of("knowledge"))
    return compared or answer_from_passages(question.about_product, brief.of("knowledge"), threshold=SURELY_COVERED)


def told_surely(question: Question, brief: ContextBrief) -> Found | None:
    """“Which languages do you speak?” sounds like small talk, and a page that the search is sure of tells it."""
    is_sure = any(item.score >= SURELY_FOUND for item in brief.of("knowledge"))
    is_asked = is_question(question.text) and len(words(question.text)) >= FEWEST_ASKING_WORDS
    return sure_passages(question, brief) if is_sure and is_asked else None
