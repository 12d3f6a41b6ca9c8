"""A person's own page: who they are here, and their API token."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from rest_framework.authtoken.models import Token

from organizations.access import MemberRequest, member_required
from organizations.actions import delete_api_token, make_api_token


@never_cache
@member_required
@require_GET
def show_account(request: MemberRequest) -> HttpResponse:
    return _account_page(request)


@never_cache
@member_required
@require_POST
def make_token(request: MemberRequest) -> HttpResponse:
    """The page that shows the new token: this once, so it is no redirect and nothing keeps it for a later page."""
    token = make_api_token(user=request.user, replaces=request.POST.get("replaces", ""))
    return _account_page(request, new_key=token.key if token else "", is_outdated=token is None)


@never_cache
@member_required
@require_POST
def delete_token(request: MemberRequest) -> HttpResponse:
    delete_api_token(user=request.user)
    return redirect("account")


def _account_page(request: MemberRequest, *, new_key: str = "", is_outdated: bool = False) -> HttpResponse:
    token = Token.objects.filter(user=request.user).first()
    context = {"token": token, "new_key": new_key, "is_outdated": is_outdated}
    return render(request, "organizations/account.html", context, status=409 if is_outdated else 200)
