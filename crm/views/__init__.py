"""The pages of the CRM, one file a kind of record."""

from crm.views.activities import activity_detail
from crm.views.changes import (
    activity_log,
    company_change_stage,
    deal_change_stage,
    prospect_promote,
    prospect_review,
    record_change_owner,
)
from crm.views.companies import company_detail, company_list
from crm.views.deals import deal_detail, deal_list
from crm.views.imports import crm_import
from crm.views.opportunities import opportunity_detail, opportunity_list
from crm.views.people import person_detail, person_list
from crm.views.prospects import prospect_detail, prospect_list

__all__ = [
    "activity_detail",
    "activity_log",
    "company_change_stage",
    "company_detail",
    "company_list",
    "crm_import",
    "deal_change_stage",
    "deal_detail",
    "deal_list",
    "opportunity_detail",
    "opportunity_list",
    "person_detail",
    "person_list",
    "prospect_detail",
    "prospect_list",
    "prospect_promote",
    "prospect_review",
    "record_change_owner",
]
