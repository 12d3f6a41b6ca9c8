from django.urls import path

from crm import views

urlpatterns = [
    path("import/", views.crm_import, name="crm_import"),
    path("companies/", views.company_list, name="company_list"),
    path("companies/<uuid:pk>/", views.company_detail, name="company_detail"),
    path("companies/<uuid:pk>/stage/", views.company_change_stage, name="company_change_stage"),
    path("people/", views.person_list, name="person_list"),
    path("people/<uuid:pk>/", views.person_detail, name="person_detail"),
    path("prospects/", views.prospect_list, name="prospect_list"),
    path("prospects/<uuid:pk>/", views.prospect_detail, name="prospect_detail"),
    path("prospects/<uuid:pk>/review/", views.prospect_review, name="prospect_review"),
    path("prospects/<uuid:pk>/promote/", views.prospect_promote, name="prospect_promote"),
    path("deals/", views.deal_list, name="deal_list"),
    path("deals/<uuid:pk>/", views.deal_detail, name="deal_detail"),
    path("deals/<uuid:pk>/stage/", views.deal_change_stage, name="deal_change_stage"),
    path("opportunities/", views.opportunity_list, name="opportunity_list"),
    path("opportunities/<uuid:pk>/", views.opportunity_detail, name="opportunity_detail"),
    path("activities/<uuid:pk>/", views.activity_detail, name="activity_detail"),
    path("<slug:kind>/<uuid:pk>/owner/", views.record_change_owner, name="record_change_owner"),
    path("<slug:kind>/<uuid:pk>/activities/", views.activity_log, name="activity_log"),
]
