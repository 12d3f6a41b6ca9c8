from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from organizations import account_views, limits_views, staff_views, views

urlpatterns = [
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("organization/", views.switch_organization, name="switch_organization"),
    path("account/", account_views.show_account, name="account"),
    path("account/token/", account_views.make_token, name="make_token"),
    path("account/token/delete/", account_views.delete_token, name="delete_token"),
    path("limits/", limits_views.show_limits, name="limits"),
    path("staff/organization/", staff_views.switch_staff_organization, name="switch_staff_organization"),
]
