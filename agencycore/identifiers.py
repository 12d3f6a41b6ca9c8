"""Keys that are seen outside the database."""

import uuid

from uuid_utils.compat import uuid7


def new_id() -> uuid.UUID:
    """A UUIDv7: unique everywhere, and sorted by the moment it was made."""
    return uuid7()
