"""A person's own page, and the API token they make there."""

import re

import pytest
from django.test import Client
from rest_framework.authtoken.models import Token

pytestmark = pytest.mark.django_db

KEY = re.compile(r'id="new-token"[^>]*>([0-9a-f]{40})<')
REPLACES = re.compile(r'name="replaces" value="([^"]*)"')


def page_of(person) -> str:
    return person.client.get("/account/").content.decode()


def replaces(page: str) -> str:
    found = REPLACES.search(page)
    assert found
    return found[1].replace("&#x27;", "'")


def make_token(person, page: str):
    return person.client.post("/account/token/", {"replaces": replaces(page)})


def status_with(key: str) -> int:
    return Client().get("/api/v1/conversations/", HTTP_AUTHORIZATION=f"Token {key}").status_code


def test_the_account_menu_leads_to_the_own_page(owner):
    assert 'href="/account/"' in owner.client.get("/").content.decode()


def test_a_new_token_is_shown_once_and_opens_the_api(owner):
    before = page_of(owner)
    assert "You have no token." in before

    response = make_token(owner, before)

    [key] = KEY.findall(response.content.decode())
    assert key == Token.objects.get(user=owner.user).key
    assert "no-store" in response["Cache-Control"]
    assert status_with(key) == 200
    after = page_of(owner)
    assert "You have a token" in after
    assert key not in after


def test_replacing_ends_the_token_before(owner):
    [first] = KEY.findall(make_token(owner, page_of(owner)).content.decode())

    [second] = KEY.findall(make_token(owner, page_of(owner)).content.decode())

    assert (status_with(first), status_with(second)) == (401, 200)


def test_a_reload_or_a_second_tab_does_not_end_a_token_that_was_just_made(owner):
    before = page_of(owner)
    [key] = KEY.findall(make_token(owner, before).content.decode())

    again = make_token(owner, before)

    assert again.status_code == 409
    said = again.content.decode()
    assert "Nothing was changed" in said
    assert key not in said
    assert status_with(key) == 200


def test_a_deleted_token_opens_nothing(owner):
    [key] = KEY.findall(make_token(owner, page_of(owner)).content.decode())

    response = owner.client.post("/account/token/delete/")

    assert (response.status_code, response["Location"]) == (302, "/account/")
    assert status_with(key) == 401
    assert "You have no token." in page_of(owner)


def test_the_tokens_of_others_stay_untouched(owner, teammate, stranger):
    keys = [Token.objects.create(user=person.user).key for person in (teammate, stranger)]
    theirs = Token.objects.get(user=teammate.user).created.isoformat()

    owner.client.post("/account/token/delete/")
    refused = owner.client.post("/account/token/", {"replaces": theirs})

    assert refused.status_code == 409
    assert [status_with(key) for key in keys] == [200, 200]
    assert not any(key in page_of(owner) for key in keys)


@pytest.mark.parametrize("address", ["/account/token/", "/account/token/delete/"])
def test_a_token_is_never_made_or_deleted_by_a_link_or_from_elsewhere(owner, address):
    Token.objects.create(user=owner.user)
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(owner.user)

    assert owner.client.get(address).status_code == 405
    assert forged.post(address, {"replaces": ""}).status_code == 403
    assert Client().post(address)["Location"].startswith("/login/")
    assert Token.objects.filter(user=owner.user).count() == 1
