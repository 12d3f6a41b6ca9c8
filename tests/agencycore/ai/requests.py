"""Requests to a responder, small ones."""

from collections.abc import Callable

from agencycore.ai.types import (
    ContextBrief,
    DecisionRequest,
    Prompt,
    PromptMessage,
    Reference,
    Repair,
    SummaryRequest,
)

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
