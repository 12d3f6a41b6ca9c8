"""Members for tests: who they are, and a signed-in client."""

from dataclasses import dataclass

from django.test import Client

from agencycore.tenancy import Actor
from organizations.models import Membership, Organization, User


@dataclass(frozen=True)
class Person:
    user: User
    organization: Organization
    membership: Membership

    @property
    def actor(self) -> Actor:
        return self.membership.actor

    @property
    def client(self) -> Client:
        """A fresh signed-in browser."""
        client = Client()
        client.force_login(self.user)
        return client


def make_person(name: str, organization: Organization, role: str = "member", **extra: bool) -> Person:
    user = User.objects.create(username=name, email=f"{name}@example.com", **extra)
    return Person(user, organization, Membership.objects.create(organization=organization, user=user, role=role))
