"""Whom and what the cells of a file may name: members, companies and people of the organization."""

from collections.abc import Iterable
from typing import Generic, TypeVar

from agencycore.tenancy import Actor
from crm.importing.cells import CellProblem
from crm.listing import members_of
from crm.models import Company, Person
from crm.wording import name_of
from organizations.models import User

EntryT = TypeVar("EntryT")


class Names(Generic[EntryT]):
    """Entries by every name they go by; a name that several go by finds none of them."""

    def __init__(self, noun: str, hint: str) -> None:
        self.noun = noun
        self.hint = hint
        self._entries: dict[str, set[EntryT]] = {}

    def add(self, entry: EntryT, names: Iterable[str]) -> None:
        for name in names:
            if name:
                self._entries.setdefault(name.casefold(), set()).add(entry)

    def get(self, name: str) -> EntryT:
        found = self._entries.get(name.casefold(), set())
        if len(found) == 1:
            return next(iter(found))
        if found:
            raise CellProblem(f"Several {self.noun} are called “{name}”. {self.hint}")
        raise CellProblem(f"There is no “{name}” among the {self.noun}. {self.hint}")


class Directory:
    """Loaded when first asked for, each with one statement."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._owners: Names[User] | None = None
        self._companies: Names[Company] | None = None
        self._people: Names[Person] | None = None

    def owner(self, name: str) -> User:
        if self._owners is None:
            self._owners = Names("members of your organization", "Write their user name or e-mail.")
            for member in members_of(self._actor):
                self._owners.add(member, {member.username, member.email, name_of(member)})
        return self._owners.get(name)

    def company(self, name: str) -> Company:
        if self._companies is None:
            self._companies = Names("companies", "Import companies first, and name them by domain.")
            for company in Company.objects.visible_to(self._actor).only("id", "name", "domain", "organization"):
                self._companies.add(company, {company.domain, company.name})
        return self._companies.get(name)

    def person(self, email: str) -> Person:
        if self._people is None:
            self._people = Names("people", "Import people first, and name them by e-mail.")
            for person in Person.objects.visible_to(self._actor).only("id", "name", "email", "organization"):
                self._people.add(person, {person.email})
        return self._people.get(email)
