"""Every address of the product; each room names its own."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, include, path
from django.utils.module_loading import import_string

urlpatterns = [
    path("", include("chat.urls")),
    path("", include("organizations.urls")),
    path("crm/", include("crm.urls")),
    path("knowledge/", include("knowledge.urls")),
    path("api/v1/", include("chat.api_urls")),
    path("api/v1/", include("knowledge.api_urls")),
    path("admin/", admin.site.urls),
]

handler400 = "agencycore.error_pages.bad_request"
handler403 = "agencycore.error_pages.permission_denied"
handler404 = "agencycore.error_pages.page_not_found"
handler500 = "agencycore.error_pages.server_error"

websocket_urlpatterns: list[URLPattern] = [
    pattern for patterns in settings.WEBSOCKET_URLPATTERNS for pattern in import_string(patterns)
]
