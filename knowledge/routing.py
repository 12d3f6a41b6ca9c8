from django.urls import URLPattern, path

from knowledge.consumers import KnowledgeConsumer

websocket_urlpatterns: list[URLPattern] = [
    path("ws/knowledge/<uuid:organization_id>/", KnowledgeConsumer.as_asgi()),  # type: ignore[arg-type]  # an ASGI route
]
