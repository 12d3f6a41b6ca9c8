"""Whatever of somebody else stands in a cell of an imported file, an id or a name: as an unknown one.

The columns come from the importers.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from functools import partial

import pytest

from agencycore.tenancy import tenant
from crm.importing import IMPORTERS
from crm.models import Company, Deal, Person
from tests.tenancy.asking import Ask, Browser, Outcome, unknown_like
from tests.tenancy.walking import Walk
from tests.tenancy.world import World

pytestmark = pytest.mark.django_db

# What an import finds records and people by.
NAMES = {"domain", "email", "name"}
ORGANIZATION = "organizations.Organization"


@pytest.mark.parametrize("kind", IMPORTERS)
def test_a_cell_that_names_what_is_a_strangers_reads_as_one_that_names_nothing(walk: Walk, kind: str):
    browser, importer = walk.browser(walk.owner), IMPORTERS[kind]
    with tenant(walk.owner.person.organization.id):
        company = Company.objects.exclude(domain="").latest("id").domain
    required = {column.title: "Somebody New" for column in importer.columns if column.required}
    required |= {"Company": company} if "Company" in required else {}
    knock = partial(_knock, browser, kind)
    assert knock(required).status == 302

    for column in importer.columns:
        for foreign, unknown in _names(walk.stranger):
            one, none = (knock({**required, column.title: cell}, foreign, unknown) for cell in (foreign, unknown))
            assert one.difference_to(none) == "", (column.title, foreign)


def _names(theirs: World) -> Iterator[tuple[str, str]]:
    models = (Company, Person, Deal)
    ids = [theirs.ids[model._meta.label][0] for model in models] + [
        theirs.refs["company"][0],
        theirs.slugs[ORGANIZATION][0],
    ]
    yield from ((each, unknown_like(each)) for each in ids)
    yield from ((each, _nobodys(each)) for each in (theirs.person.user.username, theirs.person.user.email) if each)
    with tenant(theirs.person.organization.id):
        for model in models:
            for name in sorted(NAMES & {field.name for field in model._meta.fields}):
                named = model.objects.exclude(**{name: ""}).order_by("-pk").values_list(name, flat=True)
                yield from ((each, _nobodys(each)) for each in named[:1])


def _nobodys(name: str) -> str:
    """A name of the same form and length."""
    return codecs.encode(name, "rot13")


def _knock(browser: Browser, kind: str, row: dict[str, str], *names: str) -> Outcome:
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=row)
    writer.writeheader()
    writer.writerow(row)
    ask = Ask("POST", "/crm/import/", body={"kind": kind}, files={"file": ("rows.csv", file.getvalue().encode())})
    return browser.knock(ask, *names)
