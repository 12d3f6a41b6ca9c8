"""Facts of the records as a person would say them."""

import datetime
import zoneinfo
from decimal import Decimal

from crm.models import Activity, Company, Deal, FieldChange, Prospect
from crm.models.records import Evidence
from organizations.models import Organization, User

NOT_RECORDED = "Not recorded."
EXCERPT_LENGTH = 300


def name_of(user: User | None) -> str:
    return (user.get_full_name() or user.get_username()) if user else ""


def owner_words(owner: User | None, kind: str) -> str:
    return name_of(owner) or f"Nobody owns this {kind} yet."


def local_date(moment: datetime.datetime, organization: Organization) -> datetime.date:
    """The day ``moment`` falls on for the organization's members."""
    return moment.astimezone(zoneinfo.ZoneInfo(organization.time_zone)).date()


def day(date: datetime.date) -> str:
    return f"{date.day} {date:%B %Y}"


def money(amount: Decimal | None, currency: str) -> str:
    if amount is None:
        return ""
    return f"{currency} {amount:,.0f}" if amount == amount.to_integral_value() else f"{currency} {amount:,.2f}"


def excerpt(text: str, length: int = EXCERPT_LENGTH) -> str:
    words = " ".join(text.split())
    return words if len(words) <= length else f"{words[: length - 1].rstrip()}…"


def activity_line(activity: Activity) -> str:
    """“Call with Jane Doe: “Pricing for 40 seats”, by Ada Park.”."""
    person = f" with {activity.person.name}" if activity.person else ""
    if activity.kind not in Activity.CONTACT_KINDS:
        person = f" about {activity.person.name}" if activity.person else ""
    by = f", by {name_of(activity.by)}" if activity.by else ""
    return f"{activity.get_kind_display()}{person}: “{activity.subject}”{by}."


def activity_words(activity: Activity) -> str:
    """The line, and what was said: “Call with Jane Doe: …, by Ada Park. She asked for …”."""
    line = activity_line(activity)
    return f"{line} {excerpt(activity.body)}" if activity.body else line


def change_words(change: FieldChange) -> str:
    """“Owner changed from Ada Park to Tom Okafor, by Ada Park. Reason: …”."""
    if not change.old:
        what = f"{change.field_label} set to {change.new}"
    elif not change.new:
        what = f"{change.field_label} removed (it was {change.old})"
    else:
        what = f"{change.field_label} changed from {change.old} to {change.new}"
    by = f", by {name_of(change.changed_by)}" if change.changed_by else ""
    return f"{what}{by}.{reason_words(change.cause)}"


def reason_words(reason: str) -> str:
    return f" Reason: {sentence(reason)}" if reason else ""


def icp_words(company: Company) -> str:
    profile = f"the ICP “{company.icp.name}”" if company.icp else "our ICP"
    if company.icp_match is None:
        return "It has not been compared with an ICP yet."
    verdict = f"Matches {profile}." if company.icp_match else f"Does not match {profile}."
    return f"{verdict}{reason_words(company.icp_reason)}"


def deal_words(deal: Deal) -> str:
    """“Annual licence” as one line: stage, amount, expected close, owner."""
    parts = [deal.get_stage_display(), money(deal.amount, deal.currency)]
    parts.append(f"closes {day(deal.close_date)}" if deal.close_date else "")
    parts.append(f"owned by {name_of(deal.owner)}" if deal.owner else "")
    return f"“{deal.name}”: {', '.join(part for part in parts if part)}."


def evidence_words(item: Evidence) -> str:
    return f"{item.text.removesuffix('.')} ({item.weight:+d} points, source: {item.source})."


def prospect_state_words(prospect: Prospect) -> str:
    by = f" by {name_of(prospect.reviewed_by)}" if prospect.reviewed_by else ""
    return f"{prospect.get_review_state_display()}{by}.{reason_words(prospect.review_reason)}"


def sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
