"""The buttons on the records' pages: one action each, then back to the record."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from agencycore.errors import ProductError
from crm import actions
from crm.forms import ActivityForm, DealStageForm, LifecycleStageForm, OwnerForm, ReviewForm
from crm.listing import members_of
from crm.models import Activity, Company, Deal, Opportunity, Person, Prospect
from crm.models.records import OwnedRecord
from organizations.access import MemberRequest, member_required

OWNED_KINDS: dict[str, type[OwnedRecord]] = {
    "companies": Company,
    "people": Person,
    "prospects": Prospect,
    "deals": Deal,
    "opportunities": Opportunity,
}


@require_POST
@member_required
def company_change_stage(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    company = get_object_or_404(Company.objects.visible_to(request.actor), pk=pk)
    with reported(request, done="The lifecycle stage is changed."):
        said = _cleaned(LifecycleStageForm(request.POST))
        stage = Company.LifecycleStage(said["stage"])
        actions.change_lifecycle_stage(actor=request.actor, company=company, stage=stage, cause=said["reason"])
    return redirect(company)


@require_POST
@member_required
def deal_change_stage(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    deals = Deal.objects.visible_to(request.actor).select_related("company", "organization")
    deal = get_object_or_404(deals, pk=pk)
    with reported(request, done="The stage is changed."):
        said = _cleaned(DealStageForm(request.POST))
        stage = Deal.Stage(said["stage"])
        actions.change_deal_stage(actor=request.actor, deal=deal, stage=stage, cause=said["reason"])
    return redirect(deal)


@require_POST
@member_required
def prospect_review(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    prospect = get_object_or_404(Prospect.objects.visible_to(request.actor), pk=pk)
    with reported(request, done="The review state is changed."):
        said = _cleaned(ReviewForm(request.POST, prospect=prospect))
        state = Prospect.ReviewState(said["state"])
        actions.review_prospect(actor=request.actor, prospect=prospect, state=state, reason=said["reason"])
    return redirect(prospect)


@require_POST
@member_required
def prospect_promote(request: MemberRequest, pk: uuid.UUID) -> HttpResponse:
    prospect = get_object_or_404(Prospect.objects.visible_to(request.actor), pk=pk)
    company: Company | None = None
    with reported(request, done=f"{prospect.company_name} is in the CRM."):
        company = actions.promote_prospect(actor=request.actor, prospect=prospect)
    return redirect(company or prospect)


@require_POST
@member_required
def record_change_owner(request: MemberRequest, kind: str, pk: uuid.UUID) -> HttpResponse:
    record = _get_record(request, kind, pk)
    members = {member.pk: member for member in members_of(request.actor)}
    with reported(request, done="The owner is changed."):
        owner = members.get(_cleaned(OwnerForm(request.POST, members=members.values()))["owner"])
        actions.change_owner(actor=request.actor, record=record, owner=owner)
    return redirect(record)


@require_POST
@member_required
def activity_log(request: MemberRequest, kind: str, pk: uuid.UUID) -> HttpResponse:
    record = _get_record(request, kind, pk)
    with reported(request, done="The activity is logged."):
        said = _cleaned(ActivityForm(request.POST))
        actions.log_activity(
            actor=request.actor,
            kind=Activity.Kind(said["kind"]),
            subject=said["subject"],
            happened_at=said["happened_at"],
            body=said["body"],
            company=record if isinstance(record, Company) else None,
            person=record if isinstance(record, Person) else None,
            deal=record if isinstance(record, Deal) else None,
        )
    return redirect(record)


def _get_record(request: MemberRequest, kind: str, pk: uuid.UUID) -> OwnedRecord:
    if kind not in OWNED_KINDS:
        raise Http404
    return get_object_or_404(OWNED_KINDS[kind].objects.visible_to(request.actor), pk=pk)


@contextmanager
def reported(request: HttpRequest, done: str) -> Iterator[None]:
    """Tell the member on the next page how the block went; a refusal ends it and is told in its words."""
    try:
        yield
    except ProductError as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, done)


def _cleaned(form: Form) -> dict[str, Any]:
    """What a valid form says; raises ProductError with what is wrong."""
    if form.is_valid():
        return form.cleaned_data
    wrong = [f"{form[name].label}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
    raise ProductError(" ".join(wrong))
