"""What chat may know of each kind of record; the projections of the CRM."""

from crm.readers.activities import ActivityReader
from crm.readers.companies import CompanyReader
from crm.readers.deals import DealReader
from crm.readers.opportunities import OpportunityReader
from crm.readers.people import PersonReader
from crm.readers.prospects import ProspectReader

__all__ = ["ActivityReader", "CompanyReader", "DealReader", "OpportunityReader", "PersonReader", "ProspectReader"]
