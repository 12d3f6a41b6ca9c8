"""Staff audit one organization at a time."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from agencycore.tenancy import tenant
from organizations.staff import find_staff_organization


class StaffTenantMiddleware:
    """Runs admin pages in a transaction that sees the rows of the staff member's organization."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(reverse("admin:index")) or not request.user.is_authenticated:
            return self.get_response(request)
        organization = find_staff_organization(request)
        if organization is None:
            return self.get_response(request)
        with tenant(organization.id):
            return self.get_response(request)
