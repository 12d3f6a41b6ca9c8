"""Choosing the organization to audit."""

import logging

from django.contrib.admin.views.decorators import staff_member_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from organizations.access import ACTIVE_ORGANIZATION
from organizations.staff import list_staff_organizations

logger = logging.getLogger(__name__)


@staff_member_required
@require_POST
def switch_staff_organization(request: HttpRequest) -> HttpResponse:
    organization = list_staff_organizations(request.user).filter(slug=request.POST.get("organization", "")).first()
    if organization is None:
        raise Http404
    request.session[ACTIVE_ORGANIZATION] = str(organization.id)
    logger.info("%s audits %s", request.user.get_username(), organization.slug)
    return redirect("admin:index")
