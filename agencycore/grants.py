"""What the runtime role may do: read and write rows, own nothing, bypass nothing."""

from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import ProgrammingError, connections, transaction
from psycopg import sql

MIGRATION_TABLE = "django_migrations"

# Privileges are given after each migrate, so a table made by any app is covered without its help.
GRANTS = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    # The history of the schema is the owner's alone.
    "REVOKE INSERT, UPDATE, DELETE ON {migrations} FROM {role}",
)


def make_runtime_role(sender: AppConfig, using: str, **options: object) -> None:
    """Before the first migration with one database URL: the role that request code acts as."""
    if using != "owner" or not settings.ONE_DATABASE_URL:
        return
    role = sql.Identifier(settings.RUNTIME_ROLE)
    connection = connections[using]
    try:
        with transaction.atomic(using=using), connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [settings.RUNTIME_ROLE])
            if not cursor.fetchone():
                cursor.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOBYPASSRLS").format(role))
                cursor.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(role))
    except ProgrammingError as error:
        raise ImproperlyConfigured(_how_to_make_the_role()) from error


def grant_to_runtime_role(sender: AppConfig, using: str, **options: object) -> None:
    """After each migrate as the owner, test databases included."""
    if using != "owner":
        return
    names = {"role": sql.Identifier(settings.RUNTIME_ROLE), "migrations": sql.Identifier(MIGRATION_TABLE)}
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for statement in GRANTS:
            cursor.execute(sql.SQL(statement).format(**names))


def _how_to_make_the_role() -> str:
    return (
        f"This database log-in may not make the role {settings.RUNTIME_ROLE}. Ask an administrator to run "
        f'"CREATE ROLE {settings.RUNTIME_ROLE} NOLOGIN; GRANT {settings.RUNTIME_ROLE} TO <log-in>", '
        "or set DATABASE_OWNER_URL to a second log-in that owns the tables."
    )
