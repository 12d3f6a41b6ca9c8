"""Two organizations, three people: the owner, a teammate, and a stranger of another organization."""

import gc
from collections.abc import Iterator

import pytest
from django.db import connections
from django.test import TransactionTestCase, override_settings
from hypothesis import settings as property_tests
from whitenoise.responders import StaticFile  # type: ignore[import-untyped]

from agencycore.embedded.services import ensure_services
from agencycore.static_files import StaticFilesMiddleware
from organizations.models import Organization
from tests.emptying import empty_tables
from tests.people import Person, make_person

# The same examples every time: a test that fails sometimes is a fault of its own. A search for new ones is
# `pytest --hypothesis-profile=search`: many more, others each time, and still no deadline.
property_tests.register_profile("suite", deadline=None, derandomize=True, database=None)
property_tests.register_profile("search", deadline=None, database=None, max_examples=2_500)
property_tests.load_profile("suite")

DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


def pytest_configure() -> None:
    ensure_services()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every database test knows both roles: a flush has to be done by the owner.

    The walks take longest, so they go first: at the end of a run whoever is done has short ones left to help with.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/tenancy/"))
    for item in items:
        marker = item.get_closest_marker("django_db")
        if marker is not None or DATABASE_FIXTURES & set(getattr(item, "fixturenames", ())):
            options = {"databases": ["default", "owner"], **(marker.kwargs if marker else {})}
            item.add_marker(pytest.mark.django_db(**options), append=False)


def pytest_collection_finish() -> None:
    """What is imported by now stays to the end: collecting garbage need not go through it time and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    yield
    # The owner drops the test database; the runtime role's connection to it would be in the way.
    connections["default"].close()


@pytest.fixture(scope="session", autouse=True)
def static_files_listed_once() -> Iterator[None]:
    """Every test client makes its middleware anew, and listing all static files takes longer than most requests."""
    list_all = StaticFilesMiddleware.add_files_from_finders
    listed: dict[str, StaticFile] = {}

    def list_once(middleware: StaticFilesMiddleware) -> None:
        if not listed:
            list_all(middleware)
            listed.update(middleware.files)
        middleware.files.update(listed)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(StaticFilesMiddleware, "add_files_from_finders", list_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def passwords_hashed_fast() -> Iterator[None]:
    """As Django advises for tests; those that start real processes log in with the product's own hasher."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session", autouse=True)
def requests_without_limit() -> Iterator[None]:
    """A walk makes hundreds in a minute, and all processes of a run count in one Redis; tests of the limit set it."""
    with override_settings(API_REQUESTS_PER_MINUTE=1_000_000_000):
        yield


@pytest.fixture(scope="session", autouse=True)
def tables_emptied_fast() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(TransactionTestCase, "_fixture_teardown", lambda case: empty_tables())
        yield


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
