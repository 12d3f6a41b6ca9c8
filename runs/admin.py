"""What was worked on and what may be: runs as evidence, definitions with their versions."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet, Value
from django.http import HttpRequest

from agencycore.tenancy import Actor
from organizations.auditing import EvidenceAdmin, PrivateAdmin
from runs.models import Definition, DefinitionVersion, Run
from runs.readers import describe_records
from runs.wording import describe_steps, run_cause, run_state


@admin.register(Run)
class RunAdmin(PrivateAdmin):
    """A run holds its person's own words: each look at one is recorded."""

    viewed_kind = "run"
    date_hierarchy = "created_at"
    list_display = ("created_at", "definition", "starter", "goal_text", "shown_state", "step", "ended_at")
    list_filter = ("state", "waiting_for", "created_at", "version__definition")
    list_select_related = ("version__definition", "starter", "cancelled_by")
    search_fields = ("goal__message", "version__definition__name", "starter__username", "failure_text")
    search_help_text = "Words of the goal, the agent or workflow, the member’s user name, or the cause of a failure"
    ordering = ("-created_at",)
    show_full_result_count = False
    exclude = ("start_key", "goal", "result_refs")
    readonly_fields = ("asked", "asked_about", "inputs", "cause", "results")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        runs: QuerySet[Model] = super().get_queryset(request).defer("result")
        seen: QuerySet[Model] = runs.annotate(auditor_id=Value(request.user.pk))
        return seen

    @admin.display(ordering="version__definition__name")
    def definition(self, run: Run) -> str:
        return str(run.version)

    @admin.display(description="goal")
    def goal_text(self, run: Run) -> str:
        return str(run.goal.get("message", ""))[:120]

    @admin.display(description="state", ordering="state")
    def shown_state(self, run: Run) -> str:
        return run_state(run)

    @admin.display
    def asked(self, run: Run) -> str:
        return str(run.goal.get("message", ""))

    @admin.display
    def asked_about(self, run: Any) -> str:
        return describe_records(_auditor(run), run.asked_about) or "–"

    @admin.display
    def inputs(self, run: Run) -> str:
        return json.dumps(run.inputs, ensure_ascii=False) if run.inputs else "–"

    @admin.display
    def cause(self, run: Run) -> str:
        return run_cause(run) or "–"

    @admin.display
    def results(self, run: Any) -> str:
        return describe_records(_auditor(run), run.results) or "–"


def _auditor(run: Any) -> Actor:
    """The staff member who looks at the run: they see what admins of its organization see."""
    return Actor(run.auditor_id, run.organization_id, "admin")


class VersionInline(admin.TabularInline):  # type: ignore[type-arg]
    model = DefinitionVersion
    fields = ("number", "state", "published_at", "steps", "validation_errors")
    readonly_fields = fields
    ordering = ("-number",)
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display
    def steps(self, version: DefinitionVersion) -> str:
        return describe_steps(version.spec) or "–"


@admin.register(Definition)
class DefinitionAdmin(EvidenceAdmin):
    """The organization's own; the platform's are the same for everyone."""

    list_display = ("name", "kind", "slug", "organization", "created_at")
    list_filter = ("kind",)
    list_select_related = ("organization",)
    search_fields = ("name", "slug", "description")
    inlines = (VersionInline,)
