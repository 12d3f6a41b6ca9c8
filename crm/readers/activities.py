from django.db.models import QuerySet

from agencycore.readers import ModelReader
from agencycore.refs import ProjectedField, Projection
from agencycore.tenancy import Actor
from crm.models import Activity
from crm.readers.fields import plain_field, ref_to
from crm.wording import day, excerpt, local_date, name_of

BODY_LENGTH = 2_000


class ActivityReader(ModelReader[Activity]):
    kind = "activity"

    def visible_to(self, actor: Actor) -> QuerySet[Activity]:
        return Activity.objects.visible_to(actor).select_related("organization", "by", "company", "person", "deal")

    def project(self, record: Activity) -> Projection:
        happened_on = local_date(record.happened_at, record.organization)
        about = [(record.company, "company"), (record.person, "person"), (record.deal, "deal")]
        return Projection(
            ref=ref_to(record, "activity"),
            title=str(record),
            fields=(
                plain_field("Kind", record.get_kind_display(), "kind", "type", "how"),
                ProjectedField("When", f"{day(happened_on)}.", happened_on, ("when", "date", "day", "long ago")),
                plain_field("By", name_of(record.by), "who", "by", "logged", "did", "made"),
                plain_field("About", _about_words(record), "about", "what", "company", "deal", "with", "whom"),
                plain_field("Subject", record.subject, "subject", "about", "topic"),
                plain_field(
                    "Details", excerpt(record.body, BODY_LENGTH), "details", "said", "discussed", "agreed", "notes"
                ),
            ),
            url=record.get_absolute_url(),
            updated_at=record.updated_at,
            related=tuple(ref_to(target, kind) for target, kind in about if target is not None),
        )


def _about_words(activity: Activity) -> str:
    named = [str(target) for target in (activity.person, activity.company) if target is not None]
    about = " at ".join(named)
    return f"{about}, on the deal “{activity.deal}”" if activity.deal else about
