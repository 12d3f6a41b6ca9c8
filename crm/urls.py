from django.urls import path

from crm import views

urlpatterns = [
    path("companies/", views.company_list, name="company_list"),
    path("companies/<uuid:pk>/", views.company_detail, name="company_detail"),
    path("people/", views.person_list, name="person_list"),
    path("people/<uuid:pk>/", views.person_detail, name="person_detail"),
    path("prospects/", views.prospect_list, name="prospect_list"),
    path("prospects/<uuid:pk>/", views.prospect_detail, name="prospect_detail"),
    path("deals/", views.deal_list, name="deal_list"),
    path("deals/<uuid:pk>/", views.deal_detail, name="deal_detail"),
    path("opportunities/", views.opportunity_list, name="opportunity_list"),
    path("opportunities/<uuid:pk>/", views.opportunity_detail, name="opportunity_detail"),
    path("activities/<uuid:pk>/", views.activity_detail, name="activity_detail"),
]
