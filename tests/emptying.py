"""Tables emptied after a test that commits.

Django's own flush truncates every table, and makes content types and permissions anew: longer than most of these tests.
"""

from django.db import connections, transaction

# Made by ``migrate`` and changed by no test.
KEPT = {"django_content_type", "auth_permission"}


def empty_tables() -> None:
    """Delete the rows there are, as the owner, in any order: foreign keys are looked at when all are gone."""
    connection = connections["owner"]
    with transaction.atomic(using="owner"), connection.cursor() as cursor:
        names = connection.introspection.django_table_names(only_existing=True, include_views=False)
        tables = [connection.ops.quote_name(name) for name in sorted(set(names) - KEPT)]
        cursor.execute(" UNION ALL ".join(f"(SELECT '{table}' FROM {table} LIMIT 1)" for table in tables))
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {table}")
