"""Organizations, their people, their memory, and what their model calls cost."""

import zoneinfo
from typing import TYPE_CHECKING

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest
from rest_framework.authtoken import admin as token_admin
from rest_framework.authtoken.models import TokenProxy

from organizations.auditing import EvidenceAdmin, StaffAdmin
from organizations.models import AuditView, Membership, ModelCall, Organization, Preference, UsageRecord, User
from organizations.staff import find_staff_organization, get_staff_organization

if TYPE_CHECKING:
    from django.contrib.admin.options import _FieldsetSpec  # known to the stubs only

# Keys to other people's conversations, and groups that span organizations, are no matter of this desk.
assert token_admin  # registered by its import
admin.site.unregister([TokenProxy, Group])

STAFF_FIELDSETS: "_FieldsetSpec" = (
    (None, {"fields": ("username", "first_name", "last_name", "email")}),
    ("Access", {"fields": ("is_active", "is_staff", "last_login", "date_joined")}),
)


class OrganizationForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Organization
        fields = ("slug", "name", "time_zone", "daily_token_limit", "daily_run_limit")

    def clean_time_zone(self) -> str:
        name: str = self.cleaned_data["time_zone"]
        if name not in zoneinfo.available_timezones():
            raise forms.ValidationError("This is no IANA time zone, such as Europe/Oslo.")
        return name


@admin.register(Organization)
class OrganizationAdmin(StaffAdmin):
    form = OrganizationForm
    organization_path = "id"
    list_display = ("name", "slug", "time_zone", "daily_token_limit", "daily_run_limit", "created_at")
    search_fields = ("name", "slug")

    ordering = ("name",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # These pages see the rows of one organization at a time, so they cannot remove another one's.
        return False


@admin.register(Membership)
class MembershipAdmin(StaffAdmin):
    list_display = ("user", "organization", "role", "created_at")
    list_filter = ("role", "created_at")
    list_select_related = ("user", "organization")
    search_fields = ("user__username", "user__email")
    autocomplete_fields = ("user", "organization")

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Model, Model], request: HttpRequest, **options: object
    ) -> "forms.ModelChoiceField[Model] | None":
        """Only what the staff member may see can be chosen, whatever is sent."""
        chosen_from = self.admin_site.get_model_admin(db_field.related_model).get_queryset(request)
        return super().formfield_for_foreignkey(db_field, request, **{"queryset": chosen_from, **options})


@admin.register(User)
class UserAdmin(DjangoUserAdmin, StaffAdmin):  # type: ignore[type-arg]  # not subscriptable at run time
    """A superuser manages log-ins; staff see who the people of their organizations are."""

    organization_path = "memberships__organization"
    list_display = ("username", "email", "first_name", "last_name", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_active", "last_login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        users = super().get_queryset(request)
        return users if _is_superuser(request) else users.distinct()

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> "_FieldsetSpec":
        return super().get_fieldsets(request, obj) if _is_superuser(request) else STAFF_FIELDSETS

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # A log-in is closed by is_active: its conversations and costs in every organization stay.
        return False


@admin.register(Preference)
class PreferenceAdmin(StaffAdmin):
    """Memory, kept by the staff of its organization."""

    fields = ("user", "text")
    list_display = ("text", "user", "updated_at")
    list_filter = ("updated_at",)
    list_select_related = ("user",)
    search_fields = ("text", "user__username")

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request) and find_staff_organization(request) is not None

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_view_permission(request)

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[User, User], request: HttpRequest, **options: object
    ) -> "forms.ModelChoiceField[User] | None":
        members = User.objects.filter(memberships__organization=find_staff_organization(request))
        return super().formfield_for_foreignkey(db_field, request, **{"queryset": members, **options})

    def save_model(
        self, request: HttpRequest, obj: Preference, form: "forms.ModelForm[Preference]", change: bool
    ) -> None:
        if not change:
            obj.organization = get_staff_organization(request)
        super().save_model(request, obj, form, change)


@admin.register(ModelCall)
class ModelCallAdmin(EvidenceAdmin):
    date_hierarchy = "created_at"
    list_display = (
        "created_at",
        "purpose",
        "state",
        "provider",
        "model",
        "reserved_tokens",
        "input_tokens",
        "cached_input_tokens",
        "output_tokens",
        "is_repair",
        "error_code",
    )
    list_filter = ("created_at", "state", "purpose", "provider", "model", "is_repair", "error_code")
    search_fields = ("owner_id", "request_id")
    csv_fields = ("id", "owner_id", *list_display, "request_id", "settled_at")
    ordering = ("-created_at",)


@admin.register(UsageRecord)
class UsageRecordAdmin(EvidenceAdmin):
    date_hierarchy = "created_at"
    list_display = (
        "created_at",
        "user",
        "purpose",
        "provider",
        "model",
        "calls",
        "input_tokens",
        "cached_input_tokens",
        "output_tokens",
    )
    list_filter = ("created_at", "purpose", "provider", "model")
    list_select_related = ("user",)
    search_fields = ("owner_id", "user__username")
    csv_fields = ("owner_id", *list_display)
    ordering = ("-created_at",)


@admin.register(AuditView)
class AuditViewAdmin(EvidenceAdmin):
    """Who looked at what."""

    date_hierarchy = "viewed_at"
    list_display = ("viewed_at", "staff", "kind", "object_id")
    list_filter = ("viewed_at", "kind")
    list_select_related = ("staff",)
    search_fields = ("object_id", "staff__username")
    ordering = ("-viewed_at",)


def _is_superuser(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_superuser
