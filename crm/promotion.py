"""Whether a prospect may be promoted: one list of reasons against it, for pages, chat and the action."""

from crm.models import Company, Prospect

BLOCKING_STAGES = (Company.LifecycleStage.CUSTOMER, Company.LifecycleStage.DISQUALIFIED)


def promotion_blockers(prospect: Prospect, existing: Company | None) -> tuple[str, ...]:
    """Why ``prospect`` may not be promoted now, in words; empty if it may.

    ``existing`` is the organization's company with the prospect's domain, if there is one.
    """
    state = Prospect.ReviewState(prospect.review_state)
    if state is Prospect.ReviewState.PROMOTED:
        return ("It has been promoted already.",)
    blockers = []
    if state is not Prospect.ReviewState.APPROVED:
        blockers.append(f"Its review state is “{state.label}”; only an approved prospect may be promoted.")
    if not prospect.domain:
        blockers.append("It has no web domain, so it could not be told apart from companies already in the CRM.")
    if existing is not None and existing.lifecycle_stage in BLOCKING_STAGES:
        stage = existing.get_lifecycle_stage_display().lower()
        blockers.append(f"{existing.name} is in the CRM already, in the stage “{stage}”.")
    return tuple(blockers)
