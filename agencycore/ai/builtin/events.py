"""Questions about one kind of event of a record: its last e-mail, its last call, who changed its owner."""

import re

from agencycore.ai.builtin.blocks import harmless
from agencycore.ai.builtin.language import human_date, sentences, stems
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.records import Family, families_of
from agencycore.ai.builtin.replies import Found, cited, cited_sentences, full_stop
from agencycore.ai.types import BriefItem
from agencycore.refs import ProjectedField

_KINDS = {
    "call": re.compile(r"\b(?:phone )?calls?\b"),
    "e-mail": re.compile(r"\be-?mails?\b"),
    "meeting": re.compile(r"\bmeetings?\b"),
    "message": re.compile(r"\bmessages?\b"),
    "note": re.compile(r"\bnotes?\b"),
    "task": re.compile(r"\btasks?\b"),
}
_ADDRESS = re.compile(r"\baddress\b")
_CHANGED = re.compile(r"\b(?:changed?|changes|changing)\b")
_EVENTS = frozenset({"activity", "contact", "change"})
TOLD = 3


def answer_about_event(question: Question, item: BriefItem) -> Found | None:
    families = {family.name: family for family in families_of(item)}
    if _CHANGED.search(question.lowered) and "change" in families:
        return _change_of_field(question, item, families)
    if item.kind == "activity" or "activity" not in families or _ADDRESS.search(question.lowered):
        return None
    kind = next((kind for kind, pattern in _KINDS.items() if pattern.search(question.lowered)), "")
    return _newest_of_kind(item, families["activity"], kind) if kind and kind not in families else None


def _newest_of_kind(item: BriefItem, activities: Family, kind: str) -> Found:
    label = harmless(item.label)
    field = next((field for field in activities.fields if field.value.lower().startswith(kind)), None)
    if field is None:
        text = f"None of the activities of {label} that I can see is {'an' if kind == 'e-mail' else 'a'} {kind}."
        return Found(cited(text, [item]), 1.0, (f"{label}: no {kind} was found",))
    when = f" was on {human_date(field.when)}" if field.when else ""
    told = full_stop(f"The last {kind} of {label}{when}: {harmless(field.value.strip())}")
    return Found(cited_sentences(sentences(told), [item]), 1.0)


def _change_of_field(question: Question, item: BriefItem, families: dict[str, Family]) -> Found | None:
    """The changes of the one field that the question names; None where it names none."""
    asked = set(question.terms)
    named = [name for name in families if name not in _EVENTS and set(stems(name)) <= asked]
    if not named:
        return None
    label = harmless(item.label)
    changes = [field for field in families["change"].fields if field.value.lower().startswith(named[0])]
    if not changes:
        text = f"The changes of {label} that I can see do not include its {named[0]}."
        return Found(cited(text, [item]), 1.0, (f"{label}: changes of {named[0]}",))
    return Found("\n".join(cited(_dated(field), [item]) for field in changes[:TOLD]), 1.0)


def _dated(field: ProjectedField) -> str:
    date = f"{human_date(field.when)}: " if field.when else ""
    return full_stop(f"- {date}{harmless(field.value.strip())}")
