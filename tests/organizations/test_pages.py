"""Logging in, and choosing the organization one works in."""

import pytest
from django.test import Client

from organizations.access import ACTIVE_ORGANIZATION
from organizations.models import Membership
from tests.chat.conversations import ask

pytestmark = pytest.mark.django_db


def test_the_log_in_page_explains_a_wrong_password(client, owner):
    response = client.post("/login/", {"username": owner.user.username, "password": "wrong"})

    assert response.status_code == 200
    assert "Please enter a correct username and password" in response.content.decode()


def test_a_right_password_leads_to_the_chat(client, owner):
    owner.user.set_password("a long password")
    owner.user.save()

    response = client.post("/login/", {"username": owner.user.username, "password": "a long password"})

    assert (response.status_code, response["Location"]) == (302, "/")


def test_a_person_without_an_organization_is_told_whom_to_ask(owner):
    owner.membership.delete()

    response = owner.client.get("/")

    assert response.status_code == 403
    assert "You are not in an organization" in response.content.decode()


def test_a_member_of_two_organizations_switches_between_them(owner, other_organization):
    Membership.objects.create(organization=other_organization, user=owner.user)
    question = ask(owner, "Of Acorn alone")
    client = owner.client
    assert "Of Acorn alone" in client.get("/").content.decode()

    response = client.post("/organization/", {"organization": other_organization.slug})

    assert response["Location"] == "/"
    assert client.session[ACTIVE_ORGANIZATION] == str(other_organization.id)
    assert "Of Acorn alone" not in client.get("/").content.decode()
    assert client.get(f"/chat/{question.conversation_id}/").status_code == 404


@pytest.mark.parametrize("slug", ["birch", "nowhere", ""])
def test_a_strangers_organization_cannot_be_chosen(owner, other_organization, slug):
    client = owner.client

    assert client.post("/organization/", {"organization": slug}).status_code == 404
    assert ACTIVE_ORGANIZATION not in client.session


def test_a_member_of_one_organization_sees_no_switch(owner):
    assert 'action="/organization/"' not in owner.client.get("/").content.decode()


def test_switching_is_never_a_link(owner):
    assert owner.client.get("/organization/").status_code == 405


def test_a_page_leads_back_to_itself_after_log_in(client, db):
    response = client.get("/knowledge/?q=rail")

    assert response["Location"] == "/login/?next=/knowledge/%3Fq%3Drail"


def test_the_pages_own_script_is_told_that_the_person_was_logged_out(client, db):
    response = client.post("/chat/messages/", {"text": "Hello"}, headers={"X-Requested-With": "fetch"})

    assert (response.status_code, response.json()) == (
        401,
        {"code": "logged_out", "detail": "You have been logged out."},
    )


@pytest.mark.parametrize(
    ("referer", "next_page"),
    [
        ("http://testserver/crm/deals/?page=2", "/crm/deals/%3Fpage%3D2"),
        ("https://elsewhere.example/chat/", "/"),
        ("//elsewhere.example", "/"),
        ("", "/"),
    ],
)
def test_a_form_leads_back_to_its_own_page_after_log_in(client, db, referer, next_page):
    """The address it was sent to would refuse to be opened."""
    response = client.post("/chat/messages/", {"text": "Hello"}, headers={"Referer": referer})

    assert (response.status_code, response["Location"]) == (302, f"/login/?next={next_page}")


def test_a_page_that_was_open_for_too_long_is_told_so_in_words(owner):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner.user)

    script = strict.post("/chat/messages/", {"text": "Hello"}, headers={"X-Requested-With": "fetch"})
    form = strict.post("/chat/messages/", {"text": "Hello"})

    assert (script.status_code, script.json()) == (
        403,
        {"detail": "This page has been open for too long.", "code": "csrf"},
    )
    assert form.status_code == 403
    assert "Load the page again" in form.content.decode()
