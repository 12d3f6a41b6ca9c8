"""Briefs as the ContextBuilder makes them, for tests of responders: small to write, whole to read."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agencycore.ai.types import (
    BriefItem,
    ContextBrief,
    DecisionRequest,
    MessageClass,
    Prompt,
    PromptMessage,
    Reference,
    ReferenceStatus,
    SourceName,
    SourceReport,
    SourceState,
)
from agencycore.refs import ProjectedField, ResourceRef

SOURCES: tuple[SourceName, ...] = (
    "conversation", "application", "runs", "definitions", "knowledge", "memory", "capabilities",
)  # fmt: skip


def day(year: int, month: int, number: int) -> datetime.date:
    return datetime.date(year, month, number)


def fact(name: str, value: str, when: datetime.date | None = None, *words: str) -> ProjectedField:
    return ProjectedField(name, value, when, words)


def record(kind: str, label: str, *facts: ProjectedField, id: str = "", pinned: bool = True) -> BriefItem:
    text = "\n".join(f"{field.name}: {field.value}" for field in facts)
    return BriefItem(
        "application", kind, id or f"{kind}-{label}", label, f"{label} ({kind})\n{text}", 100,
        evidence=True, fields=facts, pinned=pinned,
    )  # fmt: skip


def passage(label: str, text: str, *, position: str = "", id: str = "", score: float = 1.0) -> BriefItem:
    return BriefItem(
        "knowledge", "knowledge_chunk", id or f"{label}-{position}", label, text, 100, evidence=True, position=position,
        score=score,
    )  # fmt: skip


def run(
    definition: str,
    state: str,
    *facts: ProjectedField,
    id: str = "",
    words: str = "",
    when: datetime.date | None = None,
    goal: str = "",
) -> BriefItem:
    fields = (fact("Goal", goal), fact("Definition", definition), fact("State", words or state, when), *facts)
    shown = tuple(field for field in fields if field.value)
    return BriefItem(
        "runs", "run", id or f"run-{definition}", f"Run of {definition}", "\n".join(f.value for f in shown), 100,
        evidence=True, fields=shown,
        payload={"state": state, "live": state in ("queued", "running", "waiting"), "definition": definition},
    )  # fmt: skip


def definition(name: str, *facts: ProjectedField) -> BriefItem:
    text = "\n".join(f"{field.name}: {field.value}" for field in facts)
    return BriefItem("definitions", "definition", f"definition-{name}", name, text, 100, evidence=True, fields=facts)


def capability(name: str, description: str, schema: Mapping[str, object] | None = None) -> BriefItem:
    slug = name.lower().replace(" ", "-")
    payload = {"slug": slug, "input_schema": schema or {"type": "object"}, "description": description}
    return BriefItem("capabilities", "definition", f"capability-{slug}", name, description, 30, payload=payload)


def spoken(role: str, text: str) -> BriefItem:
    label = "Member" if role == "user" else "Assistant"
    return BriefItem("conversation", "message", f"{role}-{text[:20]}", label, text, 20, payload={"role": role})


def asked_back(original: str, question: str) -> BriefItem:
    return BriefItem(
        "conversation", "pending_clarify", "pending", "A question of ours", f"{original}\n{question}", 20, pinned=True,
        payload={"question": question, "original": original, "options": []},
    )  # fmt: skip


def offered(text: str) -> BriefItem:
    return BriefItem("conversation", "offer", "offer", "Work we offered in the last reply", text, 20, pinned=True)


def brief(
    message: str,
    *items: BriefItem,
    query: str = "",
    message_class: MessageClass = "ordinary",
    status: ReferenceStatus | None = None,
    refs: Sequence[ResourceRef] | None = None,
    phrase: str = "",
    about: Sequence[BriefItem] = (),
    states: Mapping[SourceName, SourceState] | None = None,
) -> ContextBrief:
    """A brief of ``about`` (what the message points at) and ``items``, in prompt order, with keys given."""
    found = list(refs) if refs is not None else [item.ref for item in about]
    reference = Reference(status or ("resolved" if found else "not_needed"), tuple(found), phrase)
    labels = " ".join(ref.label for ref in found if reference.status == "resolved")
    ordered = sorted([*about, *items], key=lambda item: SOURCES.index(item.source))
    keyed: list[BriefItem] = []
    for item in ordered:
        number = sum(bool(other.key) for other in keyed) + 1
        keyed.append(replace(item, key=f"r{number}") if item.evidence else item)
    reports = [
        SourceReport(name, (states or {}).get(name, "ok"), 1, sum(item.source == name for item in keyed))
        for name in SOURCES
    ]
    return ContextBrief(
        message=message,
        query=query or f"{message} {labels}".strip(),
        message_class=message_class,
        preamble="Today is Tuesday, 10 March 2026 (Europe/Berlin). Page: none. In scope: none.",
        reference=reference,
        items=tuple(keyed),
        sources=tuple(reports),
        token_breakdown={},
    )


def request(brief: ContextBrief) -> DecisionRequest:
    return DecisionRequest(brief, Prompt("1", "You are the chat.", (PromptMessage("user", brief.message),)), 5.0)


def sent(ref_kind: str, ref_id: str, label: str) -> ResourceRef:
    return ResourceRef(ref_kind, ref_id, label)
