"""What changes an organization and its members."""

import zoneinfo

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from rest_framework.authtoken.models import Token

from agencycore.errors import ProductError
from organizations.models import Membership, Organization, User


class InvalidOrganization(ProductError):
    code = "invalid_organization"


@transaction.atomic
def create_organization(
    *, slug: str, name: str, admin_username: str, password: str | None = None, time_zone: str = "UTC"
) -> Membership:
    """A new organization and its first admin, who may also use the admin site of it.

    An existing user becomes the admin and keeps the password; a new one needs ``password``.
    """
    _check(slug, time_zone)
    organization = Organization.objects.create(slug=slug, name=name, time_zone=time_zone)
    user = User.objects.filter(username=admin_username).first() or _new_user(admin_username, password)
    return Membership.objects.create(organization=organization, user=user, role=Membership.Role.ADMIN)


@transaction.atomic
def make_api_token(*, user: User, replaces: str) -> Token | None:
    """The person's API token: their first, or a new one in the place of the one made at ``replaces``.

    None if that is not the token they have: a reload or a second tab must not end a token that was just copied.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    current = Token.objects.filter(user=user).first()
    if (current.created.isoformat() if current else "") != replaces:
        return None
    if current:
        current.delete()
    return Token.objects.create(user=user)


def delete_api_token(*, user: User) -> None:
    """Whoever uses the token is refused from now on; without a token nothing happens."""
    Token.objects.filter(user=user).delete()


def _check(slug: str, time_zone: str) -> None:
    try:
        validate_slug(slug)
    except ValidationError:
        raise InvalidOrganization("The slug may hold letters, digits, hyphens and underscores only.") from None
    if time_zone not in zoneinfo.available_timezones():
        raise InvalidOrganization(f"“{time_zone}” is not a time zone. Use a name such as Europe/Oslo.")
    if Organization.objects.filter(slug=slug).exists():
        raise InvalidOrganization(f"There is an organization “{slug}” already.")


def _new_user(username: str, password: str | None) -> User:
    if not password:
        raise InvalidOrganization(f"There is no user “{username}” yet, and a new one needs a password.")
    user = User(username=username, is_staff=True)
    try:
        validate_password(password, user)
        user.set_password(password)
        user.full_clean()
    except ValidationError as error:
        raise InvalidOrganization(" ".join(error.messages)) from None
    user.save()
    return user
