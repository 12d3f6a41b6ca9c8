"""What chat may know of runs, definitions and drafts."""

import uuid

import pytest

from agencycore.refs import Projection, ResourceRef, read_labels
from agencycore.tenancy import tenant
from conversations.scope import SCOPE_BOUND
from crm.models import Company
from crm.models import Person as Contact
from runs import manager
from runs.models import DefinitionVersion, Run
from runs.readers import DefinitionDraftReader, DefinitionReader, RunReader, project_runs
from tests.people import Person
from tests.runs.definitions import capability, publish_definition

STEPS = [{"name": "Search"}, {"name": "Save", "approval": True}]


@pytest.fixture
def as_owner(owner: Person):
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "research", steps=STEPS, tools=["web_search"], writes=["note"])
        yield owner


def make_company(person: Person, name: str) -> Company:
    return Company.objects.create(organization=person.organization, name=name, domain=f"{uuid.uuid4().hex}.example")


def ref(record: Company | Contact | Run) -> ResourceRef:
    """As a run gives it: under the label of that day."""
    kind = {Company: "company", Contact: "person", Run: "run"}[type(record)]
    return ResourceRef(kind, str(record.pk), "Name of that day")


def ended_run(person: Person, *results: ResourceRef) -> Run:
    run = manager.start(
        actor=person.actor,
        capability=capability(person, "research"),
        message="Research",
        values={},
        start_key=f"turn:{uuid.uuid4()}",
    )
    return manager.succeed(run_id=run.id, result={"text": "Done."}, refs=results)


def results_of(person: Person, run: Run) -> str:
    [projection] = RunReader().read(person.actor, [str(run.id)])
    return fields(projection).get("Results", "")


def fields(projection: Projection) -> dict[str, str]:
    return {field.name: field.value for field in projection.fields}


def test_a_failed_run_says_why_and_what_it_found(as_owner):
    run = manager.start(
        actor=as_owner.actor,
        capability=capability(as_owner, "research"),
        message="Research Acme",
        values={},
        start_key="turn:1",
    )
    manager.enter_step(run_id=run.id, step="Search")
    manager.fail(run_id=run.id, code="no_source", text="No web page could be read.")

    [projection] = RunReader().read(as_owner.actor, [str(run.id), "not-an-id", str(uuid.uuid4())])

    assert projection.title == "Run of Research"
    assert fields(projection) == {
        "Goal": "Research Acme",
        "Definition": "Research (agent)",
        "State": "failed",
        "Step": "Search",
        "Cause": "No web page could be read.",
    }


def test_a_definition_tells_its_steps_tools_writes_and_memory(as_owner):
    definition_id = str(capability(as_owner, "research").definition_id)

    [projection] = DefinitionReader().read(as_owner.actor, [definition_id])

    assert projection.ref == ResourceRef("definition", definition_id, "Research")
    assert fields(projection)["Steps"] == "1. Search; 2. Save, after an approval"
    assert fields(projection)["Tools"] == "web_search"
    assert fields(projection)["Data written"] == "note"
    assert fields(projection)["Memory"] == "keeps nothing after a run has ended"


def test_a_draft_tells_what_keeps_it_from_being_published(as_owner):
    published = DefinitionVersion.objects.get()
    draft = DefinitionVersion.objects.create(
        organization=as_owner.organization,
        definition_id=published.definition_id,
        number=2,
        spec={"steps": STEPS},
        validation_errors=["An agent needs at least one tool."],
    )

    [projection] = DefinitionDraftReader().read(as_owner.actor, [str(draft.id)])

    assert fields(projection)["Validation errors"] == "An agent needs at least one tool."


