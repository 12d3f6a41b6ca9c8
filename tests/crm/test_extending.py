"""Does what docs/engineering/extending.md says, with the code that stands there."""

import datetime
import importlib
import json
import re
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections

from agencycore import refs
from agencycore.refs import InvalidRef, ResourceRef, parse_ref, read_refs
from agencycore.tenancy import tenant

PAGE = (Path(settings.BASE_DIR) / "docs" / "engineering" / "extending.md").read_text()

pytestmark = pytest.mark.django_db(transaction=True)


def code_after(words: str) -> str:
    """The first Python block that follows ``words`` on the page."""
    match = re.search(r"```python\n(.*?)```", PAGE[PAGE.index(words) :], re.DOTALL)
    assert match is not None
    return match[1]


def settings_line(name: str) -> str:
    match = re.search(rf'^{name} \+= \["(.+)"\]$', code_after("## 4. The settings"), re.MULTILINE)
    assert match is not None
    return match[1]


@pytest.fixture
def support(tmp_path, monkeypatch, settings):
    """The app of the page, installed and migrated; gone afterwards."""
    folder = tmp_path / "support"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for name in ("models.py", "readers.py"):
        (folder / name).write_text(code_after(f"`support/{name}`"))
    monkeypatch.syspath_prepend(str(tmp_path))
    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, settings_line("INSTALLED_APPS")]
    settings.READERS = [*settings.READERS, settings_line("READERS")]
    refs.readers.cache_clear()
    call_command("makemigrations", "support", name="initial", stdout=StringIO())
    add_policy(folder / "migrations" / "0001_initial.py")
    call_command("migrate", database="owner", verbosity=0)
    yield importlib.import_module("support.models")
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP TABLE support_ticket; DELETE FROM django_migrations WHERE app = 'support'")
    refs.readers.cache_clear()
    apps.all_models.pop("support")
    for name in [name for name in sys.modules if name.partition(".")[0] == "support"]:
        del sys.modules[name]


def add_policy(migration: Path) -> None:
    text = migration.read_text().rstrip().removesuffix("]").rstrip()
    policy = code_after("Add the row-level security policy").strip()
    migration.write_text(f"from agencycore.tenancy import tenant_policy\n{text}\n        {policy}\n    ]\n")


@pytest.fixture
def ticket(support, owner):
    owner.user.first_name, owner.user.last_name = "Olivia", "Marsh"
    owner.user.save(update_fields=["first_name", "last_name"])
    with tenant(owner.organization.pk):
        return support.Ticket.objects.create(
            organization=owner.organization,
            subject="The export is empty",
            state_since=datetime.date(2026, 3, 10),
            assignee=owner.user,
        )


def test_the_model_of_the_page_is_read_asked_about_and_walled_off(ticket, owner, teammate, stranger):
    ref = ResourceRef("ticket", str(ticket.pk))

    assert parse_ref(f"ticket:{ticket.pk}") == ref
    with tenant(owner.organization.pk):
        (projection,) = read_refs(teammate.actor, [ResourceRef("ticket", "nonsense"), ref])
    assert projection.title == "The export is empty"
    assert [(field.name, field.value, field.when) for field in projection.fields] == [
        ("State", "open", datetime.date(2026, 3, 10)),
        ("Assignee", "Olivia Marsh", None),
    ]
    with tenant(stranger.organization.pk):
        assert read_refs(stranger.actor, [ref]) == []
        assert type(ticket).objects.count() == 0


def test_chat_answers_about_the_model_of_the_page_and_cites_it(ticket, owner):
    out = StringIO()

    question = re.search(r'manage.py ask "(.+?)"', PAGE)
    assert question is not None
    call_command(
        "ask",
        question[1],
        user=owner.user.username,
        org=owner.organization.slug,
        ref=[f"ticket:{ticket.pk}"],
        json=True,
        stdout=out,
    )

    turn = json.loads(out.getvalue())
    assert turn["outcome"] == "answer"
    assert turn["text"] == "The assignee of The export is empty is Olivia Marsh [1]."
    assert [(citation["kind"], citation["id"]) for citation in turn["citations"]] == [("ticket", str(ticket.pk))]


def test_without_the_page_there_is_no_such_kind(db):
    with pytest.raises(InvalidRef, match="“ticket” is not a kind of record"):
        parse_ref("ticket:1")


def test_the_reader_of_the_page_is_short():
    lines = [line for line in code_after("`support/readers.py`").split("class ", 1)[1].splitlines() if line.strip()]

    assert len(lines) <= 10
