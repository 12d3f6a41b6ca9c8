"""Fields that several projections share, with the words people use to ask for them."""

from collections.abc import Sequence

from agencycore.refs import ProjectedField, ResourceRef
from crm.models import Activity, FieldChange
from crm.models.records import Evidence, Record
from crm.wording import (
    NOT_RECORDED,
    activity_line,
    activity_words,
    change_words,
    evidence_words,
    local_date,
    owner_words,
)
from organizations.models import Organization, User

EVIDENCE_ITEMS = 10

OWNER_WORDS = ("who", "owns", "own", "owned", "owner", "responsible", "account manager", "looks after", "in charge")
ACTIVITY_WORDS = ("activity", "activities", "last", "latest", "recent", "did", "happened", "done", "timeline")
CONTACT_WORDS = (
    "talk", "talked", "spoke", "speak", "spoken", "contact", "contacted", "in touch", "touch", "call", "called",
    "email", "e-mail", "emailed", "wrote", "meet", "met", "meeting", "last", "when", "heard",
)  # fmt: skip
CHANGE_WORDS = ("change", "changed", "changes", "new", "recently", "recent", "history", "updated", "different", "what")
EVIDENCE_WORDS = ("score", "evidence", "based", "basis", "supports", "support", "why", "reason", "points", "behind")


def ref_to(record: Record, kind: str) -> ResourceRef:
    return ResourceRef(kind, str(record.pk), str(record))


def plain_field(name: str, value: str, *question_words: str) -> ProjectedField:
    return ProjectedField(name, value or NOT_RECORDED, question_words=question_words)


def owner_field(owner: User | None, kind: str) -> ProjectedField:
    return ProjectedField("Owner", owner_words(owner, kind), question_words=OWNER_WORDS)


def contact_field(
    contact: Activity | None, activities: Sequence[Activity], organization: Organization
) -> ProjectedField:
    """The newest call, e-mail, meeting or message; a note or a task is no contact.

    What was said stands with ``activities`` where the contact is one of them.
    """
    if contact is None:
        return ProjectedField("Last contact", "No contact is recorded.", question_words=CONTACT_WORDS)
    when = local_date(contact.happened_at, organization)
    words = activity_line(contact) if contact in activities else activity_words(contact)
    return ProjectedField("Last contact", words, when, CONTACT_WORDS)


def activity_fields(
    activities: Sequence[Activity], organization: Organization, nothing: str = "No activity is recorded."
) -> list[ProjectedField]:
    """The newest first, as “Last activity”; those before it as “Earlier activity”; ``nothing`` where there is none."""
    if not activities:
        return [ProjectedField("Last activity", nothing, question_words=ACTIVITY_WORDS)]
    return [
        ProjectedField(
            "Earlier activity" if position else "Last activity",
            activity_words(activity),
            local_date(activity.happened_at, organization),
            ACTIVITY_WORDS,
        )
        for position, activity in enumerate(activities)
    ]


def change_fields(changes: Sequence[FieldChange], organization: Organization) -> list[ProjectedField]:
    if not changes:
        return [ProjectedField("Last change", "No change is recorded.", question_words=CHANGE_WORDS)]
    return [
        ProjectedField(
            "Earlier change" if position else "Last change",
            change_words(change),
            local_date(change.changed_at, organization),
            CHANGE_WORDS,
        )
        for position, change in enumerate(changes)
    ]


def evidence_fields(items: Sequence[Evidence]) -> list[ProjectedField]:
    """The evidence behind a score, strongest first, each with the day it was observed."""
    if not items:
        return [ProjectedField("Score evidence", "No evidence is recorded.", question_words=EVIDENCE_WORDS)]
    return [ProjectedField("Score evidence", evidence_words(item), item.observed_on, EVIDENCE_WORDS) for item in items]
