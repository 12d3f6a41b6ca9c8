"""What a failed call means to us: its code, whether trying again may help, what it may have cost."""

import json
import math
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime

import httpx2
from django.conf import settings
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, OpenAIError

from agencycore.ai.openai.call import VendorCall
from agencycore.ai.types import ModelError, Usage

# Nothing was sent: no connection, or none free in the pool.
NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
BAD_ADDRESS = (httpx2.UnsupportedProtocol, httpx2.InvalidURL, httpx2.LocalProtocolError)
MISCONFIGURED_STATUSES = {401: "The model's server refused the key.", 403: "The key may not use this model."}
BUSY_STATUSES = {408, 409, 425}
# The account is out of money: the same call will not succeed soon.
SPENT_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
VENDOR_WORDS_LIMIT = 300


@contextmanager
def as_model_errors(call: VendorCall, received: Sequence[str] = ()) -> Iterator[None]:
    """Raise everything the SDK raises as ModelError; ``received`` is the text that came before the error.

    Without the cause: the vendor's own words for a bad key quote a part of it.
    """
    try:
        yield
    except OpenAIError as error:
        raise to_model_error(error, call.spent(received)) from None
    except httpx2.InvalidURL:
        raise misconfigured("OPENAI_BASE_URL is not an address.") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise unreadable(call.spent(received)) from None


def to_model_error(error: OpenAIError, spent: Usage) -> ModelError:
    match error:
        case APIStatusError():
            return _of_status(error)
        case APIConnectionError():
            return _of_connection(error, spent)
        case APIError():
            return of_vendor_code(error.code or error.type or "", error.message, spent)
        case _:
            return misconfigured(_clean(str(error)))


def misconfigured(message: str, *, reached_vendor: bool = False) -> ModelError:
    return ModelError("misconfigured", message, retryable=False, reached_vendor=reached_vendor)


def unreadable(spent: Usage) -> ModelError:
    return ModelError(
        "server_error",
        "The model's server sent something else than a reply.",
        retryable=True,
        reached_vendor=True,
        usage=spent,
    )


def of_vendor_code(code: str, message: str, spent: Usage) -> ModelError:
    """An error that came inside a response of status 200: a failed response, an error event of a stream."""
    words = _clean(message) or "The model's server reported an error."
    if code in SPENT_CODES or "rate_limit" in code:
        return ModelError("rate_limited", words, retryable=code not in SPENT_CODES, reached_vendor=True, usage=spent)
    if not code or "server" in code or "timeout" in code or "overloaded" in code or code.startswith("5"):
        return ModelError("server_error", words, retryable=True, reached_vendor=True, usage=spent)
    return ModelError("rejected", words, retryable=False, reached_vendor=True, usage=spent)


def _of_connection(error: APIConnectionError, spent: Usage) -> ModelError:
    cause = error.__cause__
    if isinstance(cause, BAD_ADDRESS):
        return misconfigured("OPENAI_BASE_URL is not an address.")
    if isinstance(cause, NEVER_SENT):
        return ModelError(
            "unreachable", "The model's server could not be reached.", retryable=True, reached_vendor=False
        )
    if isinstance(error, APITimeoutError):
        return ModelError(
            "timeout", "The model did not answer in time.", retryable=True, reached_vendor=True, usage=spent
        )
    return ModelError(
        "unreachable", "The connection to the model broke off.", retryable=True, reached_vendor=True, usage=spent
    )


def _of_status(error: APIStatusError) -> ModelError:
    """No vendor charges for a refused call, so the usage stays zero."""
    status, retry_after = error.status_code, parse_retry_after(error.response.headers)
    if status in MISCONFIGURED_STATUSES:
        return misconfigured(MISCONFIGURED_STATUSES[status], reached_vendor=True)
    words = f"Status {status}: {_clean(error.message)}"
    if status == 404:
        return misconfigured(words, reached_vendor=True)
    if status == 429:
        code, retryable = "rate_limited", error.code not in SPENT_CODES
    elif status >= 500 or status in BUSY_STATUSES:
        code, retryable = "server_error", True
    else:
        code, retryable = "rejected", False
    return ModelError(code, words, retryable=retryable, reached_vendor=True, retry_after_seconds=retry_after)


def parse_retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds from now, never negative; None where the header is missing or makes no sense."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    return seconds if seconds is not None else _until(value)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(date: str) -> float | None:
    try:
        return max(parsedate_to_datetime(date).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None


def _clean(words: str) -> str:
    """The vendor's words for an operator: one bounded line, without the key or anything like one."""
    if settings.OPENAI_API_KEY:
        words = words.replace(settings.OPENAI_API_KEY, "[key]")
    words = re.sub(r"\bsk-[\w*-]+", "[key]", words)
    return " ".join(words.split())[:VENDOR_WORDS_LIMIT]
