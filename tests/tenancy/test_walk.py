"""Whatever id of somebody else a client sends, anywhere: same words and same statements as for an unknown one.

The addresses come from the resolver and the ids from the database. An address that none of the rows opens for its own
people fails the walk: the world has to hold what it shows.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from crm.demo.meridian import WORLD as MERIDIAN
from crm.demo.northwind import WORLD as NORTHWIND
from tests.tenancy.addresses import Address, Outcome, all_addresses, knock, methods_of, unknown_like
from tests.tenancy.world import World, make_world, tenant_models

pytestmark = pytest.mark.django_db

# What stands in an address beside an id, other than words of other addresses of its room.
WORDS = ("md", "json")
# Sent with whatever changes something, so that the id is looked at.
FIELDS = {"text": "Hello", "client_message_id": "c1", "title": "Mine now", "rating": "helpful"}
FORBIDDEN = 403
# Addresses of others' making that show no row of ours to anybody.
OPENS_NOTHING = {
    "admin:view_on_site": "no model has a public page of its own",
    "admin:None": "the catch-all redirects whatever it is given",
    "admin:chat_knowledgegap_change": "it leads to the message's page, whatever the id",
    "admin:auth_group_change": "groups are the platform's",
    "admin:auth_group_delete": "groups are the platform's",
    "admin:auth_group_history": "groups are the platform's",
}


@dataclass(frozen=True)
class Opening:
    """An address, how it may be asked, and the row that opens it for its own people."""

    address: Address
    methods: tuple[str, ...]
    model: str
    own: dict[str, str]


@pytest.fixture
def worlds(db: None, tmp_path, settings, monkeypatch) -> tuple[World, World]:
    settings.MEDIA_ROOT = str(tmp_path / "files")
    settings.MESSAGES_PER_MINUTE = 1_000_000
    # Reads of event streams would leave this test's transaction.
    monkeypatch.setattr(
        "agencycore.streams.database.database_sync_to_async",
        lambda read, **_: sync_to_async(read, thread_sensitive=True),
    )
    folder = tmp_path / "docs"
    folder.mkdir()
    made = make_world(NORTHWIND, folder), make_world(MERIDIAN, folder)
    for world in made:
        empty = [model._meta.label for model in tenant_models() if not world.ids[model._meta.label]]
        assert empty == [], "the world holds a row of everything; make one in tests/tenancy/world.py"
    return made


def test_every_address_answers_a_foreign_id_as_an_unknown_one(worlds):
    owner, stranger = worlds
    client, other = owner.person.client, stranger.person.client
    closed, different = [], []

    for address in all_addresses():
        if not address.parameters or address.name in OPENS_NOTHING:
            continue
        opening = _find_opening(client, owner, address)
        if opening is None:
            closed.append(address.route)
        else:
            different += _differences(other, opening)

    assert closed == [], "no row of the world opens these; make one in tests/tenancy/world.py"
    assert not different, "\n".join(different)


def _find_opening(client: Client, world: World, address: Address) -> Opening | None:
    """The first row for which its own people are told something else than for an unknown id.

    Or the first one of an address that is forbidden to them as well, whatever the id.
    """
    methods: tuple[str, ...] = ()
    for model, ids in sorted(world.ids.items(), key=lambda entry: _distance(entry[0], address)):
        for own in _fillings(address, ids):
            unknown = {name: unknown_like(value) if value in ids else value for name, value in own.items()}
            methods = methods or methods_of(client, address.fill(own))
            answers = [
                [knock(_request(client, method, address, values), *ids) for values in (own, unknown)]
                for method in methods
            ]
            is_open = any((one.status, one.said) != (none.status, none.said) for one, none in answers)
            if is_open or all(one.status == none.status == FORBIDDEN for one, none in answers):
                return Opening(address, methods, model, own)
    return None


def _distance(model: str, address: Address) -> int:
    """How far a model is from an address: named in it, of its room, or neither. It only saves time."""
    room, _, name = model.lower().partition(".")
    if f"/{name}/" in address.route:
        return 0
    return 1 if address.module.startswith(f"{room}.") else 2


def _differences(client: Client, opening: Opening) -> list[str]:
    named = {name for name, converter in opening.address.parameters if converter not in ("str", "slug")}
    ids = {value: unknown_like(value) for name, value in opening.own.items() if name in named}
    unknown = {name: ids.get(value, value) for name, value in opening.own.items()}
    found = []
    for method in opening.methods:
        answers = [
            knock(_request(client, method, opening.address, values), *ids, *ids.values())
            for values in (opening.own, unknown)
        ]
        if answers[0] != answers[1]:
            found.append(f"{method} {opening.address.route} with a {opening.model}: {_difference(*answers)}")
    return found


def _request(client: Client, method: str, address: Address, values: dict[str, str]) -> Callable[[], Any]:
    """Each from a browser that was told nothing before: notices travel in cookies."""
    path, session = address.fill(values), client.cookies["sessionid"].value
    client.cookies.clear()
    client.cookies["sessionid"] = session
    if method == "GET":
        return partial(client.get, path)
    if path.startswith("/api/"):
        return partial(client.generic, method, path, json.dumps(FIELDS), "application/json")
    return partial(client.generic, method, path, urlencode(FIELDS), "application/x-www-form-urlencoded")


def _fillings(address: Address, ids: list[str]) -> Iterator[dict[str, str]]:
    names = [name for name, _ in address.parameters]
    choices = [_choices(converter, ids, address) for _, converter in address.parameters]
    for values in itertools.product(*choices):
        yield dict(zip(names, values, strict=True))


def _choices(converter: str, ids: list[str], address: Address) -> list[str]:
    match converter:
        case "uuid":
            return [each for each in ids if not each.isdigit()]
        case "int":
            return [each for each in ids if each.isdigit()]
        case "path":
            return ids
        case "str" | "slug":
            return [*WORDS, *_words_beside(address)]
    raise AssertionError(f"the walk does not know the converter {converter}")


def _words_beside(address: Address) -> list[str]:
    room = address.route.split("/")[1]
    routes = [other.route for other in all_addresses() if other.route.split("/")[1] == room]
    return sorted({part for route in routes for part in route.split("/")[2:] if part and "<" not in part})


def _difference(foreign: Outcome, unknown: Outcome) -> str:
    if foreign.status != unknown.status:
        return f"status {foreign.status} and not {unknown.status}"
    if foreign.said != unknown.said:
        return f"words {foreign.said[:300]!r} and not {unknown.said[:300]!r}"
    extra = [sql[:200] for sql in foreign.statements if sql not in unknown.statements]
    missing = [sql[:200] for sql in unknown.statements if sql not in foreign.statements]
    return f"{len(foreign.statements)} statements and not {len(unknown.statements)}: {extra[:3]} for {missing[:3]}"
