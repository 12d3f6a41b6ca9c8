import uuid

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render

from crm.forms import OwnerForm, ReviewForm
from crm.listing import choice_filter, make_listing, members_of, owner_filter, values_filter
from crm.models import FieldChange, Prospect
from crm.promotion import promotion_blockers
from crm.queries import companies_by_domain
from crm.timeline import changes_to
from organizations.access import MemberRequest, member_required

EVIDENCE_LISTED = 50


@member_required
def prospect_list(request: MemberRequest) -> HttpResponse:
    prospects = Prospect.objects.visible_to(request.actor)
    listing = make_listing(
        prospects.select_related("owner"),
        parameters=request.GET.dict(),
        search_columns=("company_name", "domain", "contact_name"),
        filters=(
            choice_filter("state", "Any review state", "review_state", Prospect.ReviewState.choices),
            owner_filter(members_of(request.actor)),
            values_filter("industry", "Any industry", "industry", prospects),
        ),
        order=("company_name", "id"),
    )
    return render(request, "crm/prospect_list.html", {"listing": listing})


@member_required
def prospect_detail(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    prospects = Prospect.objects.visible_to(request.actor)
    related = ("owner", "reviewed_by", "company", "person", "icp", "organization")
    prospect = get_object_or_404(prospects.select_related(*related), pk=pk)
    existing = companies_by_domain(request.actor, [prospect]).get(prospect.domain)
    context = {
        "prospect": prospect,
        "evidence": prospect.evidence.all()[:EVIDENCE_LISTED],
        "blockers": promotion_blockers(prospect, existing),
        "changes": changes_to(request.actor, FieldChange.ObjectKind.PROSPECT, prospect.pk),
        "owner_form": OwnerForm(members=members_of(request.actor), current=prospect.owner),
        "review_form": ReviewForm(prospect=prospect),
        "can_be_reviewed": bool(Prospect.REVIEW_MOVES[Prospect.ReviewState(prospect.review_state)]),
    }
    return render(request, "crm/prospect_detail.html", context)
