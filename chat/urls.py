from django.urls import path

from chat import staff
from chat.views import citations, conversations, documents, messages, records, runs

urlpatterns = [
    path("", conversations.chat, name="chat"),
    path("staff/context/", staff.context, name="staff_context"),
    path("chat/list/", conversations.conversation_list, name="conversation_list"),
    path("chat/records/", records.records, name="find_records"),
    path("chat/documents/", documents.documents, name="choose_first_documents"),
    path("chat/messages/", messages.send, name="send_first_message"),
    path("chat/messages/<uuid:message_id>/exchange/", messages.exchange, name="exchange"),
    path("chat/messages/<uuid:message_id>/feedback/", messages.feedback, name="feedback"),
    path("chat/runs/<uuid:run_id>/stop/", runs.stop_run, name="stop_run"),
    path("chat/turns/<uuid:turn_id>/stop/", messages.stop, name="stop_turn"),
    path("chat/turns/<uuid:turn_id>/retry/", messages.retry, name="retry_turn"),
    path("chat/citations/<int:citation_id>/", citations.citation, name="citation"),
    path("chat/<uuid:conversation_id>/", conversations.conversation, name="conversation"),
    path("chat/<uuid:conversation_id>/messages/", messages.send, name="send_message"),
    path("chat/<uuid:conversation_id>/recipient/", messages.recipient, name="foresee_recipient"),
    path("chat/<uuid:conversation_id>/documents/", documents.documents, name="choose_documents"),
    path("chat/<uuid:conversation_id>/manage/", conversations.manage, name="manage_conversation"),
    path("chat/<uuid:conversation_id>/rename/", conversations.rename, name="rename_conversation"),
    path("chat/<uuid:conversation_id>/delete/", conversations.delete, name="delete_conversation"),
    path("chat/<uuid:conversation_id>/export.<str:form>", conversations.download, name="export_conversation"),
]
