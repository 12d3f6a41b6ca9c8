"""A membership that changes closes the member's sockets; so does a log-out."""

from typing import cast

from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from agencycore.streams.publisher import announce_access_change
from organizations.models import Membership, User


@receiver(post_delete, sender=Membership)
def close_sockets_of_removed_member(instance: Membership, **kwargs: object) -> None:
    announce_access_change(organization_id=instance.organization_id, user_id=instance.user_id)


@receiver(post_save, sender=Membership)
def close_sockets_of_changed_member(instance: Membership, created: bool, **kwargs: object) -> None:
    if not created:
        announce_access_change(organization_id=instance.organization_id, user_id=instance.user_id)


@receiver(post_save, sender=User)
def close_sockets_of_disabled_user(instance: User, **kwargs: object) -> None:
    if not instance.is_active:
        _close_everywhere(instance)


@receiver(user_logged_out)
def close_sockets_at_log_out(user: object, **kwargs: object) -> None:
    if user is not None:
        _close_everywhere(cast(User, user))


def _close_everywhere(user: User) -> None:
    for organization_id in Membership.objects.filter(user=user).values_list("organization_id", flat=True):
        announce_access_change(organization_id=organization_id, user_id=user.pk)
