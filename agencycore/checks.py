"""Refuses a database role that row-level security would not bind."""

import logging
from collections.abc import Sequence

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)

ROLE_FACTS = """
    SELECT current_user, rolsuper, rolbypassrls, EXISTS (
        SELECT 1 FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
        AND pg_has_role(current_user, relowner, 'USAGE')
    )
    FROM pg_roles WHERE rolname = current_user
"""
WEAKER_BACKSTOP = (
    "DATABASE_URL and DATABASE_OWNER_URL are one log-in: request code acts as %s by SET ROLE, "
    "a weaker backstop than a log-in of its own."
)


def role_problems(connection: BaseDatabaseWrapper) -> list[str]:
    """Why row-level security would not bind the role of ``connection``; empty when it does."""
    with connection.cursor() as cursor:
        cursor.execute(ROLE_FACTS)
        role, is_superuser, bypasses, owns_tables = cursor.fetchone()
    reasons = {"is a superuser": is_superuser, "bypasses row-level security": bypasses, "owns tables": owns_tables}
    return [f"The runtime database role {role} {reason}." for reason, holds in reasons.items() if holds]


def check_runtime_role(
    app_configs: Sequence[AppConfig] | None = None, databases: Sequence[str] | None = None, **options: object
) -> list[CheckMessage]:
    """System check, run by ``check --database default``."""
    if DEFAULT_DB_ALIAS not in (databases or []):
        return []
    found: list[CheckMessage] = [
        Error(problem, hint="Set DATABASE_URL to a role without these rights.", id="agencycore.E001")
        for problem in role_problems(connections[DEFAULT_DB_ALIAS])
    ]
    if settings.ONE_DATABASE_URL:
        found.append(Warning(WEAKER_BACKSTOP % settings.RUNTIME_ROLE, id="agencycore.W001"))
    return found


class RoleGate:
    """Checks the role on the first connection of a process, whichever process that is."""

    def __init__(self) -> None:
        self.passed = False

    def __call__(self, connection: BaseDatabaseWrapper, **options: object) -> None:
        if self.passed or connection.alias != DEFAULT_DB_ALIAS:
            return
        problems = role_problems(connection)
        if problems:
            connection.close()
            raise ImproperlyConfigured(" ".join(problems) + " See docs/engineering/operations.md, Database roles.")
        self.passed = True
        if settings.ONE_DATABASE_URL:
            logger.warning(WEAKER_BACKSTOP, settings.RUNTIME_ROLE)


require_bound_role = RoleGate()
