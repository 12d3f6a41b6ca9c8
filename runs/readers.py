"""Runs, definitions and drafts, as chat may know them."""

import uuid
from collections.abc import Sequence

from django.db.models import QuerySet

from agencycore.readers import ModelReader
from agencycore.refs import ProjectedField, Projection, ResourceRef
from agencycore.tenancy import Actor
from runs.models import Definition, DefinitionVersion, Run
from runs.wording import describe_memory, describe_steps, describe_tools, describe_writes, run_cause, run_state


class RunReader(ModelReader[Run]):
    kind = "run"

    def visible_to(self, actor: Actor) -> QuerySet[Run]:
        return Run.objects.visible_to(actor).select_related("version__definition", "starter", "cancelled_by")

    def project(self, record: Run) -> Projection:
        return project_run(record)


class DefinitionReader(ModelReader[Definition]):
    """A published agent or workflow. A platform kind: citable, never in scope."""

    kind = "definition"
    in_scope = False

    def visible_to(self, actor: Actor) -> QuerySet[Definition]:
        return Definition.objects.visible_to(actor)

    def project_all(self, actor: Actor, records: Sequence[Definition]) -> list[Projection]:
        versions = published_versions(records)
        return [project_definition(versions[record.id]) for record in records if record.id in versions]


class DefinitionDraftReader(ModelReader[DefinitionVersion]):
    kind = "definition_draft"

    def visible_to(self, actor: Actor) -> QuerySet[DefinitionVersion]:
        drafts = DefinitionVersion.objects.filter(state=DefinitionVersion.State.DRAFT)
        return drafts.filter(organization_id=actor.organization_id).select_related("definition")

    def project(self, record: DefinitionVersion) -> Projection:
        return project_draft(record)


def published_versions(definitions: Sequence[Definition]) -> dict[uuid.UUID, DefinitionVersion]:
    """The published version of each definition that has one, by the definition's id."""
    versions = DefinitionVersion.objects.select_related("definition").filter(
        state=DefinitionVersion.State.PUBLISHED, definition__in=definitions
    )
    return {version.definition_id: version for version in versions}


def project_run(run: Run) -> Projection:
    name = run.version.definition.name
    ended = run.ended_at.date() if run.ended_at else None
    results = [ResourceRef(ref["kind"], ref["id"], ref["label"]) for ref in run.result_refs]
    fields = [
        ProjectedField("Goal", str(run.goal.get("message", "")), run.created_at.date(), ("asked", "what for")),
        ProjectedField("Definition", f"{name} ({run.version.definition.get_kind_display().lower()})"),
        ProjectedField("State", run_state(run), ended, ("status", "working", "done", "running", "waiting")),
        ProjectedField("Step", run.step, None, ("doing", "stage")),
        ProjectedField("Cause", run_cause(run), ended, ("why", "reason", "stop", "fail", "wait")),
        ProjectedField("Results", ", ".join(ref.label for ref in results), ended, ("found", "result", "output")),
    ]
    return Projection(
        ref=ResourceRef("run", str(run.id), f"{name}, {run.created_at:%-d %B %Y %H:%M}"),
        title=f"Run of {name}",
        fields=tuple(field for field in fields if field.value),
        updated_at=run.ended_at or run.started_at or run.created_at,
        related=tuple(results),
    )


def project_definition(version: DefinitionVersion) -> Projection:
    definition = version.definition
    fields = [
        ProjectedField("Description", definition.description, None, ("what does", "do", "for")),
        ProjectedField("Kind", definition.get_kind_display()),
        *_spec_fields(version),
    ]
    return Projection(
        ref=ResourceRef("definition", str(definition.id), definition.name),
        title=definition.name,
        fields=tuple(field for field in fields if field.value),
        updated_at=version.published_at,
    )


def project_draft(version: DefinitionVersion) -> Projection:
    errors = "; ".join(str(error) for error in version.validation_errors)
    fields = [
        ProjectedField("Name", version.definition.name),
        *_spec_fields(version),
        ProjectedField("Validation errors", errors or "none", None, ("wrong", "error", "publish")),
    ]
    return Projection(
        ref=ResourceRef("definition_draft", str(version.id), f"{version.definition.name} (draft)"),
        title=f"Draft of {version.definition.name}",
        fields=tuple(field for field in fields if field.value),
        updated_at=version.created_at,
    )


def _spec_fields(version: DefinitionVersion) -> list[ProjectedField]:
    return [
        ProjectedField("Steps", describe_steps(version.spec), None, ("steps", "happens", "after", "approval")),
        ProjectedField("Tools", describe_tools(version.spec), None, ("tools", "use", "can", "send")),
        ProjectedField("Data written", describe_writes(version.spec), None, ("write", "data", "change")),
        ProjectedField("Memory", describe_memory(version.spec), None, ("memory", "remember", "keep")),
    ]
