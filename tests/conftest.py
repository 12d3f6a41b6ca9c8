"""Two organizations, three people: the owner, a teammate, and a stranger of another organization."""

from collections.abc import Iterator

import pytest
from django.db import connections
from hypothesis import settings as property_tests

from agencycore.embedded.services import ensure_services
from organizations.models import Organization
from tests.people import Person, make_person

# The same examples every time: a test that fails sometimes is a fault of its own. A search for new ones is
# `pytest --hypothesis-profile=default`.
property_tests.register_profile("suite", deadline=None, derandomize=True, database=None)
property_tests.load_profile("suite")

DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


def pytest_configure() -> None:
    ensure_services()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every database test knows both roles: a flush has to be done by the owner."""
    for item in items:
        marker = item.get_closest_marker("django_db")
        if marker is not None or DATABASE_FIXTURES & set(getattr(item, "fixturenames", ())):
            options = {"databases": ["default", "owner"], **(marker.kwargs if marker else {})}
            item.add_marker(pytest.mark.django_db(**options), append=False)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    yield
    # The owner drops the test database; the runtime role's connection to it would be in the way.
    connections["default"].close()


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


@pytest.fixture(autouse=True)
def nothing_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices of slow sources would depend on what else the machine does; tests of them set their own time."""
    monkeypatch.setattr("chat.context.slow.SLOW_SECONDS", 3_600.0)