def test_runs_definitions_and_drafts_of_others_do_not_exist(as_owner, teammate, stranger):
    run = manager.start(
        actor=as_owner.actor,
        capability=capability(as_owner, "research"),
        message="x",
        values={},
        start_key="turn:1",
    )
    definition_id = str(run.version.definition_id)

    assert RunReader().read(teammate.actor, [str(run.id)]) == []
    assert RunReader().read(stranger.actor, [str(run.id)]) == []
    assert DefinitionReader().read(stranger.actor, [definition_id]) == []
    assert DefinitionDraftReader().read(stranger.actor, [str(run.version_id)]) == []


def test_the_statements_do_not_grow_with_the_ids(as_owner, django_assert_num_queries):
    ids = [
        str(
            manager.start(
                actor=as_owner.actor,
                capability=capability(as_owner, "research"),
                message="x",
                values={},
                start_key=f"turn:{number}",
            ).id
        )
        for number in range(5)
    ]

    with django_assert_num_queries(1):
        assert len(RunReader().read(as_owner.actor, ids)) == 5


def test_results_are_named_by_their_readers_as_they_are_called_now(as_owner):
    company = make_company(as_owner, "Old Name")
    contact = Contact.objects.create(organization=as_owner.organization, name="Mia Berg", company=company)
    run = ended_run(as_owner, ref(company), ref(contact))
    Company.objects.update(name="New Name")

    [projection] = RunReader().read(as_owner.actor, [str(run.id)])

    assert fields(projection)["Results"] == "New Name, Mia Berg"
    assert projection.related == (
        ResourceRef("company", str(company.pk), "New Name"),
        ResourceRef("person", str(contact.pk), "Mia Berg"),
    )


def test_a_result_that_is_gone_or_not_the_readers_to_see_has_no_name(as_owner, stranger):
    kept, deleted = make_company(as_owner, "Kept"), make_company(as_owner, "Deleted")
    results = [
        ref(kept),
        ref(deleted),
        ResourceRef("company", str(uuid.uuid4()), "Foreign"),
        ResourceRef("no_kind", "1"),
    ]
    run, lost = ended_run(as_owner, *results), ended_run(as_owner, ref(deleted))
    deleted.delete()

    assert results_of(as_owner, run) == "Kept; 3 more records cannot be shown"
    assert results_of(as_owner, lost) == "1 record cannot be shown"
    [unseen] = project_runs(None, [run])
    assert (fields(unseen)["Results"], unseen.related) == ("4 records cannot be shown", ())


def test_a_run_among_the_results_is_named_without_its_own(as_owner, teammate):
    inner = ended_run(as_owner, ref(make_company(as_owner, "Acme")))
    outer = ended_run(as_owner, ref(inner), ref(inner))
    Run.objects.filter(id=inner.id).update(result_refs=[ref(outer).as_json()])  # a circle

    assert results_of(as_owner, outer) == f"Research, {inner.created_at:%-d %B %Y %H:%M}"
    Run.objects.filter(id=inner.id).update(starter=teammate.user)
    assert results_of(as_owner, outer) == "1 record cannot be shown"


def test_only_so_many_results_are_named_as_a_scope_takes(as_owner):
    companies = [make_company(as_owner, f"Company {number}") for number in range(SCOPE_BOUND + 3)]

    told = results_of(as_owner, ended_run(as_owner, *map(ref, companies)))

    assert told == f"{', '.join(c.name for c in companies[3:])}; 3 more records not listed here"


def test_the_statements_do_not_grow_with_the_runs_or_their_results(as_owner, django_assert_num_queries):
    def make_run(results: int) -> str:
        return str(ended_run(as_owner, *(ref(make_company(as_owner, f"C{n}")) for n in range(results))).id)

    one, many = [make_run(1)], [make_run(8) for _ in range(6)]

    for ids in (one, many):
        with django_assert_num_queries(2):
            assert len(RunReader().read(as_owner.actor, ids)) == len(ids)


def test_the_label_of_a_run_is_that_of_its_projection(as_owner):
    run = ended_run(as_owner)

    [projection] = RunReader().read(as_owner.actor, [str(run.id)])

    assert read_labels(as_owner.actor, [ref(run)]) == {projection.ref.key: projection.ref}
