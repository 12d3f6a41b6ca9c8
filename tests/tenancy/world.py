"""Two organizations that hold a row of everything there is, and who works in them."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.apps import apps
from django.contrib.auth.models import Permission
from django.db import connection, connections
from django.db.models import AutoField, CompositePrimaryKey, JSONField, Model, QuerySet
from rest_framework.authtoken.models import Token

from agencycore.ai.scripted import playing
from agencycore.ai.wire import WireAnswer, WireDelegate
from agencycore.refs import ResourceRef, readers
from agencycore.tenancy import tenant
from chat.actions import end_turn
from chat.models import Turn
from conversations.feedback import give_feedback
from crm.demo.load import load_world
from crm.demo.world import World as Demo
from crm.models import Company, Prospect
from knowledge.actions import delete_source
from organizations.models import AuditView, Membership, Organization, Preference, User
from runs.models import Definition, DefinitionVersion
from tests.chat.turning import ask, publish_lifecycle_page, replies_to, send
from tests.knowledge.documents import ingested
from tests.people import Person, make_person
from tests.runs.definitions import publish_definition

ROOM_OF_A_MODEL = 10_000_000
# Of each model so many rows are tried.
ROWS_OF_A_MODEL = 10
NAMED_BY_NO_CLIENT = "no client names these"


@dataclass(frozen=True)
class World:
    """``ids`` by model label; ``refs`` by kind of record; ``slugs`` by model label, where it has them.

    ``guarded`` are those that row-level security hides from whoever is asked for them.
    """

    person: Person
    ids: dict[str, list[str]]
    refs: dict[str, list[str]] = field(default_factory=dict)
    slugs: dict[str, list[str]] = field(default_factory=dict)
    guarded: frozenset[str] = frozenset()

    def only(self, models: Sequence[str]) -> "World":
        """What of it is a row of ``models``."""
        ids = {model: self.ids[model] for model in models}
        known = {each for rows in ids.values() for each in rows}
        refs = {kind: [ref for ref in refs if ref.partition(":")[2] in known] for kind, refs in self.refs.items()}
        return World(self.person, ids, {kind: refs for kind, refs in refs.items() if refs})

    def first_ids(self) -> Iterator[str]:
        """One of each thing a client can name, in every way it can be named."""
        rows = [named[0] for named in (*self.ids.values(), *self.slugs.values(), *self.refs.values()) if named]
        yield from dict.fromkeys(row for row in rows if row != NAMED_BY_NO_CLIENT)


def tenant_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if any(field.name == "organization" for field in model._meta.fields)]


def spread_whole_numbers() -> None:
    """Whole numbers that name a row of one model name none of another, and are part of no other text."""
    with connections["owner"].cursor() as cursor:
        for number, model in enumerate(apps.get_models(), start=1):
            if isinstance(model._meta.pk, AutoField):
                sequence = f"pg_get_serial_sequence('\"{model._meta.db_table}\"', '{model._meta.pk.column}')"
                start = number * ROOM_OF_A_MODEL
                cursor.execute(f"SELECT setval({sequence}, greatest({start}, nextval({sequence})))")


def make_world(demo: Demo, folder: Path) -> World:
    load_world(world=demo)
    organization = Organization.objects.get(slug=demo.slug)
    person = _admin_of(organization)
    publish_lifecycle_page(folder)
    with tenant(organization.id):
        _publish_work(organization)
        _approve_a_prospect()
        Preference.objects.create(organization=organization, user=person.user, text="Short answers.")
        _audit(person)
    _talk(person)
    _know(person)
    Token.objects.create(user=person.user)
    own = {
        "authtoken.TokenProxy": [str(person.user.pk)],
        "organizations.Organization": [str(organization.pk)],
        "organizations.User": [str(person.user.pk)],
    }
    with tenant(organization.id):
        rows = {model._meta.label: _rows(model, organization) for model in tenant_models()}
        ids = {label: [_id(row) for row in _different(found)] for label, found in rows.items()} | own
        slugs = {label: [row.slug for row in found[:1]] for label, found in rows.items() if hasattr(found[0], "slug")}
        slugs["organizations.Organization"] = [organization.slug]
        refs = _refs(person, rows)
        guarded = _guarded()
        named = [each for found in (ids, slugs) for label in found.keys() & guarded for each in found[label]]
        return World(person, ids, refs, slugs, frozenset([*named, *(ref for found in refs.values() for ref in found)]))


def _guarded() -> set[str]:
    """The models whose tables have policies."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE relrowsecurity")
        tables = {name for (name,) in cursor.fetchall()}
    return {model._meta.label for model in apps.get_models() if model._meta.db_table in tables}


def make_teammate(owner: World) -> tuple[World, list[str]]:
    """A plain member of the same organization with a talk of their own, and which models are private to a member."""
    person = make_person("teammate", owner.person.organization)
    with tenant(person.organization.id):
        private = [model for model in tenant_models() if _is_private(model, owner, person)]
    _talk(person)
    with tenant(person.organization.id):
        mine = {model._meta.label: list(_rows_of(model, person, private)) for model in private}
        ids = {label: [_id(row) for row in _different(found)] for label, found in mine.items()}
        refs = owner.refs | _refs(person, mine)
    return replace(owner, person=person, ids=owner.ids | ids, refs=refs), list(mine)


