"""The records of the business, one file a noun."""

from crm.models.activities import Activity
from crm.models.changes import FieldChange
from crm.models.companies import Company, IdealCustomerProfile, Signal, SizeBand
from crm.models.deals import Deal
from crm.models.opportunities import Opportunity, OpportunityEvidence
from crm.models.people import Person
from crm.models.prospects import Prospect, ProspectEvidence

__all__ = [
    "Activity",
    "Company",
    "Deal",
    "FieldChange",
    "IdealCustomerProfile",
    "Opportunity",
    "OpportunityEvidence",
    "Person",
    "Prospect",
    "ProspectEvidence",
    "Signal",
    "SizeBand",
]
