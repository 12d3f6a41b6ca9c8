"""What chat may know of runs, definitions and drafts."""

import uuid

import pytest

from agencycore.refs import Projection, ResourceRef
from agencycore.tenancy import tenant
from runs import manager
from runs.models import DefinitionVersion
from runs.readers import DefinitionDraftReader, DefinitionReader, RunReader
from tests.people import Person
from tests.runs.definitions import capability, publish_definition

STEPS = [{"name": "Search"}, {"name": "Save", "approval": True}]


@pytest.fixture
def as_owner(owner: Person):
    with tenant(owner.actor.organization_id):
        publish_definition(owner.organization, "research", steps=STEPS, tools=["web_search"], writes=["note"])
        yield owner


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
