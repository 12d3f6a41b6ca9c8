from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from organizations import limits_views, staff_views, views

urlpatterns = [
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("organization/", views.switch_organization, name="switch_organization"),
    path("limits/", limits_views.show_limits, name="limits"),
    path("staff/organization/", staff_views.switch_staff_organization, name="switch_staff_organization"),
]
