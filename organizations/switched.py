"""A page of one organization, while its person has switched to another one in another window.

Every page says which organization it shows: in a field of its forms and in a header of its script's requests. The
session knows one organization for all windows, so what such a page sends is refused, in words and with its text kept.
That comes before any look at an id: of a row of the organization left one learns no more than of an unknown one.
"""

import uuid
from contextlib import suppress

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from agencycore.errors import Refused
from agencycore.page_requests import asks_for_part
from organizations.models import Membership

PAGE_ORGANIZATION_FIELD = "page_organization"
PAGE_ORGANIZATION_HEADER = "X-Page-Organization"
# What people write themselves in the forms of the pages, short fields before long ones.
WRITTEN_FIELDS = ("title", "subject", "reason", "text", "body", "comment")


class OrganizationSwitched(Refused):
    code = "organization_switched"


def is_of_another_organization(request: HttpRequest, membership: Membership) -> bool:
    """Whether the page that asks shows another organization than that of ``membership``."""
    shown = _shown_organization(request)
    return bool(shown) and shown != str(membership.organization_id)


def explain_switch(request: HttpRequest, membership: Membership) -> HttpResponse:
    """409: JSON to the script, which keeps the text; a page with the text, and the way back, to a browser without."""
    left = _find_left(request, membership)
    error = OrganizationSwitched(_words(membership, left))
    if asks_for_part(request):
        return JsonResponse({"code": error.code, "detail": str(error)}, status=error.status)
    written = filter(None, (request.POST.get(name, "") for name in WRITTEN_FIELDS))
    context = {"words": str(error), "left": left, "text": "\n\n".join(written)}
    return render(request, "organizations/switched.html", context, status=error.status)


def _shown_organization(request: HttpRequest) -> str:
    fields = request.POST if request.method == "POST" else request.GET
    return request.headers.get(PAGE_ORGANIZATION_HEADER, "") or fields.get(PAGE_ORGANIZATION_FIELD, "")


def _find_left(request: HttpRequest, membership: Membership) -> Membership | None:
    """The person's membership in the organization that the page shows; a stranger's id is like one of nobody."""
    with suppress(ValueError):
        shown = uuid.UUID(_shown_organization(request))
        return Membership.objects.of(membership.user).filter(organization_id=shown).first()
    return None


def _words(membership: Membership, left: Membership | None) -> str:
    name = membership.organization.name
    if left is None:
        return f"You work in {name} now, and this page is of another organization. Nothing was sent. Load it again."
    return (
        f"You have switched to {name} in another window. This page is of {left.organization.name}, so nothing was "
        f"sent. Switch back to send it, or load the page again to go on in {name}."
    )
