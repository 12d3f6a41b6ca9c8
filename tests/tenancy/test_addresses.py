"""Whatever id of somebody else stands in an address: same words and same statements as for an unknown one.

The addresses come from the resolver and the ids from the database. An address that none of the rows opens for its own
people fails the walk: the world has to hold what it shows.
"""

from collections.abc import Iterable, Iterator

import pytest

from tests.tenancy.asking import Browser, unknown_like
from tests.tenancy.openings import Opening, ask_for
from tests.tenancy.walking import Walk

pytestmark = pytest.mark.django_db


def test_every_address_that_names_a_row_is_opened_by_one(walk: Walk):
    assert walk.closed == [], "no row of the world opens these; make one in tests/tenancy/world.py"
    assert len(walk.openings) > 1


def test_every_address_answers_a_strangers_id_as_an_unknown_one(walk: Walk):
    different = list(_differences(walk.browser(walk.stranger), walk.openings))

    assert not different, "\n".join(different)


def test_every_address_answers_a_teammates_private_id_as_an_unknown_one(walk: Walk):
    private = [opening for opening in walk.openings if opening.model in walk.private]
    different = list(_differences(walk.browser(walk.teammate), private))

    assert private
    assert not different, "\n".join(different)


def _differences(browser: Browser, openings: Iterable[Opening]) -> Iterator[str]:
    for opening in openings:
        address = opening.address
        named = {name for name, converter in address.parameters if converter not in ("str", "slug")}
        ids = {value: unknown_like(value) for name, value in opening.own.items() if name in named}
        unknown = {name: ids.get(value, value) for name, value in opening.own.items()}
        for method in opening.methods:
            answers = [
                browser.knock(ask_for(address, method, values), *ids, *ids.values())
                for values in (opening.own, unknown)
            ]
            if difference := answers[0].difference_to(answers[1]):
                yield f"{method} {address.route} with a {opening.model}: {difference}"
