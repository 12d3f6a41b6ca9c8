"""Runs, definitions and drafts, as chat may know them."""

import uuid
from collections.abc import Mapping, Sequence

from django.db.models import QuerySet

from agencycore.readers import BatchReader, ModelReader
from agencycore.refs import ProjectedField, Projection, ResourceRef, read_labels
from agencycore.tenancy import Actor
from conversations.scope import cut_to_bound
from runs.models import Definition, DefinitionVersion, Run
from runs.wording import (
    describe_memory,
    describe_named,
    describe_steps,
    describe_tools,
    describe_writes,
    run_cause,
    run_result,
    run_state,
)

Labels = Mapping[tuple[str, str], ResourceRef]


class RunReader(BatchReader[Run]):
    kind = "run"

    def visible_to(self, actor: Actor) -> QuerySet[Run]:
        return Run.objects.visible_to(actor).select_related("version__definition", "starter", "cancelled_by")

    def project_all(self, actor: Actor, records: Sequence[Run]) -> list[Projection]:
        return project_runs(actor, records)

    def read_labels(self, actor: Actor, ids: Sequence[str]) -> list[ResourceRef]:
        """Without their results, which may be runs again."""
        return [run_ref(run) for run in self.find(actor, ids)]


class DefinitionReader(BatchReader[Definition]):
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


def project_runs(actor: Actor | None, runs: Sequence[Run]) -> list[Projection]:
    """Their results under the readers' labels, one call per kind for all runs; None may see no result.

    Named are the results that the scope of a conversation and a report take, too.
    """
    named = [ref for run in runs for ref in cut_to_bound(run.results)]
    labels = read_labels(actor, named) if actor else {}
    return [_project_run(run, labels) for run in runs]


def describe_records(actor: Actor, refs: Sequence[ResourceRef]) -> str:
    """The records that a run began or ended with in words, as the actor may see them."""
    return _words(refs, read_labels(actor, cut_to_bound(refs)))


def run_ref(run: Run) -> ResourceRef:
    return ResourceRef("run", str(run.id), f"{run.version.definition.name}, {run.created_at:%-d %B %Y %H:%M}")


def _project_run(run: Run, labels: Labels) -> Projection:
    name = run.version.definition.name
    ended = run.ended_at.date() if run.ended_at else None
    fields = [
        ProjectedField("Goal", str(run.goal.get("message", "")), run.created_at.date(), ("asked", "what for")),
        ProjectedField("Definition", f"{name} ({run.version.definition.get_kind_display().lower()})"),
        ProjectedField("State", run_state(run), ended, ("status", "working", "done", "running", "waiting")),
        ProjectedField("Step", run.step, None, ("doing", "stage")),
        ProjectedField("Cause", run_cause(run), ended, ("why", "reason", "stop", "fail", "wait")),
        ProjectedField("Result", run_result(run), ended, ("found", "find", "outcome", "come")),
        ProjectedField("Results", _words(run.results, labels), ended, ("found", "result", "output")),
    ]
    return Projection(
        ref=run_ref(run),
        title=f"Run of {name}",
        fields=tuple(field for field in fields if field.value),
        updated_at=run.ended_at or run.started_at or run.created_at,
        related=_visible(cut_to_bound(run.results), labels),
    )


def _words(refs: Sequence[ResourceRef], labels: Labels) -> str:
    named = cut_to_bound(refs)
    shown = _visible(named, labels)
    unnamed = len({ref.key for ref in refs}) - len(named)
    return describe_named([ref.label for ref in shown], hidden=len(named) - len(shown), unnamed=unnamed)


def _visible(refs: Sequence[ResourceRef], labels: Labels) -> tuple[ResourceRef, ...]:
    return tuple(labels[ref.key] for ref in refs if ref.key in labels)


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
