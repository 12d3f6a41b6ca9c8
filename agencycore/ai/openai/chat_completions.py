"""Chat Completions, the API that vLLM, Ollama and llama.cpp speak as well."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.conf import settings
from openai import Stream, omit
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam
from openai.types.chat.completion_create_params import ResponseFormat

from agencycore.ai.openai.call import VendorCall, make_reply, read_count, valid_text
from agencycore.ai.openai.client import get_client, timeout_of
from agencycore.ai.openai.errors import as_model_errors, unreadable
from agencycore.ai.types import Finish, ModelReply, Usage


def complete_chat(call: VendorCall) -> ModelReply:
    """Make ``call``. Raises ModelError."""
    # Servers of one's own know the older name only, and some refuse names they do not know.
    is_compatible_server = bool(settings.OPENAI_BASE_URL)
    written = _Written()
    with as_model_errors(call, written.content):
        completion = get_client().chat.completions.create(
            model=call.model,
            messages=_messages(call),
            response_format=_response_format(call),
            max_tokens=call.max_output_tokens if is_compatible_server else omit,
            max_completion_tokens=omit if is_compatible_server else call.max_output_tokens,
            prompt_cache_key=omit if is_compatible_server or not call.cache_key else call.cache_key,
            stream=call.on_text is not None,
            stream_options={"include_usage": True} if call.on_text is not None else omit,
            timeout=timeout_of(call.timeout_seconds),
        )
        if not isinstance(completion, Stream):
            return _reply(call, completion)
        with completion:
            return _follow(call, completion, written)


def _messages(call: VendorCall) -> list[ChatCompletionMessageParam]:
    messages: list[ChatCompletionMessageParam] = [{"role": "system", "content": call.instructions}]
    for message in call.messages:
        if message.role == "user":
            messages.append({"role": "user", "content": message.text})
        else:
            messages.append({"role": "assistant", "content": message.text})
    return messages


def _response_format(call: VendorCall) -> ResponseFormat:
    if call.schema is None:
        return {"type": "text"}
    return {
        "type": "json_schema",
        "json_schema": {"name": "decision", "strict": True, "schema": dict(call.schema)},
    }


@dataclass(slots=True)
class _Written:
    """What has come of a stream so far."""

    content: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    finish_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    identity: tuple[str, str] = ("", "")

    def take(self, chunk: ChatCompletionChunk) -> str:
        """Note ``chunk`` and return the text that is new in it."""
        self.identity = (chunk.model or "", chunk.id or "")
        if chunk.usage:
            self.usage = _usage(chunk.usage)
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self.finish_reason = choice.finish_reason or self.finish_reason
        self.refusal.append(choice.delta.refusal or "")
        self.content.append(valid_text(choice.delta.content or ""))
        return self.content[-1]


def _follow(call: VendorCall, chunks: Iterable[ChatCompletionChunk], written: _Written) -> ModelReply:
    for chunk in chunks:
        text = written.take(chunk)
        if text and call.on_text is not None:
            call.on_text(text)
    content, refusal = "".join(written.content), "".join(written.refusal)
    if not written.finish_reason and not content and not refusal:
        raise unreadable(call.spent(()))
    # A stream that ends without its reason was cut.
    finish = _finish(written.finish_reason or "length", refusal)
    return make_reply(call, content or refusal, finish, written.usage, written.identity)


def _reply(call: VendorCall, completion: object) -> ModelReply:
    # A page of a proxy in between comes as text.
    if not isinstance(completion, ChatCompletion) or not completion.choices:
        raise unreadable(call.spent(()))
    choice = completion.choices[0]
    content, refusal = choice.message.content or "", choice.message.refusal or ""
    finish = _finish(choice.finish_reason, refusal)
    return make_reply(call, content or refusal, finish, _usage(completion.usage), (completion.model, completion.id))


def _finish(reason: str, refusal: str) -> Finish:
    if refusal or reason == "content_filter":
        return "refused"
    return "truncated" if reason == "length" else "complete"


def _usage(usage: object) -> Usage:
    return Usage(
        input=read_count(usage, "prompt_tokens"),
        cached_input=read_count(usage, "prompt_tokens_details", "cached_tokens"),
        output=read_count(usage, "completion_tokens"),
    )
