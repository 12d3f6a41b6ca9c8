"""With which row an address opens to its own people: what a stranger's id is tried against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.tenancy.addresses import Address, all_addresses, methods_of
from tests.tenancy.asking import Ask, Browser, Outcome, unknown_like
from tests.tenancy.world import World

# Sent with whatever changes something, so that the id is looked at.
FIELDS = {"text": "Hello", "client_message_id": "c1", "title": "Mine now", "rating": "helpful"}
FORBIDDEN = 403
NAME_BEGIN = 4


@dataclass(frozen=True)
class Opening:
    """An address, how it may be asked, and the row that opens it for its own people."""

    address: Address
    methods: tuple[str, ...]
    model: str
    own: Mapping[str, str]


def find_openings(browser: Browser, world: World) -> tuple[list[Opening], list[str]]:
    """The opening of each address that names a row, and the addresses that no row of the world opens."""
    named = [address for address in all_addresses() if address.parameters]
    found = {address.route: find_opening(browser, world, address) for address in named}
    return [each for each in found.values() if each], [route for route, each in found.items() if each is None]


def find_opening(browser: Browser, world: World, address: Address, likely: str = "") -> Opening | None:
    """The first row for which its own people are told something else than for an unknown id.

    Or the first one of an address that is forbidden to them as well, whatever the id. ``likely`` is tried first.
    """
    methods: tuple[str, ...] = ()
    unknown: dict[tuple[str, ...], Outcome] = {}
    for model, ids in sorted(world.ids.items(), key=lambda entry: (entry[0] != likely, _distance(entry[0], address))):
        for own in address.fillings(ids):
            methods = methods or methods_of(browser, address.fill(own))
            if _opens(browser, address, methods, own, ids, unknown):
                return Opening(address, methods, model, own)
    return None


def _opens(
    browser: Browser,
    address: Address,
    methods: Sequence[str],
    own: Mapping[str, str],
    ids: Sequence[str],
    unknown: dict[tuple[str, ...], Outcome],
) -> bool:
    """``unknown`` keeps what was answered to ids that nobody has, by method and the words beside them."""
    refused = 0
    for method in methods:
        nobodys = {name: unknown_like(value) if value in ids else value for name, value in own.items()}
        key = (
            method,
            *(value for value in own.values() if value not in ids),
            *map(str, map(str.isdigit, own.values())),
        )
        if key not in unknown:
            unknown[key] = browser.knock(ask_for(address, method, nobodys), *nobodys.values())
        mine = browser.knock(ask_for(address, method, own), *ids)
        if mine.words != unknown[key].words:
            return True
        refused += mine.status == FORBIDDEN
    return refused == len(methods)


def ask_for(address: Address, method: str, values: Mapping[str, str]) -> Ask:
    return Ask(method, address.fill(values), body=FIELDS, is_json=address.is_api)


def _distance(model: str, address: Address) -> int:
    """How far a model is from an address: named in it, its name begun in it, of its room, or neither. It saves time."""
    room, _, name = model.lower().partition(".")
    if f"/{name}/" in address.route or f"{name}_id" in address.route:
        return 0
    if name[:NAME_BEGIN] in address.route:
        return 1
    return 2 if address.module.startswith(f"{room}.") else 3
