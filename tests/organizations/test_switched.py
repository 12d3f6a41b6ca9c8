"""Two windows, two organizations: what a page sends never lands in another organization than the one it shows."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from agencycore.tenancy import tenant
from conversations.models import Conversation
from crm.models import Company
from knowledge.models import KnowledgeSource
from organizations.models import Membership, Organization
from tests.chat.conversations import ask
from tests.chat.pages import FETCH, body

pytestmark = pytest.mark.django_db

SWITCHED = (
    "You have switched to Birch in another window. This page is of Acorn, so nothing was sent. "
    "Switch back to send it, or load the page again to go on in Birch."
)
OF_NOBODY = "You work in Birch now, and this page is of another organization. Nothing was sent. Load it again."


@pytest.fixture
def client(owner, other_organization):
    """A browser whose person works in Birch now, and has a page of Acorn open."""
    Membership.objects.create(organization=other_organization, user=owner.user)
    browser = owner.client
    browser.post("/organization/", {"organization": "birch"})
    return browser


def shown_by(organization) -> dict[str, str]:
    return FETCH | {"HTTP_X_PAGE_ORGANIZATION": str(organization.id)}


def message(**fields) -> dict[str, str]:
    return {"text": "What does Acorn owe?", "client_message_id": str(uuid.uuid4())} | fields


def everything() -> int:
    made = 0
    for organization in Organization.objects.all():
        with tenant(organization.id):
            made += Conversation.objects.count() + Company.objects.count() + KnowledgeSource.objects.count()
    return made


def test_a_message_from_the_other_organizations_page_is_refused_in_words(client, organization):
    response = client.post("/chat/messages/", message(), **shown_by(organization))

    assert response.status_code == 409
    assert response.json() == {"code": "organization_switched", "detail": SWITCHED}
    assert everything() == 0


def test_without_script_the_text_is_kept_and_the_way_back_is_shown(client, organization):
    response = client.post("/chat/messages/", message(page_organization=str(organization.id)))

    assert response.status_code == 409
    assert SWITCHED in body(response)
    assert "What does Acorn owe?</textarea>" in body(response)
    assert 'value="acorn">Switch back to Acorn</button>' in body(response)
    assert everything() == 0


def test_a_message_to_a_conversation_of_the_page_is_not_told_that_it_does_not_exist(client, owner, organization):
    question = ask(owner)

    for address in ("messages/", "recipient/", "documents/", "rename/", "delete/"):
        response = client.post(f"/chat/{question.conversation_id}/{address}", message(), **shown_by(organization))
        assert response.json() == {"code": "organization_switched", "detail": SWITCHED}, address


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/chat/documents/", {"file": "notes.txt"}),
        ("/knowledge/upload/", {"files": "notes.txt"}),
        ("/crm/import/", {"companies": "companies.csv"}),
    ],
)
def test_a_file_from_the_other_organizations_page_is_not_taken(client, organization, address, fields):
    files = {name: SimpleUploadedFile(file, b"name,domain\nAcme,acme.example\n") for name, file in fields.items()}

    response = client.post(address, files | {"page_organization": str(organization.id)})

    assert response.status_code == 409
    assert SWITCHED in body(response)
    assert everything() == 0


@pytest.mark.parametrize("address", ["/chat/records/?q=a", "/chat/documents/?part=options", "/chat/list/"])
def test_a_page_is_not_filled_from_the_other_organization(client, organization, address):
    assert client.get(address, **shown_by(organization)).json()["detail"] == SWITCHED


def test_a_page_of_the_organization_one_works_in_sends(client, other_organization):
    response = client.post("/chat/messages/", message(), **shown_by(other_organization))

    assert response.status_code == 201
    with tenant(other_organization.id):
        assert Conversation.objects.get().title == "What does Acorn owe?"


@pytest.mark.parametrize("is_known", [True, False])
def test_a_strangers_organization_is_told_like_one_that_does_not_exist(client, is_known):
    foreign = Organization.objects.create(slug="cedar", name="Cedar")
    shown = str(foreign.id if is_known else uuid.uuid4())

    response = client.post("/chat/messages/", message(), **FETCH | {"HTTP_X_PAGE_ORGANIZATION": shown})

    assert (response.status_code, response.json()["detail"]) == (409, OF_NOBODY)
    assert everything() == 0


@pytest.mark.parametrize("shown", ["acorn", "\x00", "nonsense"])
def test_a_page_that_names_nothing_known_sends_nothing(client, shown):
    response = client.post("/chat/messages/", message(page_organization=shown))

    assert response.status_code == 409
    assert OF_NOBODY in body(response)


@pytest.mark.parametrize("address", ["/", "/knowledge/", "/crm/import/", "/chat/documents/"])
def test_a_page_says_which_organization_it_shows(owner, address):
    shown = body(owner.client.get(address))

    assert f'data-organization="{owner.organization.id}"' in shown
    assert f'name="page_organization" value="{owner.organization.id}"' in shown


def test_one_more_organization_does_not_move_its_new_member(owner):
    earlier_by_name = Organization.objects.create(slug="aaa", name="Aaa")
    Membership.objects.create(organization=earlier_by_name, user=owner.user)

    assert f'data-organization="{owner.organization.id}"' in body(owner.client.get("/"))
    client = owner.client
    client.post("/api/v1/conversations/", {"title": "Mine"}, content_type="application/json")
    with tenant(owner.organization.id):
        assert Conversation.objects.get().title == "Mine"


def test_staff_of_one_more_organization_still_audit_the_first(admin):
    earlier_by_name = Organization.objects.create(slug="aaa", name="Aaa")
    Membership.objects.create(organization=earlier_by_name, user=admin.user)

    assert '<option value="acorn" selected>Acorn</option>' in body(admin.client.get("/admin/"))
