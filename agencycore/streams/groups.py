"""Groups of sockets: the one place where their names are spelled, and the layer that carries them."""

import uuid
from typing import cast

from channels.layers import get_channel_layer
from channels_redis.pubsub import RedisPubSubChannelLayer


def group_name(organization_id: uuid.UUID, subject: str) -> str:
    """The sockets that follow ``subject`` ("conversation:<id>", "user:<id>") in one organization.

    The organization is part of every name, and no part of a name is taken from a client.
    """
    return f"{organization_id.hex}.{subject.replace(':', '.')}"


def user_subject(user_id: int) -> str:
    return f"user:{user_id}"


def socket_layer() -> RedisPubSubChannelLayer:
    return cast(RedisPubSubChannelLayer, get_channel_layer())
