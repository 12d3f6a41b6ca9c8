"""The records of the business, for staff to read; members change them on the pages, which keeps the history."""

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from crm.models import (
    Activity,
    Company,
    Deal,
    FieldChange,
    IdealCustomerProfile,
    Opportunity,
    OpportunityEvidence,
    Person,
    Prospect,
    ProspectEvidence,
    Signal,
)
from organizations.auditing import EvidenceAdmin, StaffAdmin
from organizations.staff import get_staff_organization


class EvidenceInline(admin.TabularInline):  # type: ignore[type-arg]
    """The items behind a score, under the record they belong to."""

    fields = ("text", "weight", "observed_on", "source", "source_url")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class OpportunityEvidenceInline(EvidenceInline):
    model = OpportunityEvidence


class ProspectEvidenceInline(EvidenceInline):
    model = ProspectEvidence


@admin.register(IdealCustomerProfile)
class IdealCustomerProfileAdmin(StaffAdmin):
    """ICPs have no page of their own: they are written here."""

    fields = ("name", "criteria")
    list_display = ("name", "organization", "updated_at")
    list_select_related = ("organization",)
    search_fields = ("name", "criteria")

    def save_model(
        self, request: HttpRequest, obj: IdealCustomerProfile, form: "ModelForm[IdealCustomerProfile]", change: bool
    ) -> None:
        if not change:
            obj.organization = get_staff_organization(request)
        super().save_model(request, obj, form, change)


@admin.register(Company)
class CompanyAdmin(EvidenceAdmin):
    list_display = ("name", "domain", "lifecycle_stage", "stage_since", "owner", "icp_match", "organization")
    list_filter = ("lifecycle_stage", "icp_match", "size_band", "stage_since")
    list_select_related = ("owner", "organization")
    search_fields = ("name", "domain")


@admin.register(Person)
class PersonAdmin(EvidenceAdmin):
    list_display = ("name", "title", "company", "email", "owner")
    list_filter = ("created_at",)
    list_select_related = ("company", "owner")
    search_fields = ("name", "email")


@admin.register(Prospect)
class ProspectAdmin(EvidenceAdmin):
    list_display = ("__str__", "review_state", "review_since", "score", "reviewed_by", "found_by_label")
    list_filter = ("review_state", "review_since")
    list_select_related = ("reviewed_by",)
    search_fields = ("company_name", "domain", "contact_name")
    inlines = (ProspectEvidenceInline,)


@admin.register(Deal)
class DealAdmin(EvidenceAdmin):
    list_display = ("name", "company", "stage", "stage_since", "amount", "currency", "close_date", "owner")
    list_filter = ("stage", "close_date")
    list_select_related = ("company", "owner")
    search_fields = ("name", "company__name")


@admin.register(Opportunity)
class OpportunityAdmin(EvidenceAdmin):
    list_display = ("name", "company", "score", "score_since", "owner")
    list_filter = ("score_since",)
    list_select_related = ("company", "owner")
    search_fields = ("name", "company__name")
    inlines = (OpportunityEvidenceInline,)


@admin.register(Activity)
class ActivityAdmin(EvidenceAdmin):
    list_display = ("subject", "kind", "happened_at", "company", "person", "by")
    list_filter = ("kind", "happened_at")
    list_select_related = ("company", "person", "by")
    search_fields = ("subject",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        rows = super().get_queryset(request)
        return rows if request.resolver_match and request.resolver_match.kwargs else rows.defer("body")


@admin.register(FieldChange)
class FieldChangeAdmin(EvidenceAdmin):
    list_display = ("object_kind", "object_id", "field", "old", "new", "changed_at", "changed_by", "cause")
    list_filter = ("object_kind", "field", "changed_at")
    list_select_related = ("changed_by",)
    search_fields = ("object_id", "old", "new", "cause")


@admin.register(Signal)
class SignalAdmin(EvidenceAdmin):
    list_display = ("text", "kind", "company", "detected_at")
    list_filter = ("kind", "detected_at")
    list_select_related = ("company",)
    search_fields = ("text", "company__name")
