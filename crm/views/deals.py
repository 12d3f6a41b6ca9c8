import uuid

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from crm.forms import ActivityForm, DealStageForm, OwnerForm
from crm.listing import Filter, choice_filter, make_listing, members_of, owner_filter
from crm.models import Deal, FieldChange
from crm.timeline import activities_about, changes_to
from organizations.access import MemberRequest, member_required


@member_required
def deal_list(request: MemberRequest) -> HttpResponse:
    deals = Deal.objects.visible_to(request.actor)
    listing = make_listing(
        deals.select_related("owner", "company"),
        parameters=request.GET.dict(),
        search_columns=("name", "company__name"),
        filters=(
            choice_filter("stage", "Any stage", "stage", Deal.Stage.choices),
            owner_filter(members_of(request.actor)),
            _open_filter(),
        ),
        order=("close_date", "name", "id"),
    )
    return render(request, "crm/deal_list.html", {"listing": listing})


@member_required
def deal_detail(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    deals = Deal.objects.visible_to(request.actor).select_related("owner", "company", "person", "organization")
    deal = get_object_or_404(deals, pk=pk)
    context = {
        "deal": deal,
        "activities": activities_about(request.actor, deal=deal),
        "changes": changes_to(request.actor, FieldChange.ObjectKind.DEAL, deal.pk),
        "owner_form": OwnerForm(members=members_of(request.actor), current=deal.owner),
        "activity_form": ActivityForm(),
        "stage_form": DealStageForm(initial={"stage": deal.stage}),
    }
    return render(request, "crm/deal_detail.html", context)


def _open_filter() -> Filter:
    closed = Q(stage__in=Deal.CLOSED_STAGES)
    options = (("open", "Open"), ("closed", "Won or lost"))
    return Filter("state", "Open and closed", options, {"open": ~closed, "closed": closed})
