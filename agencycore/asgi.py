"""Web: HTTP through Django, sockets through Channels with origin check and the session's user."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agencycore.settings")
http = get_asgi_application()

from agencycore.urls import websocket_urlpatterns  # noqa: E402  (models need the apps to be ready)

application = ProtocolTypeRouter(
    {
        "http": http,
        # The type of URLRouter wants routes of its own; ours are plain Django paths.
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),  # type: ignore[arg-type]
    }
)
