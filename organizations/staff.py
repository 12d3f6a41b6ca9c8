"""Which organizations a staff member may audit, and the one they are in now."""

import logging

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.dispatch import receiver
from django.http import HttpRequest

from organizations.access import ACTIVE_ORGANIZATION
from organizations.models import Organization, User

logger = logging.getLogger(__name__)


def list_staff_organizations(user: User | AnonymousUser) -> QuerySet[Organization]:
    """All for a superuser; else those that the staff member belongs to; none for anybody else."""
    if not user.is_active or not user.is_staff:
        return Organization.objects.none()
    if user.is_superuser:
        return Organization.objects.order_by("name")
    return Organization.objects.filter(memberships__user=user).order_by("name")


def find_staff_organization(request: HttpRequest) -> Organization | None:
    """The one chosen in this session, else the one they joined first, else the first by name.

    A choice that is no longer allowed falls back to those.
    """
    organizations = list_staff_organizations(request.user)
    chosen = request.session.get(ACTIVE_ORGANIZATION)
    found = organizations.filter(id=chosen).first() if chosen else None
    if found or not isinstance(request.user, User):
        return found
    joined = organizations.filter(memberships__user=request.user).order_by("memberships__created_at", "memberships__pk")
    return joined.first() or organizations.first()


def get_staff_organization(request: HttpRequest) -> Organization:
    """Raises PermissionDenied for staff without one."""
    organization = find_staff_organization(request)
    if organization is None:
        raise PermissionDenied("You belong to no organization.")
    return organization


@receiver(user_logged_in)
def log_superuser(sender: type[User], request: HttpRequest | None, user: User, **kwargs: object) -> None:
    if user.is_superuser:
        address = request.META.get("REMOTE_ADDR", "") if request else ""
        logger.warning("Superuser %s logged in from %s", user.get_username(), address)
