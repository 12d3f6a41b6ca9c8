"""The role request code works as: bound by row-level security, owner of nothing."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import ProgrammingError, connection, connections, transaction

from agencycore.checks import RoleGate, check_runtime_role, role_problems
from agencycore.streams.models import Stream
from agencycore.tenancy import tenant
from tests.people import Person

pytestmark = pytest.mark.django_db

# These carry an organization and no policy: the sweeper and the log-in look across organizations.
WITHOUT_POLICY = {"dispatch_dispatch", "organizations_membership"}


def test_every_table_with_an_organization_has_a_policy():
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            """
            SELECT c.relname FROM pg_class c
            JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
            AND NOT (c.relrowsecurity AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))
            """
        )
        uncovered = {name for (name,) in cursor.fetchall()}

    assert uncovered == WITHOUT_POLICY


def test_the_runtime_role_is_bound_by_row_level_security():
    assert role_problems(connection) == []
    assert [message.id for message in check_runtime_role(databases=["default"])] == []


def test_the_owner_is_refused_as_the_runtime_role():
    problems = role_problems(connections["owner"])

    assert len(problems) == 1
    assert problems[0].endswith("owns tables.")


def test_a_process_with_an_unbound_role_does_not_serve(monkeypatch: pytest.MonkeyPatch):
    gate = RoleGate()
    monkeypatch.setattr("agencycore.checks.role_problems", lambda connection: ["The role x is a superuser."])
    monkeypatch.setattr(connection, "close", lambda: None)

    with pytest.raises(ImproperlyConfigured, match="The role x is a superuser"):
        gate(connection)

    assert gate.passed is False


def test_the_runtime_role_reads_and_writes_rows(owner: Person, stranger: Person):
    with tenant(owner.actor.organization_id):
        Stream.objects.create(name="conversation:1", organization_id=owner.actor.organization_id)
        assert Stream.objects.count() == 1

    with tenant(stranger.actor.organization_id):
        assert Stream.objects.count() == 0


def test_the_runtime_role_makes_no_tables_and_no_schema_history():
    for statement in ("CREATE TABLE public.t (id int)", "DELETE FROM django_migrations", "DROP TABLE streams_event"):
        with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
