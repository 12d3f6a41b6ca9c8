"""Runs and definitions on the audit desk."""

import pytest

from agencycore.refs import ResourceRef
from agencycore.tenancy import tenant
from crm.models import Company
from organizations.models import AuditView
from runs import manager
from runs.models import Definition, Run
from tests.people import Person
from tests.runs.definitions import capability, publish_definition


@pytest.fixture
def run(owner: Person) -> Run:
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "research", name="Research", steps=[{"name": "Read the news"}])
        started = manager.start(
            actor=owner.actor,
            capability=capability(owner, "research"),
            message="Research Acme",
            values={},
            start_key="turn:1",
        )
        return manager.fail(run_id=started.id, code="boom", text="The web search was not reachable.")


def test_staff_see_runs_with_their_cause(admin: Person, run: Run):
    listed = admin.client.get("/admin/runs/run/?q=Acme")
    shown = admin.client.get(f"/admin/runs/run/{run.id}/change/")

    assert "Research Acme" in listed.content.decode()
    assert "The web search was not reachable." in shown.content.decode()


def test_staff_see_the_records_of_a_run_as_they_are_called_now(admin: Person, owner: Person, run: Run):
    with tenant(run.organization_id):
        kept, gone = (
            Company.objects.create(organization=owner.organization, name=name, domain=f"{name}.example")
            for name in ("oldname", "gonename")
        )
        refs = [ResourceRef("company", str(company.pk), company.name).as_json() for company in (kept, gone)]
        goal = {**run.goal, "limit": 5, "refs": refs}
        Run.objects.filter(id=run.id).update(result_refs=refs, goal=goal)
        Company.objects.filter(pk=kept.pk).update(name="Newname")
        gone.delete()

    shown = admin.client.get(f"/admin/runs/run/{run.id}/change/").content.decode()

    assert shown.count("Newname; 1 more record cannot be shown") == 2
    assert "{&quot;limit&quot;: 5}" in shown
    assert "oldname" not in shown
    assert "gonename" not in shown


def test_each_look_at_a_run_is_recorded(admin: Person, run: Run):
    admin.client.get("/admin/runs/run/")
    admin.client.get(f"/admin/runs/run/{run.id}/change/")

    with tenant(run.organization_id):
        [view] = AuditView.objects.all()
    assert (view.staff_id, view.kind, view.object_id) == (admin.user.id, "run", str(run.id))


def test_staff_see_definitions_with_their_versions(admin: Person, run: Run):
    with tenant(run.organization_id):
        definition = Definition.objects.get()

    listed = admin.client.get("/admin/runs/definition/?q=research")
    shown = admin.client.get(f"/admin/runs/definition/{definition.id}/change/")

    assert "Research" in listed.content.decode()
    assert "1. Read the news" in shown.content.decode()


def test_nobody_changes_evidence(admin: Person, run: Run):
    url = f"/admin/runs/run/{run.id}/"

    assert admin.client.post(f"{url}change/", {"state": "succeeded"}).status_code == 403
    assert admin.client.post(f"{url}delete/", {"post": "yes"}).status_code == 403
    assert admin.client.get("/admin/runs/run/add/").status_code == 403


def test_a_stranger_on_the_staff_finds_neither(stranger: Person, run: Run):
    assert "Research Acme" not in stranger.client.get("/admin/runs/run/").content.decode()
    assert stranger.client.get(f"/admin/runs/run/{run.id}/change/").status_code == 302
    assert "Research" not in stranger.client.get("/admin/runs/definition/").content.decode()
