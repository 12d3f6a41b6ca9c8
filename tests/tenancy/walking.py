"""The walk: who asks, with whose ids, what opens to its own people, and what it takes from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from tests.tenancy.addresses import Address, all_addresses, methods_of
from tests.tenancy.asking import Browser
from tests.tenancy.fields import Taking, find_taking
from tests.tenancy.openings import Opening, find_opening, find_openings
from tests.tenancy.world import World

# Their bodies are what a person proves to be themselves with.
TAKES_CREDENTIALS = {"login", "admin:login", "admin:password_change", "admin:auth_user_password_change"}


@dataclass
class Walk:
    """``private`` are the models whose rows of one member no teammate sees."""

    owner: World
    stranger: World
    teammate: World
    private: list[str]

    @property
    def askers(self) -> list[tuple[World, World]]:
        """Whose ids are tried and by whom: a stranger's by the owner, what is the owner's alone by a teammate."""
        return [(self.stranger, self.owner), (self.owner.only(self.private), self.teammate)]

    def browser(self, world: World) -> Browser:
        return Browser(world.person)

    @cached_property
    def _openings(self) -> tuple[list[Opening], list[str]]:
        return find_openings(self.browser(self.owner), self.owner)

    @property
    def openings(self) -> list[Opening]:
        return self._openings[0]

    @property
    def closed(self) -> list[str]:
        return self._openings[1]

    @cached_property
    def takings(self) -> list[Taking]:
        """What the owner sends to each address by each method, as validly as can be."""
        browser = self.browser(self.owner)
        asked = [(opening.address, opening.methods, opening.own) for opening in self.openings]
        asked += [(each, methods_of(browser, each.route), {}) for each in all_addresses() if not each.parameters]
        return [
            self._taking(browser, address, methods, method, own)
            for address, methods, own in asked
            if address.name not in TAKES_CREDENTIALS
            for method in methods
        ]

    @cached_property
    def teammates_takings(self) -> list[Taking]:
        """The same requests about what is the teammate's own, beside the admin, which no plain member enters."""
        browser = self.browser(self.teammate)
        models = {opening.address: opening.model for opening in self.openings}
        takings = []
        for taking in self.takings:
            model = models.get(taking.address, "")
            if taking.address.admin:
                continue
            if model in self.private:
                opening = find_opening(browser, self.teammate, taking.address, model)
                assert opening is not None, taking.address.route
                taking = replace(taking, ask=replace(taking.ask, path=taking.address.fill(opening.own)))
            takings.append(taking)
        return takings

    def _taking(
        self, browser: Browser, address: Address, methods: tuple[str, ...], method: str, own: Mapping[str, str]
    ) -> Taking:
        """The request about the opening's row, or about another one of its model that allows it."""
        found = [find_taking(browser, self.owner, address, methods, method, own)]
        for row in self._alike(own):
            if not found[-1].fault:
                break
            found.append(find_taking(browser, self.owner, address, methods, method, row))
        return found[0] if found[-1].fault else found[-1]

    def _alike(self, own: Mapping[str, str]) -> Iterator[dict[str, str]]:
        for ids in self.owner.ids.values():
            if set(ids) & set(own.values()):
                yield from ({name: row if value in ids else value for name, value in own.items()} for row in ids)
