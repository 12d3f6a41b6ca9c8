"""Who asks, and the wall between organizations.

Every tenant table carries ``organization_id`` and a row-level security policy. A transaction sees
the rows of one organization: the one named to ``tenant``. Scoped managers filter as well, so the
policies are the second line, and the one that holds when a filter is forgotten.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from django.db import connection, transaction
from django.db.migrations.operations import RunSQL

Role = Literal["member", "admin"]

ORGANIZATION_SETTING = "app.organization_id"
PLATFORM_SETTING = "app.platform"

WRITE_SQL = f"SELECT set_config('{ORGANIZATION_SETTING}', %s, true), set_config('{PLATFORM_SETTING}', %s, true)"
WRITE_READ_ONLY_SQL = f"{WRITE_SQL}, set_config('transaction_read_only', 'on', true)"

# NULLIF: after a transaction that used set_config the setting is '' and not NULL.
CURRENT_ORGANIZATION = f"(SELECT NULLIF(current_setting('{ORGANIZATION_SETTING}', true), '')::uuid)"
PLATFORM_WRITER = f"current_setting('{PLATFORM_SETTING}', true) = 'on'"


@dataclass(frozen=True, slots=True)
class Actor:
    """A user acting in one organization."""

    user_id: int
    organization_id: uuid.UUID
    role: Role

    @property
    def is_admin(self) -> bool:
        return self.role == "admin"


@contextmanager
def tenant(organization_id: uuid.UUID, *, durable: bool = False, read_only: bool = False) -> Iterator[None]:
    """A transaction that sees and writes the rows of one organization, and reads platform rows.

    ``durable``: it is committed when the block ends; RuntimeError inside another transaction.
    ``read_only``: whatever the block tries to write is refused.
    """
    with _scoped(str(organization_id), platform=False, durable=durable, read_only=read_only):
        yield


@contextmanager
def platform_writer() -> Iterator[None]:
    """A transaction that sees and writes platform rows (those without an organization)."""
    with _scoped("", platform=True):
        yield


@contextmanager
def _scoped(organization: str, *, platform: bool, durable: bool = False, read_only: bool = False) -> Iterator[None]:
    nested = connection.in_atomic_block
    with transaction.atomic(durable=durable):
        previous = _read_settings() if nested else None
        _write_settings(organization, "on" if platform else "", read_only=read_only)
        yield
        # An outer transaction goes on after us; a rollback restores by itself.
        if previous is not None:
            _write_settings(*previous)


def set_tenant(organization_id: uuid.UUID) -> None:
    """Name the organization for the rest of the current transaction."""
    _write_settings(str(organization_id), "")


def _read_settings() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(current_setting(%s, true), ''), coalesce(current_setting(%s, true), '')",
            [ORGANIZATION_SETTING, PLATFORM_SETTING],
        )
        organization, platform = cursor.fetchone()
    return organization, platform


def _write_settings(organization: str, platform: str, *, read_only: bool = False) -> None:
    with connection.cursor() as cursor:
        cursor.execute(WRITE_READ_ONLY_SQL if read_only else WRITE_SQL, [organization, platform])


def tenant_policy(table: str) -> RunSQL:
    """Migration operation: rows of ``table`` belong to one organization each."""
    own = f"organization_id = {CURRENT_ORGANIZATION}"
    return _policies(table, {"organization_rows": f"FOR ALL USING ({own}) WITH CHECK ({own})"})


def shared_policy(table: str) -> RunSQL:
    """Migration operation: rows without an organization are the platform's, readable by all."""
    own = f"organization_id = {CURRENT_ORGANIZATION}"
    writable = f"{own} OR (organization_id IS NULL AND {PLATFORM_WRITER})"
    return _policies(
        table,
        {
            "organization_rows": f"FOR ALL USING ({writable}) WITH CHECK ({writable})",
            "platform_rows": "FOR SELECT USING (organization_id IS NULL)",
        },
    )


def _policies(table: str, policies: dict[str, str]) -> RunSQL:
    return RunSQL(
        sql=[
            f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY',
            *(f'CREATE POLICY {name} ON "{table}" {clause}' for name, clause in policies.items()),
        ],
        reverse_sql=[
            *(f'DROP POLICY {name} ON "{table}"' for name in policies),
            f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY',
        ],
    )
