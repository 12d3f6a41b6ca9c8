from django.urls import path

from chat import views

urlpatterns = [
    path("", views.new_conversation, name="chat"),
]
