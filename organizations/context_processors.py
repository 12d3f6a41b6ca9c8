"""What every page shows about the asker: their organization and how to switch it."""

from typing import cast

from django.http import HttpRequest

from organizations.models import Membership, MembershipQuerySet, User


def membership(request: HttpRequest) -> dict[str, Membership | MembershipQuerySet | None]:
    """``memberships`` is a lazy query set: pages that show no account menu pay nothing for it."""
    asker = getattr(request, "membership", None)
    mine = Membership.objects.of(cast(User, request.user)) if asker else None
    return {"membership": asker, "memberships": mine}
