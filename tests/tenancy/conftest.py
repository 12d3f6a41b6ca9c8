"""One pair of organizations for all walks, in a transaction that is never committed."""

import logging
from collections.abc import Iterator

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, transaction
from django.test import override_settings

from crm.demo.meridian import WORLD as MERIDIAN
from crm.demo.northwind import WORLD as NORTHWIND
from tests.tenancy.walking import Walk
from tests.tenancy.world import make_teammate, make_world, spread_whole_numbers

SHORT_PAGE = 2


@pytest.fixture(scope="package")
def walk(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Walk]:
    """Built once: each request and each turn takes back what it changed."""
    folder = tmp_path_factory.mktemp("tenancy")
    block = transaction.atomic()
    block._from_testcase = True  # as in Django's own test cases: durable blocks may stand inside
    options = {"MEDIA_ROOT": str(folder / "files"), "MESSAGES_PER_MINUTE": 1_000_000}
    with django_db_blocker.unblock(), override_settings(**options), pytest.MonkeyPatch.context() as patched, block:
        # What a list shows of everybody's own is no matter here, and takes most of the time.
        patched.setattr("crm.listing.PAGE_SIZE", SHORT_PAGE)
        patched.setattr("django.contrib.admin.ModelAdmin.list_per_page", SHORT_PAGE)
        # The walk reads answers, never the templates and contexts that Django's client would keep a copy of.
        patched.setattr("django.test.client.store_rendered_templates", lambda *_, **__: None)
        # Sockets would close this transaction's connection, reads of event streams would take another one.
        patched.setattr("channels.db.close_old_connections", lambda: None)
        patched.setattr(
            "agencycore.streams.database.database_sync_to_async",
            lambda read, **_: sync_to_async(read, thread_sensitive=True),
        )
        spread_whole_numbers()
        owner, stranger = make_world(NORTHWIND, folder), make_world(MERIDIAN, folder)
        teammate = make_teammate(owner)
        # What waits for a commit that never comes: each request would check all of it, and each rollback go through it.
        connection.check_constraints()
        connection.run_on_commit.clear()
        logging.disable(logging.WARNING)  # thousands of refusals
        yield Walk(owner, stranger, *teammate)
        logging.disable(logging.NOTSET)
        transaction.set_rollback(True)
