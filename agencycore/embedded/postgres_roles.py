"""The roles, the database and the extension that the product expects of its server."""

import psycopg
from psycopg import sql

from agencycore.embedded.defaults import DATABASE, OWNER_USER, RUNTIME_USER
from agencycore.embedded.folders import secret, socket_folder

SUPERUSER = "postgres"


def connect_as_superuser(database: str = SUPERUSER) -> psycopg.Connection:
    return psycopg.connect(host=str(socket_folder("postgres")), user=SUPERUSER, dbname=database, autocommit=True)


def provision() -> None:
    """The two roles, the database and pgvector; repeated at every start, so that a half-made set is completed."""
    with connect_as_superuser() as server:
        _make_role(server, OWNER_USER, "CREATEDB")
        _make_role(server, RUNTIME_USER, "NOCREATEDB")
        # New databases, those of tests among them, are copies of template1; pgvector needs a superuser.
        with connect_as_superuser("template1") as template:
            template.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            server.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER_USER))
            )
    with connect_as_superuser(DATABASE) as database:
        database.execute("CREATE EXTENSION IF NOT EXISTS vector")


def _make_role(server: psycopg.Connection, name: str, extra: str) -> None:
    exists = server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone()
    server.execute(
        sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE {} PASSWORD {}").format(
            sql.SQL("ALTER" if exists else "CREATE"), sql.Identifier(name), sql.SQL(extra), sql.Literal(secret(name))
        )
    )
