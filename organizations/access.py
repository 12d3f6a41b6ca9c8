"""Who is asking: the one place that turns a request into an Actor inside its organization."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from rest_framework.exceptions import NotFound as ApiNotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from agencycore.tenancy import Actor, set_tenant, tenant
from organizations.models import Membership, User

ACTIVE_ORGANIZATION = "active_organization"
ORGANIZATION_HEADER = "X-Organization"

P = ParamSpec("P")


class MemberRequest(HttpRequest):
    """A request whose asker is known; made by ``member_required``."""

    user: User
    actor: Actor
    membership: Membership


def find_membership(user: User, organization_slug_or_id: str | None) -> Membership | None:
    """The user's membership in the named organization, or in their first one if none is named."""
    memberships = Membership.objects.of(user)
    if not organization_slug_or_id:
        return memberships.first()
    try:
        return memberships.filter(organization_id=uuid.UUID(organization_slug_or_id)).first()
    except ValueError:
        return memberships.filter(organization__slug=organization_slug_or_id).first()


def find_active_membership(request: HttpRequest) -> Membership | None:
    """The membership a signed-in person works under; a withdrawn choice falls back to another one."""
    return _chosen_membership(cast(User, request.user), request)


def _chosen_membership(user: User, request: HttpRequest) -> Membership | None:
    chosen = request.session.get(ACTIVE_ORGANIZATION)
    return find_membership(user, chosen) or find_membership(user, None)


def member_required(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Run ``view`` for a member, in a transaction that sees their organization's rows only, in its time zone."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        membership = find_active_membership(request)
        if membership is None:
            return render(request, "organizations/no_organization.html", status=403)
        member_request = cast(MemberRequest, request)
        member_request.membership = membership
        member_request.actor = membership.actor
        with tenant(membership.organization_id), timezone.override(membership.organization.time_zone):
            return view(member_request, *args, **kwargs)

    return cast(Callable[Concatenate[HttpRequest, P], HttpResponseBase], guarded)


class TenantAPIView(APIView):
    """A DRF view that runs in one organization: ``X-Organization``, else the session's, else the first."""

    actor: Actor

    @transaction.atomic
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return cast(HttpResponse, super().dispatch(request, *args, **kwargs))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        named = request.headers.get(ORGANIZATION_HEADER)
        user = cast(User, request.user)  # of the token or the session
        membership = find_membership(user, named) if named else _chosen_membership(user, request._request)
        if membership is None:
            raise ApiNotFound("You are not a member of that organization.")
        self.actor = membership.actor
        set_tenant(membership.organization_id)
