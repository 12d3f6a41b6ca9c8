"""References that cannot leave the organization, kept by the database."""

from django.db.migrations.operations import RunSQL

# A plain foreign key is checked past row-level security, so it alone would let a row point into
# another organization. Deferred: rows and what they point at may come in one transaction in any order.


def referable(table: str) -> RunSQL:
    """Migration operation: rows of ``table`` may be pointed at together with their organization."""
    name = f"{table}_in_organization"
    return RunSQL(
        sql=f'ALTER TABLE "{table}" ADD CONSTRAINT {name} UNIQUE (organization_id, id)',
        reverse_sql=f'ALTER TABLE "{table}" DROP CONSTRAINT {name}',
    )


def same_organization(table: str, column: str, target: str) -> RunSQL:
    """Migration operation: ``table.column`` points at a row of ``target`` in the same organization."""
    name = f"{table}_{column}_in_organization"
    return RunSQL(
        sql=(
            f'ALTER TABLE "{table}" ADD CONSTRAINT {name} FOREIGN KEY (organization_id, {column}) '
            f'REFERENCES "{target}" (organization_id, id) DEFERRABLE INITIALLY DEFERRED'
        ),
        reverse_sql=f'ALTER TABLE "{table}" DROP CONSTRAINT {name}',
    )
