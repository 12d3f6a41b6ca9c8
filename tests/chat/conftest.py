from tests.agencycore.ai.fixtures import (  # noqa: F401
    openai_api,
    openai_responder,
    openai_settings,
    refused_openai,
    vendor,
)
