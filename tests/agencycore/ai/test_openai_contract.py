"""The openai adapters keep the contract of their ports, against both APIs."""

from collections.abc import Callable

import pytest
from pytest_django import Settings

from agencycore.ai.openai import OpenAIEmbedder, OpenAIResponder
from tests.agencycore.ai.contract import (
    DECISIONS,
    EMBEDDER_CHECKS,
    REPORTS,
    RESPONDER_CHECKS,
    SUMMARIES,
    MakeEmbedder,
    MakeResponder,
    check_name,
)
from tests.agencycore.ai.fixtures import OPENAI_KEY
from tests.agencycore.ai.scenarios import GOOD_DECISION
from tests.agencycore.ai.scripted_server import Body, VendorReply, VendorServer


@pytest.mark.parametrize("check", RESPONDER_CHECKS, ids=check_name)
def test_the_responder_keeps_the_contract(
    openai_responder: OpenAIResponder, vendor: VendorServer, check: Callable[[MakeResponder], None]
):
    vendor.play(*[VendorReply(text=good_reply)] * (DECISIONS + SUMMARIES + REPORTS))

    check(lambda: openai_responder)


@pytest.mark.parametrize("check", EMBEDDER_CHECKS, ids=check_name)
def test_the_embedder_keeps_the_contract(
    settings: Settings, vendor: VendorServer, check: Callable[[MakeEmbedder], None]
):
    settings.OPENAI_API_KEY = OPENAI_KEY
    settings.OPENAI_BASE_URL = vendor.base_url
    vendor.play(*[VendorReply()] * 5)

    check(OpenAIEmbedder)


def good_reply(body: Body) -> str:
    if "json_schema" in str(body):
        return GOOD_DECISION
    return "Fjordline is one [r2]." if "The person asked:" in str(body) else "Olivia looks for companies in Norway."
