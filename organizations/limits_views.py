"""The members' page of what their organization may use in a day."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from organizations.access import MemberRequest, member_required
from organizations.limits import usage_today


@member_required
def show_limits(request: MemberRequest) -> HttpResponse:
    organization = request.membership.organization
    context = {
        "organization": organization,
        "usage": usage_today(organization),
        "messages_per_minute": settings.MESSAGES_PER_MINUTE,
    }
    return render(request, "organizations/limits.html", context)
