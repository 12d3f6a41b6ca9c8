"""Requests to a responder, small ones."""

from collections.abc import Callable
from dataclasses import replace

from agencycore.ai.types import (
    BriefItem,
    ContextBrief,
    DecisionRequest,
    Prompt,
    PromptMessage,
    Reference,
    Repair,
    ReportRequest,
    SummaryRequest,
)
from agencycore.refs import ProjectedField

TIMEOUT_SECONDS = 5.0


def decision_request(
    message: str = "What is the weather in Oslo?",
    *,
    timeout_seconds: float = TIMEOUT_SECONDS,
    cache_key: str = "1:acorn",
    repair: Repair | None = None,
    on_text: Callable[[str], None] | None = None,
) -> DecisionRequest:
    return DecisionRequest(
        brief=ContextBrief(
            message=message,
            query=message,
            message_class="ordinary",
            preamble="",
            reference=Reference("not_needed"),
            items=(),
            sources=(),
            token_breakdown={},
        ),
        prompt=Prompt(
            version="1",
            prefix="You are the chat of AgencyCore.",
            messages=(
                PromptMessage("user", "Hello"),
                PromptMessage("assistant", "Hello. What would you like to know?"),
                PromptMessage("user", message),
            ),
        ),
        timeout_seconds=timeout_seconds,
        cache_key=cache_key,
        repair=repair,
        on_text=on_text,
    )


def summary_request() -> SummaryRequest:
    return SummaryRequest(
        previous="Olivia looks for logistics companies.",
        messages=(PromptMessage("user", "Only in Norway."), PromptMessage("assistant", "Two are in Norway.")),
        max_tokens=200,
        timeout_seconds=TIMEOUT_SECONDS,
    )


def report_request(result: str = "Two are in Norway: Fjordline and Bergen Cargo.", **changes: object) -> ReportRequest:
    return replace(
        ReportRequest(
            question="Find logistics companies in Norway",
            work="Signals Search",
            succeeded=True,
            opening="",
            result=result,
            sources=(
                source("r1", "run", "Run of Signals Search"),
                source("r2", "company", "Fjordline"),
                source("r3", "company", "Nordic Haul"),
            ),
            max_tokens=400,
            timeout_seconds=TIMEOUT_SECONDS,
        ),
        **changes,  # type: ignore[arg-type]
    )


def source(key: str, kind: str, label: str, *fields: ProjectedField) -> BriefItem:
    return BriefItem(
        source="application",
        kind=kind,
        id=key,
        label=label,
        text=f"{label}, as known.",
        tokens=5,
        key=key,
        evidence=True,
        fields=fields,
    )
