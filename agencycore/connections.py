"""Database connections of threads that wait for something else."""

from django.db import connection


def give_back_connection() -> None:
    """Let another thread have this one's connection during a wait; the next statement takes one again.

    Inside a transaction nothing happens: the connection is the transaction.
    """
    if not connection.in_atomic_block:
        connection.close()
