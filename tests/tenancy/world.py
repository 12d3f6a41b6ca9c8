"""Two organizations that hold a row of everything there is, and who works in them."""

import uuid
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.contrib.auth.models import Permission
from django.db.models import CompositePrimaryKey, Model
from rest_framework.authtoken.models import Token

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, WireDelegate
from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from conversations.feedback import give_feedback
from crm.demo.load import load_world
from crm.demo.world import World as Demo
from crm.models import Company
from knowledge.actions import delete_source
from organizations.models import AuditView, Membership, Organization, Preference, User
from tests.chat.turning import ask, publish_lifecycle_page, replies_to
from tests.knowledge.documents import ingested
from tests.people import Person
from tests.runs.definitions import publish_definition

# Of each model so many rows are tried: messages, for one, are questions and replies.
ROWS_OF_A_MODEL = 4


@dataclass(frozen=True)
class World:
    person: Person
    ids: dict[str, list[str]]  # model label → primary keys of some of its rows


def tenant_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if any(field.name == "organization" for field in model._meta.fields)]


def make_world(demo: Demo, folder: Path) -> World:
    load_world(world=demo)
    organization = Organization.objects.get(slug=demo.slug)
    person = _admin_of(organization)
    publish_lifecycle_page(folder)
    _talk(person)
    _know(person)
    with tenant(organization.id):
        Preference.objects.create(organization=organization, user=person.user, text="Short answers.")
        _audit(person)
        ids = {model._meta.label: _ids(model, organization) for model in tenant_models()}
    Token.objects.create(user=person.user)
    own = {
        "authtoken.TokenProxy": [str(person.user.pk)],
        "organizations.Organization": [str(organization.pk)],
        "organizations.User": [str(person.user.pk)],
    }
    return World(person, ids | own)


def _admin_of(organization: Organization) -> Person:
    """An admin and member of the staff, with every right that staff may have."""
    user = User.objects.create(username=f"admin-of-{organization.slug}", is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    return Person(user, organization, Membership.objects.create(organization=organization, user=user, role="admin"))


def _talk(person: Person) -> None:
    with tenant(person.organization.id):
        publish_definition(person.organization, "weekly-review")
        company = Company.objects.first()
        assert company is not None
    ref = ResourceRef("company", str(company.pk), company.name)
    turn = ask(person, "What is lifecycle stage?")
    [reply] = replies_to(turn)
    assert reply.citations.count() == 1
    ask(person, "What is the weather in Oslo?")  # a gap
    with tenant(person.organization.id):
        give_feedback(actor=person.actor, message_id=reply.id, rating="helpful", comment="")
    with playing([_cite_first, WireDelegate(outcome="delegate", capability="weekly-review", input_json="{}")]):
        about = ask(person, "Who owns this?", refs=[ref])
        delegated = ask(person, "Do the weekly review", conversation_id=about.conversation_id)
    assert delegated.run_id is not None, delegated.refusals


def _cite_first(request) -> WireAnswer:
    key = request.brief.evidence[0].key
    return WireAnswer(outcome="answer", citations=[key], unresolved=[], offer="", text=f"Somebody does [{key}].")


def _know(person: Person) -> None:
    ingested(person)
    second = ingested(person, b"# Old\n\nAn old page about pensions.", "old.md")
    with tenant(person.organization.id):
        delete_source(actor=person.actor, source_id=second.id)


def _audit(person: Person) -> None:
    AuditView.objects.create(
        organization=person.organization, staff=person.user, kind="message", object_id=uuid.uuid4()
    )


def _ids(model: type[Model], organization: Organization) -> list[str]:
    if isinstance(model._meta.pk, CompositePrimaryKey):
        return ["no client names these"]
    rows = model._default_manager.filter(organization=organization)  # type: ignore[misc]
    return [str(row.pk) for row in rows[:ROWS_OF_A_MODEL]]
