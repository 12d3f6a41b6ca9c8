import uuid

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from crm.forms import OwnerForm
from crm.listing import Filter, make_listing, members_of, owner_filter
from crm.models import FieldChange, Opportunity
from crm.timeline import changes_to
from organizations.access import MemberRequest, member_required

HIGH_SCORE = 70
LOW_SCORE = 40
EVIDENCE_LISTED = 50


@member_required
def opportunity_list(request: MemberRequest) -> HttpResponse:
    listing = make_listing(
        Opportunity.objects.visible_to(request.actor).select_related("owner", "company"),
        parameters=request.GET.dict(),
        search_columns=("name", "company__name"),
        filters=(owner_filter(members_of(request.actor)), _score_filter()),
        order=("-score", "id"),
    )
    return render(request, "crm/opportunity_list.html", {"listing": listing})


@member_required
def opportunity_detail(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    opportunities = Opportunity.objects.visible_to(request.actor).select_related("owner", "company", "organization")
    opportunity = get_object_or_404(opportunities, pk=pk)
    context = {
        "opportunity": opportunity,
        "evidence": opportunity.evidence.all()[:EVIDENCE_LISTED],
        "changes": changes_to(request.actor, FieldChange.ObjectKind.OPPORTUNITY, opportunity.pk),
        "owner_form": OwnerForm(members=members_of(request.actor), current=opportunity.owner),
    }
    return render(request, "crm/opportunity_detail.html", context)


def _score_filter() -> Filter:
    options = (
        ("high", f"{HIGH_SCORE} and above"),
        ("middle", f"{LOW_SCORE} to {HIGH_SCORE - 1}"),
        ("low", f"below {LOW_SCORE}"),
    )
    conditions = {
        "high": Q(score__gte=HIGH_SCORE),
        "middle": Q(score__gte=LOW_SCORE, score__lt=HIGH_SCORE),
        "low": Q(score__lt=LOW_SCORE),
    }
    return Filter("score", "Any score", options, conditions)
