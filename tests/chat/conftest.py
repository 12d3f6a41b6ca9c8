import pytest

from agencycore.tenancy import tenant
from crm.models import Company
from tests.agencycore.ai.fixtures import (  # noqa: F401
    openai_api,
    openai_responder,
    openai_settings,
    refused_openai,
    vendor,
)
from tests.chat.scenarios import capabilities, docs, talk  # noqa: F401
from tests.people import Person


@pytest.fixture
def company(owner: Person) -> Company:
    with tenant(owner.organization.id):
        return Company.objects.create(organization=owner.organization, name="Larch & Sons", domain="larch.example")
