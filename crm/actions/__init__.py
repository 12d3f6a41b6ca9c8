"""What members and runs do to the records. Each action keeps the history of what it changed."""

from crm.actions.activities import log_activity
from crm.actions.companies import change_lifecycle_stage, record_signal, set_icp_match
from crm.actions.deals import change_deal_stage, open_deal
from crm.actions.opportunities import add_opportunity_evidence
from crm.actions.owners import change_owner
from crm.actions.prospects import Candidate, add_prospect, promote_prospect, review_prospect

__all__ = [
    "Candidate",
    "add_opportunity_evidence",
    "add_prospect",
    "change_deal_stage",
    "change_lifecycle_stage",
    "change_owner",
    "log_activity",
    "open_deal",
    "promote_prospect",
    "record_signal",
    "review_prospect",
    "set_icp_match",
]
