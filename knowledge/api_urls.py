from django.urls import URLPattern, path

from knowledge import api

urlpatterns: list[URLPattern] = [
    path("knowledge/", api.SourceList.as_view(), name="api_sources"),
    path("knowledge/<uuid:source_id>/", api.SourceDetail.as_view(), name="api_source"),
    path("knowledge/<uuid:source_id>/retry/", api.SourceRetry.as_view(), name="api_source_retry"),
]
