"""One vendor call in our words, before either API has shaped it, and what both say of its cost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from agencycore.ai.types import Finish, ModelReply, PromptMessage, Usage

PROVIDER = "openai"
BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class VendorCall:
    """``schema`` binds the reply to a JSON schema; None asks for prose."""

    model: str
    instructions: str
    messages: tuple[PromptMessage, ...]
    timeout_seconds: float
    max_output_tokens: int
    schema: Mapping[str, object] | None = None
    cache_key: str = ""
    on_text: Callable[[str], None] | None = None

    def spent(self, received: Sequence[str]) -> Usage:
        """What a call that gave ``received`` may have cost, where nobody counted."""
        texts = (self.instructions, *(message.text for message in self.messages))
        return Usage(input=sum(map(estimate_tokens, texts)), output=estimate_tokens("".join(received)))


def valid_text(text: str) -> str:
    """``text`` as it can be sent and stored: JSON may bring halves of characters, which no encoding takes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def estimate_tokens(text: str) -> int:
    return ceil(len(text.encode()) / BYTES_PER_TOKEN)


def read_count(source: object, *names: str) -> int:
    """The whole number under ``names``; 0 where a compatible server leaves out any part of the path."""
    for name in names:
        source = getattr(source, name, None)
    return max(source, 0) if isinstance(source, int) else 0


def completed_usage(call: VendorCall, reported: Usage, text: str) -> Usage:
    """``reported``, with estimates where a server counts nothing (some report 0 for a cached prompt)."""
    estimate = call.spent([text])
    return Usage(
        input=reported.input or max(estimate.input, reported.cached_input),
        cached_input=reported.cached_input,
        output=reported.output or estimate.output,
    )


def make_reply(call: VendorCall, text: str, finish: Finish, reported: Usage, identity: tuple[str, str]) -> ModelReply:
    """``identity`` is the model's full name and the vendor's id of the call, as the vendor gave them."""
    model, request_id = identity
    text = valid_text(text)
    return ModelReply(
        text=text,
        finish="empty" if finish == "complete" and not text.strip() else finish,
        usage=completed_usage(call, reported, text),
        provider=PROVIDER,
        model=model or call.model,
        request_id=request_id,
    )
