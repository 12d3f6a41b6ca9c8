"""Admin pages bound to the staff member's organizations; base classes for the pages of every room."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from agencycore.csv_export import EXPORT_ROWS, CsvExportMixin
from organizations.models import AuditView
from organizations.staff import list_staff_organizations


class StaffAdmin(CsvExportMixin):
    """Staff see the rows of the organizations they belong to, superusers all; changing needs Django's own permission.

    ``organization_path`` leads from a row to its organization. Row-level security narrows tenant tables
    further, to the organization the staff member is in.
    """

    organization_path: ClassVar[str] = "organization"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        rows: QuerySet[Model] = super().get_queryset(request)
        if request.user.is_superuser:
            return rows
        return rows.filter(**{f"{self.organization_path}__in": list_staff_organizations(request.user)})

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


class EvidenceAdmin(StaffAdmin):
    """Shows what happened; nobody changes it here."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class PrivateAdmin(EvidenceAdmin):
    """Evidence that is private to a member: each look at a row, and each row of an export, is kept."""

    viewed_kind: ClassVar[str]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shown = self.get_object(request, object_id)
        if shown is not None:
            record_views(request, self.viewed_kind, [shown])
        return super().change_view(request, object_id, form_url, extra_context)

    @admin.action(description="Export as CSV", permissions=["view"])
    def export_csv(self, request: HttpRequest, queryset: QuerySet[Model]) -> HttpResponse:
        record_views(request, f"{self.viewed_kind} export", list(queryset[:EXPORT_ROWS]))
        return super().export_csv(request, queryset)


def record_views(request: HttpRequest, kind: str, rows: Sequence[Model]) -> None:
    """Keep that the staff member saw ``rows``, each private to a member; one statement."""
    AuditView.objects.bulk_create(
        AuditView(
            organization_id=row.organization_id,  # type: ignore[attr-defined]  # every audited model has one
            staff_id=request.user.pk,
            kind=kind,
            object_id=str(row.pk),
        )
        for row in rows
    )
