from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from chat.api import events, streaming, views

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("chat/", streaming.chat, name="api_chat"),
    path("conversations/", views.ConversationList.as_view(), name="api_conversations"),
    path("conversations/<uuid:conversation_id>/", views.ConversationDetail.as_view(), name="api_conversation"),
    path("conversations/<uuid:conversation_id>/messages/", views.MessageList.as_view(), name="api_messages"),
    path("conversations/<uuid:conversation_id>/scope/", views.ScopeList.as_view(), name="api_scope"),
    path("messages/<uuid:message_id>/feedback/", views.MessageFeedback.as_view(), name="api_feedback"),
    path("turns/<uuid:turn_id>/", views.TurnDetail.as_view(), name="api_turn"),
    path("turns/<uuid:turn_id>/events", events.turn_events, name="api_turn_events"),
    path("turns/<uuid:turn_id>/stop/", views.TurnStop.as_view(), name="api_turn_stop"),
    path("turns/<uuid:turn_id>/retry/", views.TurnRetry.as_view(), name="api_turn_retry"),
    path("capabilities/", views.CapabilityList.as_view(), name="api_capabilities"),
]
