"""How the person, and the organization, like their answers."""

from django.db.models import F, Q

from agencycore.ai.types import BriefItem, SourceName
from chat.context.items import make_item
from chat.context.port import ITEM_LIMITS, ContextRequest
from organizations.models import Preference

MEMORY_KIND = "memory"


class MemorySource:
    """Preferences only, never a fact and never above application state: so never evidence."""

    name: SourceName = "memory"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        actor = request.actor
        rows = Preference.objects.filter(
            Q(user_id=actor.user_id) | Q(user_id=None), organization_id=actor.organization_id
        ).order_by(F("user_id").asc(nulls_last=True), "-updated_at", "-id")
        return [_item(row, score=float(-index)) for index, row in enumerate(rows[: ITEM_LIMITS[self.name]])]


def _item(row: Preference, *, score: float) -> BriefItem:
    whose = "Preference of this member" if row.user_id else "Preference of the organization"
    return make_item("memory", MEMORY_KIND, str(row.pk), label=whose, text=row.text, score=score, when=row.updated_at)
