"""Answers about agents and workflows, from their definitions."""

import re
from collections.abc import Sequence

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import sentences
from agencycore.ai.builtin.passages import answer_from_passages
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import answer_from_records
from agencycore.ai.builtin.replies import Found, cited, full_stop
from agencycore.ai.types import BriefItem, ContextBrief

_LIST = re.compile(
    r"\b(?:agents|workflows|capabilities|automations)\b.*\b(?:can i|do i|are|exist|available|there|may i|have|use)\b|"
    r"^(?:please )?(?:list|show)(?: me)?(?: all| the| my)*(?: available)? (?:agents|workflows|capabilities)|"
    r"\b(?:which|what|all) (?:agents|workflows|capabilities)\b|\bwhat can i (?:start|run)\b"
)
# How often they may be used is told by the pages about limits.
_HOW_OFTEN = re.compile(
    r"\bhow (?:many|often)\b.*\b(?:a|an|per|each|every|in one|at once|at a) ?(?:day|hour|week|month|time)?\W*$"
)
_CHOICE = re.compile(
    r"\b(?:which|what) (?:agent|workflow|capability)\b|\bis there (?:an?|any|something)\b|\bwhich (?:one )?should i\b"
)
# Whether it fits is told by what it does; which of its fields is asked for is not said.
_ADVICE = re.compile(
    r"^(?:and |so |ok |but )*(?:(?:should|shall|can|could|may|must) (?:i|we) (?:now |also |just )?"
    r"(?:run|use|start|try|launch)|is it (?:worth|useful|a good idea)(?: to)? (?:run|us|start|try)\w*)\b"
)
_AGENTS = re.compile(r"\bagents?\b")
_WORKFLOWS = re.compile(r"\bworkflows?\b")


def definition_items(brief: ContextBrief) -> list[BriefItem]:
    return [item for item in brief.items if item.kind in ("definition", "definition_draft") and item.evidence]


def answer_from_definitions(question: Question, brief: ContextBrief) -> Found | None:
    lists = [item for item in brief.of("definitions") if item.evidence and not item.fields]
    items = definition_items(brief)
    meant = _meant(question, brief, items)
    if not meant and _LIST.search(question.lowered) and not _HOW_OFTEN.search(question.lowered):
        return _tell_list(question, lists, items)
    if meant and _ADVICE.search(question.lowered):
        return _describe(meant[0])
    if meant:
        named = Question(question.text, tuple(item.label for item in meant))
        found = answer_from_records(named, [item for item in meant if item.fields], kind_word="agent workflow")
        # The text of one with fields is its fields in a row, and no sentence of it is an answer.
        texts = [item for item in meant if not item.fields]
        return found or answer_from_passages(named, texts, threshold=0.3) or _describe(meant[0])
    if _CHOICE.search(question.lowered):
        return answer_from_passages(question, [item for item in items if item.text], threshold=0.4)
    return None


def _meant(question: Question, brief: ContextBrief, items: Sequence[BriefItem]) -> list[BriefItem]:
    """The definitions the question points at or names."""
    if brief.reference.status == "resolved":
        ids = {ref.id for ref in brief.reference.refs}
        if pointed := [item for item in items if item.id in ids]:
            return pointed
    return [item for item in items if item.label and item.label.lower() in question.lowered]


def _tell_list(question: Question, lists: Sequence[BriefItem], items: Sequence[BriefItem]) -> Found | None:
    if lists:
        item = lists[0]
        head, *lines = [line for line in map(harmless, item.text.splitlines()) if line]
        if not lines:
            return Found(cited(f"{full_stop(head)} None is published for your organization.", [item]), 0.9)
        return Found("\n".join([cited(full_stop(head), [item]), *map(_bullet, lines)]), 0.9)
    wanted = [item for item in items if _is_wanted(question, item)] or list(items)
    if not wanted:
        return None
    return Found("\n".join(f"- {cited(_line(item), [item])}" for item in wanted), 0.9)


def _bullet(line: str) -> str:
    return line if line.startswith(("-", "*")) else f"- {line}"


def _is_wanted(question: Question, item: BriefItem) -> bool:
    kind = _field(item, "kind").lower()
    if _AGENTS.search(question.lowered) and _WORKFLOWS.search(question.lowered):
        return True
    if _AGENTS.search(question.lowered):
        return "workflow" not in kind
    return not _WORKFLOWS.search(question.lowered) or "agent" not in kind


def _line(item: BriefItem) -> str:
    description = sentences(_field(item, "description") or harmless(item.text))
    name = f"**{harmless(item.label)}**"
    return full_stop(f"{name}: {description[0]}" if description else name)


def _describe(item: BriefItem) -> Found:
    return Found(cited(_line(item), [item]), 0.5)


def _field(item: BriefItem, name: str) -> str:
    return next((harmless(field.value) for field in item.fields if field.name.lower() == name), "")
