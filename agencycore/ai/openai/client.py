"""The one client of a process: explicit timeouts, and no retries that the ledger would not see."""

from functools import cache

import httpx2
from django.conf import settings
from openai import DEFAULT_CONNECTION_LIMITS, OpenAI

from agencycore.ai.openai.deadline import DeadlineClient
from agencycore.ai.types import ModelError

CONNECT_TIMEOUT_SECONDS = 5.0
OPENAI_ADDRESS = "https://api.openai.com/v1"
# Servers of one's own often want no key; the SDK insists on some text.
NO_KEY = "no-key"


def get_client() -> OpenAI:
    """Raises ModelError where no key is set for the vendor's own address."""
    if not settings.OPENAI_API_KEY and not settings.OPENAI_BASE_URL:
        raise ModelError("misconfigured", "OPENAI_API_KEY is not set.", retryable=False, reached_vendor=False)
    return _client_for(settings.OPENAI_API_KEY or NO_KEY, settings.OPENAI_BASE_URL or OPENAI_ADDRESS)


@cache
def _client_for(api_key: str, base_url: str) -> OpenAI:
    http_client = DeadlineClient(limits=DEFAULT_CONNECTION_LIMITS, follow_redirects=True)
    return OpenAI(api_key=api_key, base_url=base_url, max_retries=0, http_client=http_client)


def timeout_of(seconds: float) -> httpx2.Timeout:
    return httpx2.Timeout(seconds, connect=min(CONNECT_TIMEOUT_SECONDS, seconds))
