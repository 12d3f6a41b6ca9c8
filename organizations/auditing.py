"""Admin pages bound to the staff member's organizations; base classes for the pages of every room."""

from typing import ClassVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from agencycore.csv_export import CsvExportMixin
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


def record_view(request: HttpRequest, *, kind: str, row: Model) -> None:
    """Keep that the staff member opened ``row``, which is private to a member."""
    AuditView.objects.create(
        organization_id=getattr(row, "organization_id"),  # noqa: B009  # every audited model has one
        staff_id=request.user.pk,
        kind=kind,
        object_id=row.pk,
    )
