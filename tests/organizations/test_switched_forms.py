"""Forms of a page of the organization one has left, sent without script: in plain words, whatever id they name."""

import re
import uuid

import pytest
from django.urls import URLPattern, reverse

from agencycore.tenancy import tenant
from chat.urls import urlpatterns as chat_addresses
from conversations.models import Conversation, Feedback
from crm.urls import urlpatterns as crm_addresses
from knowledge.urls import urlpatterns as knowledge_addresses
from organizations.models import Membership
from tests.chat.conversations import answer, ask
from tests.chat.pages import body
from tests.organizations.test_switched import SWITCHED
from tests.repo.files import ROOT, relative

pytestmark = pytest.mark.django_db

FORM = re.compile(r"<form\b[^>]*>.*?</form>", re.DOTALL)
FIELD = '{% include "_page_organization.html" %}'
# Of the person, not of an organization; and the administration, where staff name the organization themselves.
OF_THE_PERSON = ("'login'", "'logout'", "'switch_organization'", "'make_token'", "'delete_token'")
OUTSIDE = ("templates/registration/login.html", "templates/admin/_organization_switch.html")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


@pytest.fixture
def client(owner, other_organization):
    """A browser whose person works in Birch now, and has a page of Acorn open."""
    Membership.objects.create(organization=other_organization, user=owner.user)
    browser = owner.client
    browser.post("/organization/", {"organization": "birch"})
    return browser


def test_every_form_that_changes_something_names_its_organization():
    without = [
        f"{relative(template)}: {form.split('>', 1)[0]}"
        for template in (ROOT / "templates").rglob("*.html")
        for form in FORM.findall(template.read_text())
        if 'method="post"' in form and FIELD not in form
        if not any(name in form for name in OF_THE_PERSON) and relative(template) not in OUTSIDE
    ]

    assert without == []


def addresses_with_an_id():
    for pattern in (*chat_addresses, *crm_addresses, *knowledge_addresses):
        if isinstance(pattern, URLPattern) and (names := pattern.pattern.converters):
            values = {"kind": "companies", "form": "md", "citation_id": 1}
            yield reverse(pattern.name, kwargs={name: values.get(name, uuid.uuid4()) for name in names})


def test_whatever_is_sent_to_an_id_is_answered_in_the_same_words(client, organization):
    fields = {"page_organization": str(organization.id)}

    refused = {
        address: body(response)
        for address in addresses_with_an_id()
        if (response := client.post(address, fields)).status_code != 405
    }

    assert len(refused) >= 18
    assert [address for address, said in refused.items() if SWITCHED not in said] == []


def test_an_id_that_exists_is_answered_like_one_that_does_not(client, owner, organization):
    question = ask(owner)
    reply = answer(owner, question)

    for form, known in [("chat/{}/delete/", question.conversation_id), ("chat/messages/{}/feedback/", reply.id)]:
        told = [
            TOKEN.sub("", body(client.post(f"/{form.format(each)}", {"page_organization": str(organization.id)})))
            for each in (known, uuid.uuid4())
        ]
        assert told[0] == told[1], form

    with tenant(organization.id):
        assert (Conversation.objects.count(), Feedback.objects.count()) == (1, 0)


@pytest.mark.parametrize("address", ["/chat/{}/?q=stage", "/chat/{}/documents/?q=stage"])
def test_a_search_from_the_page_of_a_chat_is_told_too(client, owner, organization, address):
    searched = f"{address.format(ask(owner).conversation_id)}&page_organization={organization.id}"

    response = client.get(searched)

    assert response.status_code == 409
    assert SWITCHED in body(response)


def test_a_link_of_such_a_page_says_where_one_works_whatever_it_names(client, owner):
    question = ask(owner)
    reply = answer(owner, question)
    words = (
        "You work in Birch now: what belongs to another of your organizations is shown after you have switched to it."
    )

    for link, known in [("chat/{}/manage/", question.conversation_id), ("chat/messages/{}/feedback/", reply.id)]:
        theirs, nobodys = (client.get(f"/{link.format(each)}?rating=unhelpful") for each in (known, uuid.uuid4()))
        assert (theirs.status_code, theirs.content) == (404, nobodys.content)
        assert words in body(theirs)


def test_who_has_one_organization_alone_is_told_of_no_other(owner):
    assert "You work in" not in body(owner.client.get(f"/chat/{uuid.uuid4()}/"))


def test_what_was_written_is_kept_whatever_the_form(client, organization):
    fields = {"subject": "Call with Jane", "body": "She asks for a quote.", "kind": "call"}

    response = client.post(
        f"/crm/companies/{uuid.uuid4()}/activities/", fields | {"page_organization": str(organization.id)}
    )

    assert "Call with Jane\n\nShe asks for a quote.</textarea>" in response.content.decode()
