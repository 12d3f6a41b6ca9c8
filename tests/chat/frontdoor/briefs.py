"""Briefs, replies and callers made by hand for the tests of the Front Door."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agencycore.ai.types import (
    BriefItem,
    ContextBrief,
    DecisionRequest,
    Finish,
    MessageClass,
    ModelError,
    ModelReply,
    Reference,
    SourceName,
    SourceReport,
    Usage,
)
from agencycore.refs import ResourceRef

COMPANY = ResourceRef("company", "0192a000-0000-7000-8000-000000000001", "Lumen Works")
OTHER_COMPANY = ResourceRef("company", "0192a000-0000-7000-8000-000000000002", "Harbor Labs")
RUN = ResourceRef("run", "0192b000-0000-7000-8000-000000000001", "Signals Search")
OTHER_RUN = ResourceRef("run", "0192b000-0000-7000-8000-000000000002", "Definition Builder")
PREAMBLE = 'Today is Monday, 5 October 2026 (UTC). Page: none. In scope: company "Lumen Works".'
EVIDENCE_SOURCES: tuple[SourceName, ...] = (
    "conversation",
    "application",
    "runs",
    "definitions",
    "knowledge",
    "memory",
    "capabilities",
)
SCHEMA = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "sector": {"type": "string"}},
    "additionalProperties": False,
}


def item(source: SourceName, kind: str, id: str, label: str, text: str, key: str = "", **extra: object) -> BriefItem:
    return BriefItem(source, kind, id, label, text, len(text) // 4, key=key, evidence=bool(key), **extra)


def company(key: str = "r1", ref: ResourceRef = COMPANY, stage: str = "Customer") -> BriefItem:
    text = f"{ref.label} (company)\nOwner: Mia Berg\nLifecycle stage: {stage} (2026-03-03)\nOpen deals: 2"
    return item("application", ref.kind, ref.id, ref.label, text, key, url=f"/companies/{ref.id}/")


def passage(key: str = "r2", text: str = "A lifecycle stage says how far a company is on its way to being a customer."):
    return item("knowledge", "knowledge_chunk", "77", "Lifecycle stages", text, key, position="Lifecycle stages > What")


def run(key: str = "r3", ref: ResourceRef = RUN, *, live: bool = True) -> BriefItem:
    text = f"{ref.label}\nState: {'running' if live else 'failed'}\nGoal: find fintech companies"
    payload = {"state": "running" if live else "failed", "live": live, "definition": ref.label}
    return item("runs", "run", ref.id, ref.label, text, key, payload=payload)


def definition(key: str = "r4") -> BriefItem:
    text = "Signals Search is a workflow. Steps: collect signals, score companies, promote prospects."
    return item("definitions", "definition", "signals-search", "Signals Search", text, key)


def capability(slug: str = "signals-search", schema: Mapping[str, object] = SCHEMA) -> BriefItem:
    payload = {"slug": slug, "input_schema": schema}
    return item(
        "capabilities", "definition", f"id-{slug}", slug, f"{slug}: finds companies by signals.", payload=payload
    )


def preference(key: str = "") -> BriefItem:
    return item("memory", "memory", "5", "Preference of this member", "Prefers short answers about Acme.", key)


def said(role: str, text: str, preamble: str = "", number: int = 1) -> BriefItem:
    payload = {"role": role, "preamble": preamble, "kind": "message" if role == "user" else "reply"}
    return item("conversation", "message", f"m{number}", role, text, payload=payload)


def pending(original: str = "Tell me more about this company", *labels: str) -> BriefItem:
    options = [{"label": label, "ref": ""} for label in labels]
    payload = {"question": "Which company do you mean?", "original": original, "options": options}
    text = f"Asked about: {original}\nOur question: Which company do you mean?"
    return item("conversation", "pending_clarify", "m9", "A question of ours", text, payload=payload)


def brief(
    *items: BriefItem,
    message: str = "What is lifecycle stage?",
    query: str = "",
    message_class: MessageClass = "ordinary",
    reference: Reference = Reference("not_needed"),
    preamble: str = PREAMBLE,
    down: Sequence[SourceName] = (),
    language: str = "en",
) -> ContextBrief:
    reports = tuple(
        SourceReport(name, "unavailable" if name in down else "ok", 1, sum(i.source == name for i in items))
        for name in EVIDENCE_SOURCES
    )
    return ContextBrief(
        message=message,
        query=query or message,
        message_class=message_class,
        preamble=preamble,
        reference=reference,
        items=items,
        sources=reports,
        token_breakdown={},
        language=language,
    )


def wire(**decision: object) -> str:
    return json.dumps({"decision": decision})


def answer_wire(text: str, *citations: str, unresolved: Sequence[str] = (), offer: str = "") -> str:
    return wire(outcome="answer", citations=list(citations), unresolved=list(unresolved), offer=offer, text=text)


def clarify_wire(question: str, *options: tuple[str, str]) -> str:
    return wire(outcome="clarify", question=question, options=[{"label": label, "ref": ref} for label, ref in options])


def delegate_wire(capability: str, input_json: str = "{}") -> str:
    return wire(outcome="delegate", capability=capability, input_json=input_json)


def control_wire(run_id: str) -> str:
    return wire(outcome="control_run", run_id=run_id, action="cancel")


def reply(text: str, finish: Finish = "complete") -> ModelReply:
    return ModelReply(text, finish, Usage(10, 0, 5), "scripted", "scripted-1")


@dataclass
class ScriptedCaller:
    """Plays replies and errors in order; ``chunk`` streams them in pieces of that size."""

    script: list[ModelReply | ModelError]
    chunk: int = 0
    requests: list[tuple[DecisionRequest, bool]] = field(default_factory=list)

    def decide(self, request: DecisionRequest, *, is_repair: bool) -> ModelReply:
        self.requests.append((request, is_repair))
        played = self.script.pop(0)
        if isinstance(played, ModelError):
            raise played
        if request.on_text and self.chunk:
            for start in range(0, len(played.text), self.chunk):
                request.on_text(played.text[start : start + self.chunk])
        return played


@dataclass
class FixedFallback:
    """A fallback responder that always says the same."""

    text: str
    name: str = "builtin"
    model: str = "builtin-1"

    def fallback(self, brief: ContextBrief) -> ModelReply:
        return reply(self.text)


def seconds(value: float) -> Callable[[], float]:
    return lambda: value
