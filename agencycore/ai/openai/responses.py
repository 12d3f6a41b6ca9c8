"""The Responses API."""

from collections.abc import Iterable

from openai import Stream, omit
from openai.types.responses import Response, ResponseInputParam, ResponseStreamEvent, ResponseTextConfigParam

from agencycore.ai.openai.call import VendorCall, make_reply, read_count, valid_text
from agencycore.ai.openai.client import get_client, timeout_of
from agencycore.ai.openai.errors import as_model_errors, of_vendor_code, unreadable
from agencycore.ai.types import Finish, ModelReply, Usage


def complete_response(call: VendorCall) -> ModelReply:
    """Make ``call``. Raises ModelError."""
    received: list[str] = []
    with as_model_errors(call, received):
        response = get_client().responses.create(
            model=call.model,
            instructions=call.instructions,
            input=_input(call),
            text=_text_format(call),
            max_output_tokens=call.max_output_tokens,
            prompt_cache_key=call.cache_key or omit,
            store=False,
            stream=call.on_text is not None,
            timeout=timeout_of(call.timeout_seconds),
        )
        if not isinstance(response, Stream):
            return _reply(call, response)
        with response:
            return _follow(call, response, received)


def _input(call: VendorCall) -> ResponseInputParam:
    return [{"role": message.role, "content": message.text} for message in call.messages]


def _text_format(call: VendorCall) -> ResponseTextConfigParam:
    if call.schema is None:
        return {"format": {"type": "text"}}
    return {"format": {"type": "json_schema", "name": "decision", "strict": True, "schema": dict(call.schema)}}


def _follow(call: VendorCall, events: Iterable[ResponseStreamEvent], received: list[str]) -> ModelReply:
    for event in events:
        if event.type == "response.output_text.delta":
            received.append(valid_text(event.delta))
            if call.on_text is not None:
                call.on_text(received[-1])
        elif event.type == "error":
            raise of_vendor_code(event.code or "", event.message, call.spent(received))
        elif event.type in ("response.completed", "response.incomplete", "response.failed"):
            return _reply(call, event.response)
    if not received:
        raise unreadable(call.spent(received))
    return make_reply(call, "".join(received), "truncated", Usage(), ("", ""))


def _reply(call: VendorCall, response: object) -> ModelReply:
    # A page of a proxy in between comes as text.
    if not isinstance(response, Response) or not isinstance(response.output, list):
        raise unreadable(call.spent(()))
    usage = _usage(response)
    if response.status == "failed" or response.error:
        code, message = (response.error.code, response.error.message) if response.error else ("", "")
        raise of_vendor_code(code or "", message or "", usage)
    text, refusal = _texts(response)
    return make_reply(call, text or refusal, _finish(response, refusal), usage, (response.model, response.id))


def _texts(response: Response) -> tuple[str, str]:
    """What the model wrote, and in what words it refused."""
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    text = "".join(part.text for part in parts if part.type == "output_text")
    refusal = "".join(part.refusal for part in parts if part.type == "refusal")
    return text, refusal


def _finish(response: Response, refusal: str) -> Finish:
    reason = response.incomplete_details.reason if response.incomplete_details else None
    if refusal or reason == "content_filter":
        return "refused"
    return "truncated" if response.status == "incomplete" else "complete"


def _usage(response: Response) -> Usage:
    return Usage(
        input=read_count(response.usage, "input_tokens"),
        cached_input=read_count(response.usage, "input_tokens_details", "cached_tokens"),
        output=read_count(response.usage, "output_tokens"),
    )
