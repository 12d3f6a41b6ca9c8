import uuid

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from crm.forms import ActivityForm, LifecycleStageForm, OwnerForm
from crm.listing import Filter, choice_filter, make_listing, members_of, owner_filter, values_filter
from crm.models import Company, FieldChange
from crm.timeline import activities_about, changes_to
from organizations.access import MemberRequest, member_required

LISTED_MAX = 20


@member_required
def company_list(request: MemberRequest) -> HttpResponse:
    companies = Company.objects.visible_to(request.actor)
    listing = make_listing(
        companies.select_related("owner"),
        parameters=request.GET.dict(),
        search_columns=("name", "domain"),
        filters=(
            choice_filter("stage", "Any stage", "lifecycle_stage", Company.LifecycleStage.choices),
            owner_filter(members_of(request.actor)),
            values_filter("industry", "Any industry", "industry", companies),
            _icp_filter(),
        ),
        order=("name", "id"),
    )
    return render(request, "crm/company_list.html", {"listing": listing})


@member_required
def company_detail(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    companies = Company.objects.visible_to(request.actor).select_related("owner", "icp", "organization")
    company = get_object_or_404(companies, pk=pk)
    context = {
        "company": company,
        "people": company.people.order_by("name")[:LISTED_MAX],
        "deals": company.deals.select_related("owner").order_by("close_date", "id")[:LISTED_MAX],
        "opportunities": company.opportunities.order_by("-score", "id")[:LISTED_MAX],
        "signals": company.signals.order_by("-detected_at", "-id")[:LISTED_MAX],
        "activities": activities_about(request.actor, company=company),
        "changes": changes_to(request.actor, FieldChange.ObjectKind.COMPANY, company.pk),
        "owner_form": OwnerForm(members=members_of(request.actor), current=company.owner),
        "activity_form": ActivityForm(),
        "stage_form": LifecycleStageForm(initial={"stage": company.lifecycle_stage}),
    }
    return render(request, "crm/company_detail.html", context)


def _icp_filter() -> Filter:
    options = (("match", "Matches an ICP"), ("mismatch", "Does not match"), ("unknown", "Not compared"))
    conditions = {"match": Q(icp_match=True), "mismatch": Q(icp_match=False), "unknown": Q(icp_match=None)}
    return Filter("icp", "Any ICP match", options, conditions)
