"""A database of one's own, with two log-ins or with one; row-level security holds in both."""

from collections.abc import Iterator

import pytest

from tests.agencycore.bundled import DataFolder, new_data_folder

pytestmark = pytest.mark.processes

# What request code sees: nothing of a tenant outside of ``tenant``, and its own rows inside.
LOOK = """
import django, logging; django.setup()
from django.db import connection
from agencycore.streams.models import Stream
from agencycore.tenancy import tenant
from organizations.models import Organization
one, other = (Organization.objects.create(slug=slug, name=slug) for slug in ("one", "other"))
with tenant(one.id):
    Stream.objects.create(name="run:1", organization_id=one.id)
with tenant(other.id):
    foreign = Stream.objects.count()
with tenant(one.id):
    own = Stream.objects.count()
with connection.cursor() as cursor:
    cursor.execute("SELECT current_user, session_user")
    print("seen", cursor.fetchone(), own, foreign, Stream.objects.count())
"""


@pytest.fixture
def data() -> Iterator[DataFolder]:
    """A bundled server that plays the part of somebody's own."""
    folder = new_data_folder()
    yield folder
    folder.end()


def make_log_in(data: DataFolder, name: str, rights: str) -> str:
    """The address of a new database that belongs to a new log-in."""
    code = (
        "from agencycore.embedded.postgres_roles import connect_as_superuser\n"
        "server = connect_as_superuser()\n"
        f"server.execute(\"CREATE ROLE {name} LOGIN {rights} PASSWORD 'secret'\")\n"
        f"server.execute('CREATE DATABASE {name} OWNER {name}')\n"
    )
    assert data.run(code) == ""
    return f"postgresql://{name}:secret@/{name}?host={data.path}/run/postgres"


def manage(data: DataFolder, *arguments: str, **environment: str) -> tuple[int, str]:
    process = data.python(*arguments, DJANGO_SETTINGS_MODULE="agencycore.settings", **environment)
    said = process.communicate()[0]
    return process.returncode, said


def test_one_log_in_acts_as_the_runtime_role_and_says_that_this_is_weaker(data: DataFolder):
    with data.held():
        url = make_log_in(data, "single", "CREATEROLE")

        migrated = manage(data, "manage.py", "migrate", "--verbosity", "0", DATABASE_URL=url)
        seen = manage(data, "-c", LOOK, DATABASE_URL=url)
        checked = manage(data, "manage.py", "check", "--database", "default", DATABASE_URL=url)

    assert migrated == (0, "")
    assert "seen ('agencycore_runtime', 'single') 1 0 0" in seen[1]
    assert "a weaker backstop than a log-in of its own" in seen[1]
    assert (checked[0], "agencycore.W001" in checked[1]) == (0, True)


def test_a_log_in_that_may_not_make_the_role_is_told_what_to_ask_for(data: DataFolder):
    with data.held():
        url = make_log_in(data, "humble", "")

        status, said = manage(data, "manage.py", "migrate", "--verbosity", "0", DATABASE_URL=url)

    assert status == 1
    assert said.endswith(
        "This database log-in may not make the role agencycore_runtime. Ask an administrator to run "
        '"CREATE ROLE agencycore_runtime NOLOGIN; GRANT agencycore_runtime TO <log-in>", '
        "or set DATABASE_OWNER_URL to a second log-in that owns the tables.\n"
    )


def test_an_owner_given_as_the_runtime_role_does_not_serve(data: DataFolder):
    with data.held():
        url = make_log_in(data, "single", "")
        # One app's tables are enough to own some.
        migrated = manage(
            data, "manage.py", "migrate", "dispatch", "--verbosity", "0", DATABASE_OWNER_URL=url, DATABASE_URL=url + "&"
        )
        status, said = manage(data, "-c", LOOK, DATABASE_OWNER_URL=url, DATABASE_URL=url + "&")

    assert migrated == (0, "")
    assert (status, "The runtime database role single owns tables." in said) == (1, True)
