"""The audit desk: what staff see of organizations, people, memory and cost, and what they may change."""

import csv
import io
import logging
import uuid

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from agencycore.ai.types import CallOwner, ModelReply, Usage
from agencycore.identifiers import new_id
from agencycore.tenancy import tenant
from organizations.ledger import record_usage, reserve, settle
from organizations.models import Membership, ModelCall, Organization, Preference, User
from tests.people import Person

pytestmark = pytest.mark.django_db

PAGES = ["organization", "membership", "user", "preference", "modelcall", "usagerecord"]


def spend(person: Person, model: str) -> ModelCall:
    owner = CallOwner(person.organization.id, new_id(), "decision")
    call = reserve(owner=owner, provider="openai", model=model, tokens=100, timeout_seconds=60)
    settle(call, ModelReply("{}", "complete", Usage(90, 0, 10), "openai", model, "=HYPERLINK(1)"))
    with tenant(person.organization.id):
        record_usage(owner=owner, user_id=person.user.id, provider="openai", model=model)
    return call


def remember(organization: Organization, text: str) -> Preference:
    with tenant(organization.id):
        return Preference.objects.create(organization=organization, text=text)


def page_of(client: Client, address: str) -> str:
    response = client.get(f"/admin/organizations/{address}/")
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def superuser(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create(username="root", is_staff=True, is_superuser=True))
    return client


@pytest.mark.parametrize("page", PAGES)
def test_staff_read_every_page_of_the_room(admin: Person, page: str):
    page_of(admin.client, page)


@pytest.mark.parametrize("page", PAGES)
def test_a_member_who_is_no_staff_reads_none(owner: Person, page: str):
    assert owner.client.get(f"/admin/organizations/{page}/").status_code == 302


def test_staff_see_their_own_organization_and_its_people(admin: Person, owner: Person, stranger: Person):
    assert "Acorn" in page_of(admin.client, "organization")
    assert "Birch" not in page_of(admin.client, "organization")
    assert "olivia" in page_of(admin.client, "membership")
    assert "sam" not in page_of(admin.client, "membership")
    assert "olivia" in page_of(admin.client, "user")
    assert "sam@" not in page_of(admin.client, "user")


def test_staff_see_their_own_organizations_memory_and_cost(admin: Person, stranger: Person):
    remember(admin.organization, "Answer in short sentences.")
    remember(stranger.organization, "Answer in verse.")
    spend(admin, "gpt-acorn")
    spend(stranger, "gpt-birch")

    assert "short sentences" in page_of(admin.client, "preference")
    assert "verse" not in page_of(admin.client, "preference")
    for page in ("modelcall", "usagerecord"):
        assert "gpt-acorn" in page_of(admin.client, page)
        assert "gpt-birch" not in page_of(admin.client, page)


def test_foreign_rows_answer_as_unknown_ones(admin: Person, stranger: Person):
    foreign = {
        "organization": stranger.organization.id,
        "membership": stranger.membership.id,
        "user": stranger.user.id,
        "preference": remember(stranger.organization, "Answer in verse.").id,
        "modelcall": spend(stranger, "gpt-birch").id,
    }

    for page, key in foreign.items():
        unknown = uuid.uuid4() if isinstance(key, uuid.UUID) else 999_999
        answers = [admin.client.get(f"/admin/organizations/{page}/{number}/change/") for number in (key, unknown)]
        assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, "/admin/")] * 2


def test_cost_is_evidence_that_nobody_changes(admin: Person, superuser: Client):
    call = spend(admin, "gpt-acorn")
    page = f"/admin/organizations/modelcall/{call.id}/change/"

    assert admin.client.get(page).status_code == 200
    for client in (admin.client, superuser):
        assert client.post(page, {"input_tokens": 1}).status_code == 403
        assert client.get("/admin/organizations/modelcall/add/").status_code == 403
        assert client.post(f"/admin/organizations/modelcall/{call.id}/delete/", {"post": "yes"}).status_code == 403
    with tenant(admin.organization.id):
        assert ModelCall.objects.get().input_tokens == 90


def test_staff_without_the_right_change_no_limit_no_role_and_no_log_in(admin: Person, owner: Person):
    for page, key in (
        ("organization", admin.organization.id),
        ("membership", owner.membership.id),
        ("user", admin.user.id),
    ):
        address = f"/admin/organizations/{page}/{key}/change/"
        assert admin.client.get(address).status_code == 200
        assert admin.client.post(address, {"is_superuser": "on", "role": "admin"}).status_code == 403
    assert "password" not in page_of(admin.client, f"user/{admin.user.id}/change").split("content-start")[2]


@pytest.mark.parametrize("field", ["organization", "user"])
def test_staff_with_the_right_add_members_of_their_own_only(admin: Person, stranger: Person, field: str):
    admin.user.user_permissions.add(Permission.objects.get(codename="add_membership"))
    foreign = {"organization": stranger.organization.id, "user": stranger.user.id}
    own = {"organization": admin.organization.id, "user": admin.user.id, "role": "member"}

    refused = admin.client.post("/admin/organizations/membership/add/", {**own, field: foreign[field]})

    assert "not one of the available choices" in refused.content.decode()
    assert Membership.objects.count() == 2


def test_nobody_deletes_an_organization_or_a_log_in_here(superuser: Client, owner: Person):
    for page, key in (("organization", owner.organization.id), ("user", owner.user.id)):
        address = f"/admin/organizations/{page}/{key}/delete/"
        assert superuser.post(address, {"post": "yes"}).status_code == 403


