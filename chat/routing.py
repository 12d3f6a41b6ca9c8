from django.urls import URLPattern, path

from chat.consumers import ConversationConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/conversations/<uuid:conversation_id>/", ConversationConsumer.as_asgi()),  # type: ignore[arg-type]  # an ASGI route
]
