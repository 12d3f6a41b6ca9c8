"""Database connections of threads that wait for something else."""

from django.db import connection


def give_back_connection() -> None:
    """Let another thread have this one's connection during a wait; the next statement takes one again.

    Without a pool a connection is its thread's own: giving it up would only cost making it anew. Inside a transaction
    nothing happens either: the connection is the transaction.
    """
    if connection.settings_dict["OPTIONS"].get("pool") and not connection.in_atomic_block:
        connection.close()
