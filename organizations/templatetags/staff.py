from django import template
from django.http import HttpRequest
from django.template.context import Context

from organizations.staff import find_staff_organization, list_staff_organizations

register = template.Library()


@register.inclusion_tag("admin/_organization_switch.html", takes_context=True)
def organization_switch(context: Context) -> dict[str, object]:
    """Which organization these pages show, and a choice where there are several."""
    request: HttpRequest = context["request"]
    return {
        "request": request,
        "csrf_token": context.get("csrf_token"),
        "organization": find_staff_organization(request),
        "organizations": list_staff_organizations(request.user),
    }
