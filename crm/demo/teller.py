"""Telling a demo organization's records: the same every time, except that dates count back from now."""

import datetime
import random
import uuid
from collections.abc import Sequence
from typing import TypeVar

from crm.demo.world import Profile, World
from crm.models import Company, Deal, FieldChange, IdealCustomerProfile, Person
from organizations.models import Organization, User

# Any fixed UUID will do: it makes the ids of the demo the same on every machine.
NAMESPACE = uuid.UUID("6f6b2c1e-7c53-5b0e-9a57-2d9c51e0a7b4")
FIRST_OFFICE_HOUR = 8

ItemT = TypeVar("ItemT")


class Teller:
    """Hands out stable ids, choices and past moments for one organization."""

    def __init__(self, world: World, organization: Organization, members: Sequence[User], now: datetime.datetime):
        self.world = world
        self.organization = organization
        self.members = members
        self.now = now
        self.random = random.Random(world.slug)  # noqa: S311 -- a story, not a secret
        self.profiles: list[IdealCustomerProfile] = []
        self.companies: list[Company] = []
        self.people: list[Person] = []
        self.deals: list[Deal] = []
        self.changes: list[FieldChange] = []

    def id(self, kind: str, *words: object) -> uuid.UUID:
        return uuid.uuid5(NAMESPACE, "/".join([self.world.slug, kind, *map(str, words)]))

    def one_of(self, items: Sequence[ItemT]) -> ItemT:
        return self.random.choice(items)

    def some_of(self, items: Sequence[ItemT], count: int) -> list[ItemT]:
        return self.random.sample(list(items), min(count, len(items)))

    def icp_for(self, industry: str, position: int) -> IdealCustomerProfile:
        """One of the ICPs about ``industry``; where none is, the first, which such a company fails."""
        about = [icp for icp in self.profiles if self.story_of(icp).is_about(industry)]
        return about[position % len(about)] if about else self.profiles[0]

    def story_of(self, icp: IdealCustomerProfile) -> Profile:
        return self.world.profiles[self.profiles.index(icp)]

    def ago(self, days: int) -> datetime.datetime:
        """A moment in office hours, ``days`` days back; never in the future."""
        moment = (self.now - datetime.timedelta(days=max(days, 1))).replace(second=0, microsecond=0)
        return moment.replace(
            hour=FIRST_OFFICE_HOUR + self.random.randrange(9), minute=self.random.choice((0, 15, 30, 45))
        )

    def change(
        self, record: Company | Deal | Person, field: str, old: str, new: str, *, at: datetime.datetime, cause: str = ""
    ) -> None:
        kind = FieldChange.ObjectKind(type(record).__name__.lower())
        self.changes.append(
            FieldChange(
                id=self.id("change", record.pk, field, at.date()),
                organization=self.organization,
                object_kind=kind,
                object_id=record.pk,
                field=field,
                old=old,
                new=new,
                changed_at=at,
                changed_by=record.owner,
                cause=cause,
            )
        )


def domain_of(name: str) -> str:
    """“Acme Robotics” as acmerobotics.example: a domain that nobody can own."""
    plain = name.replace("&", "and").replace("ö", "o")
    return f"{''.join(letter for letter in plain.lower() if letter.isalnum())}.example"


def industries_of(*tables: str) -> frozenset[str]:
    return frozenset(industry for table in tables for _, industry, *_ in lines_of(table))


def lines_of(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]
