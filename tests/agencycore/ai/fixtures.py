"""Fixtures that put the openai adapter in front of a scripted server.

A test module of another room takes them by
``from tests.agencycore.ai.fixtures import openai_api, openai_responder, vendor  # noqa: F401``.
"""

import socket
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from agencycore.ai.openai import OpenAIResponder
from agencycore.ai.ports import get_embedder, get_responder
from tests.agencycore.ai.scripted_server import VendorServer

OPENAI_KEY = "sk-test-secret-0123456789"


@pytest.fixture
def vendor() -> Iterator[VendorServer]:
    """A server to plan replies on; at the end no unplanned request may have come."""
    with VendorServer().running() as server:
        yield server
    assert server.unplanned == []


@pytest.fixture(params=["responses", "chat_completions"])
def openai_api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def openai_settings(settings: Settings, openai_api: str) -> Iterator[Settings]:
    """The product's responder is the openai adapter; its address is still to be set."""
    settings.OPENAI_API_KEY = OPENAI_KEY
    settings.OPENAI_API = openai_api
    settings.OPENAI_MODEL = "gpt-test"
    settings.RESPONDER = "agencycore.ai.openai.OpenAIResponder"
    get_responder.cache_clear()
    get_embedder.cache_clear()
    yield settings
    get_responder.cache_clear()
    get_embedder.cache_clear()


@pytest.fixture
def openai_responder(openai_settings: Settings, vendor: VendorServer) -> OpenAIResponder:
    """The responder of the whole product, in front of ``vendor``; runs once for each API."""
    openai_settings.OPENAI_BASE_URL = vendor.base_url
    responder = get_responder()
    assert isinstance(responder, OpenAIResponder)
    return responder


@pytest.fixture
def refused_openai(openai_settings: Settings) -> OpenAIResponder:
    """The responder of the whole product, in front of a port on which nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        openai_settings.OPENAI_BASE_URL = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    responder = get_responder()
    assert isinstance(responder, OpenAIResponder)
    return responder