def _is_private(model: type[Model], owner: World, teammate: Person) -> bool:
    """Whether its rows, or rows that they hang on, are seen by one member and not by another."""
    rows = model._default_manager.filter(pk__in=_named(owner.ids[model._meta.label]))  # type: ignore[misc]
    if hasattr(rows, "visible_to"):
        return not rows.visible_to(teammate.actor).exists()
    return any(_is_private(parent, owner, teammate) for _, parent in _parents(model))


def _rows_of(model: type[Model], person: Person, private: Sequence[type[Model]]) -> QuerySet[Model]:
    rows = model._default_manager.order_by("pk")
    if hasattr(rows, "visible_to"):
        return rows.visible_to(person.actor)
    name, parent = next((name, parent) for name, parent in _parents(model) if parent in private)
    return rows.filter(**{f"{name}__in": _rows_of(parent, person, private)})


def _parents(model: type[Model]) -> list[tuple[str, type[Model]]]:
    """What its rows cannot be without, other than their organization and people."""
    links = [field for field in model._meta.fields if field.many_to_one and not field.null]
    return [(link.name, link.related_model) for link in links if link.related_model in tenant_models()]


def _named(ids: Sequence[str]) -> list[str]:
    return [each for each in ids if each != NAMED_BY_NO_CLIENT]


def _admin_of(organization: Organization) -> Person:
    """An admin and member of the staff, with every right that staff may have."""
    user = User.objects.create(username=f"admin-of-{organization.slug}", is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    return Person(user, organization, Membership.objects.create(organization=organization, user=user, role="admin"))


def review_of(organization: Organization) -> str:
    return f"weekly-review-of-{organization.slug}"


def _publish_work(organization: Organization) -> None:
    """An agent that takes a word, and a draft of another."""
    schema = {"type": "object", "properties": {"about": {"type": "string"}}, "additionalProperties": False}
    publish_definition(organization, review_of(organization), name="Weekly Review", input_schema=schema)
    draft = Definition.objects.create(organization=organization, slug="draft", name="Draft", kind="agent")
    DefinitionVersion.objects.create(organization=organization, definition=draft, number=1, state="draft", spec={})


def _approve_a_prospect() -> None:
    approved = Prospect.objects.filter(company=None).exclude(domain="").first()
    assert approved is not None
    Prospect.objects.filter(id=approved.id).update(review_state=Prospect.ReviewState.APPROVED)


def _talk(person: Person) -> None:
    """An answer, a gap, a failure, a rated reply, a record in scope, and a run at work."""
    with tenant(person.organization.id):
        company = Company.objects.first()
        assert company is not None
    ref = ResourceRef("company", str(company.pk), company.name)
    turn = ask(person, "What is lifecycle stage?")
    [reply] = replies_to(turn)
    assert reply.citations.count() == 1
    ask(person, "What is the weather in Oslo?")
    failed = send(person, "What did they say?")
    with tenant(person.organization.id):
        end_turn(failed, Turn.State.FAILED)
        give_feedback(actor=person.actor, message_id=reply.id, rating="helpful", comment="")
    work = WireDelegate(outcome="delegate", capability=review_of(person.organization), input_json="{}")
    with playing([_cite_first, work]):
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
    assert ingested(person, b"%PDF-1.4 ", "plan.pdf").state == "failed"


def _audit(person: Person) -> None:
    AuditView.objects.create(
        organization=person.organization, staff=person.user, kind="message", object_id=uuid.uuid4()
    )


def _rows(model: type[Model], organization: Organization) -> list[Model]:
    found = list(model._default_manager.filter(organization=organization).order_by("pk"))  # type: ignore[misc]
    assert found, f"the world holds a row of everything; make a {model._meta.label} in tests/tenancy/world.py"
    return found


def _different(rows: Sequence[Model]) -> list[Model]:
    """Rows in which each state and kind is met, and each link or list empty and not."""
    met: set[tuple[str, object]] = set()
    chosen: list[Model] = []
    states = [field.attname for field in rows[0]._meta.fields if field.choices]
    lists = [field.attname for field in rows[0]._meta.fields if isinstance(field, JSONField)]
    links = [field.attname for field in rows[0]._meta.fields if field.many_to_one and field.null]
    for row in rows:
        traits: set[tuple[str, object]] = {(name, getattr(row, name)) for name in states}
        traits |= {(name, getattr(row, name) is None) for name in links}
        traits |= {(name, bool(getattr(row, name))) for name in lists}
        if not chosen or traits - met:
            chosen.append(row)
        met |= traits
    return chosen[:ROWS_OF_A_MODEL]


def _id(row: Model) -> str:
    return NAMED_BY_NO_CLIENT if isinstance(row._meta.pk, CompositePrimaryKey) else str(row.pk)


def _refs(person: Person, rows: dict[str, list[Model]]) -> dict[str, list[str]]:
    """The records among ``rows`` as ``kind:id``, found by the readers themselves."""
    ids = list(dict.fromkeys(_id(row) for found in rows.values() for row in found))
    found = {kind: reader.read(person.actor, ids)[:ROWS_OF_A_MODEL] for kind, reader in readers().items()}
    return {kind: [f"{kind}:{record.ref.id}" for record in records] for kind, records in found.items() if records}
