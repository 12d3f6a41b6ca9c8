"""Which organization a person of several works in."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from organizations.access import ACTIVE_ORGANIZATION, find_membership
from organizations.models import User


@login_required
@require_POST
def switch_organization(request: HttpRequest) -> HttpResponse:
    slug = request.POST.get("organization", "")
    membership = find_membership(cast(User, request.user), slug) if slug else None
    if membership is None:
        raise Http404
    request.session[ACTIVE_ORGANIZATION] = str(membership.organization_id)
    return redirect("chat")
