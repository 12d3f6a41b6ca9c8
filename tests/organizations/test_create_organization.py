"""The first organization and its admin."""

import io

import pytest
from django.core.management import CommandError, call_command

from organizations.actions import InvalidOrganization, create_organization
from organizations.models import Membership, Organization, User
from tests.people import Person

pytestmark = pytest.mark.django_db


def test_it_makes_the_organization_and_an_admin_who_can_log_in():
    membership = create_organization(
        slug="cedar", name="Cedar", admin_username="cara", password="a long password 7", time_zone="Europe/Oslo"
    )

    user = User.objects.get(username="cara")
    assert membership.role == Membership.Role.ADMIN
    assert (membership.organization.name, membership.organization.time_zone) == ("Cedar", "Europe/Oslo")
    assert user.check_password("a long password 7")
    assert (user.is_staff, user.is_superuser) == (True, False)


def test_an_existing_user_keeps_the_password_and_the_other_membership(owner: Person):
    create_organization(slug="cedar", name="Cedar", admin_username=owner.user.username)

    memberships = Membership.objects.of(owner.user)
    assert [(m.organization.slug, m.role) for m in memberships] == [("acorn", "member"), ("cedar", "admin")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slug": "two words"}, "The slug may hold letters, digits, hyphens and underscores only."),
        ({"slug": "acorn"}, "There is an organization “acorn” already."),
        ({"time_zone": "Oslo"}, "“Oslo” is not a time zone. Use a name such as Europe/Oslo."),
        ({"password": None}, "There is no user “cara” yet, and a new one needs a password."),
        ({"password": "short"}, "This password is too short. It must contain at least 10 characters."),
    ],
)
def test_what_is_refused_changes_nothing(organization: Organization, change: dict[str, str], message: str):
    wanted = {"slug": "cedar", "name": "Cedar", "admin_username": "cara", "password": "a long password 7"} | change

    with pytest.raises(InvalidOrganization) as refusal:
        create_organization(**wanted)

    assert str(refusal.value) == message
    assert Organization.objects.count() == 1
    assert User.objects.count() == 0


def test_the_command_reads_the_password_from_a_pipe(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a long password 7\n"))
    said = io.StringIO()

    call_command("create_organization", "cedar", admin="cara", name="Cedar", stdout=said)

    assert said.getvalue() == "Cedar (cedar) is made; cara is its admin.\n"
    assert User.objects.get(username="cara").check_password("a long password 7")


def test_the_command_tells_what_is_wrong(organization: Organization, owner: Person):
    with pytest.raises(CommandError, match="There is an organization “acorn” already"):
        call_command("create_organization", "acorn", admin=owner.user.username)
