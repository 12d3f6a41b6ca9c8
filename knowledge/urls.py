from django.urls import URLPattern, path

from knowledge import views

urlpatterns: list[URLPattern] = [
    path("", views.knowledge, name="knowledge"),
    path("upload/", views.upload, name="knowledge_upload"),
    path("<uuid:source_id>/", views.knowledge_source, name="knowledge_source"),
    path("<uuid:source_id>/file/", views.download, name="knowledge_file"),
    path("<uuid:source_id>/retry/", views.retry, name="knowledge_retry"),
    path("<uuid:source_id>/delete/", views.delete, name="knowledge_delete"),
]