def test_a_superuser_adds_anybody_to_any_organization(superuser: Client, organization: Organization, stranger: Person):
    fields = {"organization": organization.id, "user": stranger.user.id, "role": "member"}

    added = superuser.post("/admin/organizations/membership/add/", fields)

    assert added.status_code == 302
    assert Membership.objects.filter(organization=organization, user=stranger.user, role="member").count() == 1


def test_staff_keep_the_memory_of_the_organization_they_are_in(admin: Person, owner: Person, stranger: Person):
    add = "/admin/organizations/preference/add/"

    assert admin.client.post(add, {"text": "Answer in short sentences.", "user": ""}).status_code == 302
    assert admin.client.post(add, {"text": "Say Olivia.", "user": owner.user.id}).status_code == 302
    refused = admin.client.post(add, {"text": "Say Sam.", "user": stranger.user.id})

    assert "not one of the available choices" in refused.content.decode()
    with tenant(admin.organization.id):
        kept = list(Preference.objects.order_by("id").values_list("organization_id", "user_id", "text"))
    assert kept == [
        (admin.organization.id, None, "Answer in short sentences."),
        (admin.organization.id, owner.user.id, "Say Olivia."),
    ]


def test_a_time_zone_must_exist(superuser: Client, organization: Organization):
    fields = {"slug": "acorn", "name": "Acorn", "daily_token_limit": 5, "daily_run_limit": 6}
    address = f"/admin/organizations/organization/{organization.id}/change/"

    refused = superuser.post(address, {**fields, "time_zone": "Mars/Olympus"})
    accepted = superuser.post(address, {**fields, "time_zone": "Europe/Oslo"})

    assert "This is no IANA time zone" in refused.content.decode()
    assert accepted.status_code == 302
    organization.refresh_from_db()
    assert (organization.time_zone, organization.daily_token_limit, organization.daily_run_limit) == (
        "Europe/Oslo",
        5,
        6,
    )


def test_a_superuser_audits_an_organization_without_belonging_to_it(superuser: Client, admin: Person, stranger: Person):
    spend(admin, "gpt-acorn")
    spend(stranger, "gpt-birch")

    assert "gpt-acorn" in page_of(superuser, "modelcall")

    superuser.post("/staff/organization/", {"organization": "birch"})
    shown = page_of(superuser, "modelcall")
    assert "gpt-birch" in shown
    assert "gpt-acorn" not in shown


def test_a_superusers_log_in_is_logged(db: None, caplog: pytest.LogCaptureFixture):
    user = User.objects.create(username="root", is_superuser=True)

    with caplog.at_level(logging.WARNING, "organizations.staff"):
        Client().force_login(user)

    assert caplog.messages == ["Superuser root logged in from "]


# --- The organization that is shown ----------------------------------------------------------


def test_staff_of_two_organizations_switch_between_them(admin: Person, other_organization: Organization):
    Membership.objects.create(organization=other_organization, user=admin.user)
    client = admin.client
    remember(admin.organization, "Answer in short sentences.")
    remember(other_organization, "Answer in verse.")
    assert "short sentences" in page_of(client, "preference")

    switched = client.post("/staff/organization/", {"organization": "birch"})

    assert (switched.status_code, switched["Location"]) == (302, "/admin/")
    shown = page_of(client, "preference")
    assert "verse" in shown
    assert "short sentences" not in shown
    assert '<option value="birch" selected>Birch</option>' in shown


def test_staff_of_one_organization_see_its_name_and_no_choice(admin: Person):
    shown = page_of(admin.client, "preference")

    assert '<strong class="organization-name">Acorn</strong>' in shown
    assert "<select id=" not in shown


@pytest.mark.parametrize("slug", ["birch", "unknown", ""])
def test_a_foreign_organization_cannot_be_chosen(admin: Person, other_organization: Organization, slug: str):
    client = admin.client

    assert client.post("/staff/organization/", {"organization": slug}).status_code == 404
    assert "active_organization" not in client.session


def test_a_membership_that_ended_ends_the_choice(admin: Person, other_organization: Organization):
    membership = Membership.objects.create(organization=other_organization, user=admin.user)
    client = admin.client
    client.post("/staff/organization/", {"organization": "birch"})
    remember(other_organization, "Answer in verse.")
    membership.delete()

    assert "verse" not in page_of(client, "preference")


def test_only_staff_choose_and_only_by_post(admin: Person, owner: Person):
    assert owner.client.post("/staff/organization/", {"organization": "acorn"}).status_code == 302
    assert admin.client.get("/staff/organization/").status_code == 405


# --- Export ----------------------------------------------------------------------------------


def export(client: Client, page: str, keys: list[object]) -> list[list[str]]:
    response = client.post(f"/admin/organizations/{page}/", {"action": "export_csv", "_selected_action": keys})
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))


def test_the_ledger_is_exported_with_formulas_made_harmless(admin: Person, caplog: pytest.LogCaptureFixture):
    call = spend(admin, "gpt-acorn")

    with caplog.at_level(logging.INFO, "agencycore.csv_export"):
        header, row = export(admin.client, "modelcall", [call.id])

    assert header[:4] == ["Id", "Owner id", "Created at", "Purpose"]
    cells = dict(zip(header, row, strict=True))
    assert (cells["Model"], cells["Input tokens"], cells["Request id"]) == ("gpt-acorn", "90", "'=HYPERLINK(1)")
    assert caplog.messages == ["ada exported 1 rows of organizations.ModelCall"]


def test_an_export_names_foreign_rows_in_vain(admin: Person, stranger: Person):
    mine, foreign = spend(admin, "gpt-acorn"), spend(stranger, "gpt-birch")

    rows = export(admin.client, "modelcall", [mine.id, foreign.id])

    assert [row[0] for row in rows[1:]] == [str(mine.id)]
