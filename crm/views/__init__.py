"""The pages of the CRM, one file a kind of record."""

from crm.views.activities import activity_detail
from crm.views.companies import company_detail, company_list
from crm.views.deals import deal_detail, deal_list
from crm.views.opportunities import opportunity_detail, opportunity_list
from crm.views.people import person_detail, person_list
from crm.views.prospects import prospect_detail, prospect_list

__all__ = [
    "activity_detail",
    "company_detail",
    "company_list",
    "deal_detail",
    "deal_list",
    "opportunity_detail",
    "opportunity_list",
    "person_detail",
    "person_list",
    "prospect_detail",
    "prospect_list",
]
