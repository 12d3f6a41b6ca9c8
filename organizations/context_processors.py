"""What every page shows about the asker: their organization and how to switch it."""

from django.http import HttpRequest

from organizations.models import Membership


def membership(request: HttpRequest) -> dict[str, Membership | None]:
    return {"membership": getattr(request, "membership", None)}
