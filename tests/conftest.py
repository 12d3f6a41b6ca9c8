"""Two organizations, three people: the owner, a teammate, and a stranger of another organization."""

import pytest

from organizations.models import Organization
from tests.people import Person, make_person


@pytest.fixture(autouse=True)
def _both_roles(request: pytest.FixtureRequest) -> None:
    """Every database test knows both roles: a flush has to be done by the owner."""
    marker = request.node.get_closest_marker("django_db")
    if marker is not None:
        marker.kwargs.setdefault("databases", ["default", "owner"])


@pytest.fixture
def organization(db: None) -> Organization:
    return Organization.objects.create(slug="acorn", name="Acorn")


@pytest.fixture
def other_organization(db: None) -> Organization:
    return Organization.objects.create(slug="birch", name="Birch")


@pytest.fixture
def owner(organization: Organization) -> Person:
    return make_person("olivia", organization)


@pytest.fixture
def teammate(organization: Organization) -> Person:
    return make_person("tom", organization)


@pytest.fixture
def admin(organization: Organization) -> Person:
    return make_person("ada", organization, role="admin", is_staff=True)


@pytest.fixture
def stranger(other_organization: Organization) -> Person:
    return make_person("sam", other_organization, role="admin", is_staff=True)
