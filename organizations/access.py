"""Who is asking: the one place that turns a request into an Actor inside its organization."""

import uuid
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.core.validators import slug_re
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.exceptions import NotFound as ApiNotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from agencycore.errors import NotFound
from agencycore.page_requests import asks_for_part
from agencycore.tenancy import Actor, set_tenant, tenant
from organizations.models import Membership, User
from organizations.switched import explain_switch, is_of_another_organization

ACTIVE_ORGANIZATION = "active_organization"
ORGANIZATION_HEADER = "X-Organization"

P = ParamSpec("P")


class MemberRequest(HttpRequest):
    """A request whose asker is known; made by ``member_required``."""

    user: User
    actor: Actor
    membership: Membership


def find_membership(user: User, organization_slug_or_id: str | None) -> Membership | None:
    """The user's membership in the named organization, or in the one they joined first if none is named.

    Not the first by name: joining one more organization must not move anybody.
    """
    memberships = Membership.objects.of(user)
    if not organization_slug_or_id:
        return memberships.order_by("created_at", "pk").first()
    try:
        return memberships.filter(organization_id=uuid.UUID(organization_slug_or_id)).first()
    except ValueError:
        is_slug = slug_re.match(organization_slug_or_id)
        return memberships.filter(organization__slug=organization_slug_or_id).first() if is_slug else None


def find_active_membership(request: HttpRequest) -> Membership | None:
    """The membership a signed-in person works under; a withdrawn choice falls back to another one."""
    return _chosen_membership(cast(User, request.user), request)


def _chosen_membership(user: User, request: HttpRequest) -> Membership | None:
    chosen = request.session.get(ACTIVE_ORGANIZATION)
    return find_membership(user, chosen) or find_membership(user, None)


def get_socket_membership(scope: Mapping[str, Any]) -> Membership:
    """The membership that a socket is opened under; raises NotFound for whoever is not logged in, or is no member."""
    user = cast(User, scope["user"])
    membership = user.is_authenticated and find_membership(user, scope["session"].get(ACTIVE_ORGANIZATION))
    if not membership:
        raise NotFound
    return membership


def member_required(
    view: Callable[Concatenate[MemberRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Run ``view`` for a member, in a transaction that sees their organization's rows only, in its time zone.

    What is sent from a page of another organization than the one they work in now is refused.
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _log_in_first(request)
        membership = find_active_membership(request)
        if membership is None:
            return render(request, "organizations/no_organization.html", status=403)
        member_request = cast(MemberRequest, request)
        member_request.membership = membership
        member_request.actor = membership.actor
        if is_of_another_organization(request, membership):
            return explain_switch(request, membership)
        with tenant(membership.organization_id), timezone.override(membership.organization.time_zone):
            return view(member_request, *args, **kwargs)

    return cast(Callable[Concatenate[HttpRequest, P], HttpResponseBase], guarded)


def _log_in_first(request: HttpRequest) -> HttpResponse:
    """In words to the page's script; else the log-in page, which leads back to a page and never to an action."""
    if asks_for_part(request):
        return JsonResponse({"code": "logged_out", "detail": "You have been logged out."}, status=401)
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path())
    return redirect_to_login(_page_before(request))


def _page_before(request: HttpRequest) -> str:
    """The page of ours that a form was sent from."""
    referer = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(referer, {request.get_host()}, require_https=request.is_secure()):
        return reverse("chat")
    return urlsplit(referer)._replace(scheme="", netloc="", fragment="").geturl()


class TenantAPIView(APIView):
    """A DRF view that runs in one organization: ``X-Organization``, else the session's, else the one joined first."""

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
