"""The business records around the message, as their readers tell them."""

from agencycore.ai.types import BriefItem, SourceName
from agencycore.refs import Projection, ResourceRef
from chat.context.items import record_item, record_line
from chat.context.port import ITEM_LIMITS, ContextRequest
from chat.context.records import cited_last, read_related
from chat.context.reference import TEXT_KINDS

# Other sources tell these.
TOLD_BY_OTHERS = TEXT_KINDS | {"definition"}
# So many records are told in full; the others stand in one line each.
FULL_RECORDS = 6
FULL_OF_EXCHANGE = 3
# By rank: what the message is about, its activities, what else is near, one-line records.
ABOUT_SCORE, RELATED_SCORE, NEAR_SCORE, LINE_SCORE = 400.0, 300.0, 200.0, 100.0


class ApplicationSource:
    """Evidence. What the message points at is pinned; records further off are one line each."""

    name: SourceName = "application"
    calls_out = False

    def read(self, request: ContextRequest) -> list[BriefItem]:
        about = _found(request, self._about(request))
        near = [p for p in _found(request, self._near(request)) if p not in about]
        rest = [p for p in _found(request, request.history.scope) if p not in about and p not in near]
        related = read_related(request.actor, about or near, request.records)
        full = max(0, FULL_RECORDS - len(about))
        items = [
            *_in_full(about[:FULL_RECORDS], ABOUT_SCORE, pinned=True),
            *_in_full(related, RELATED_SCORE, pinned=False),
            *_in_full(near[:full], NEAR_SCORE, pinned=False, open_keys=_open_keys(request)),
            *_in_lines(about[FULL_RECORDS:], ABOUT_SCORE - FULL_RECORDS, pinned=True),
            *_in_lines([*near[full:], *rest], LINE_SCORE, pinned=False),
        ]
        return items[: ITEM_LIMITS[self.name]]

    def _about(self, request: ContextRequest) -> tuple[ResourceRef, ...]:
        """Resolved refs; for a rework of the last reply, what that reply cited."""
        resolved = request.reference.refs if request.reference.status == "resolved" else ()
        return (*resolved, *cited_last(request.history)) if request.message_class == "conversation" else resolved

    def _near(self, request: ContextRequest) -> tuple[ResourceRef, ...]:
        """Candidates, what was sent, the page, and the latest exchange."""
        exchange = [ref for message in reversed(request.history.exchange) for ref in (*message.cited, *message.refs)]
        page = [request.page] if request.page else []
        shown = [ref for ref in exchange if ref.kind not in TEXT_KINDS][:FULL_OF_EXCHANGE]
        return (*request.reference.refs, *request.refs, *page, *request.history.focus, *shown)


def _found(request: ContextRequest, refs: tuple[ResourceRef, ...]) -> list[Projection]:
    told_elsewhere = {run.fact.ref.key for run in request.runs}
    wanted = [ref for ref in refs if ref.kind not in TOLD_BY_OTHERS and ref.key not in told_elsewhere]
    records = {ref.key: request.records.find(ref) for ref in wanted}
    return [projection for projection in records.values() if projection is not None]


def _open_keys(request: ContextRequest) -> frozenset[tuple[str, str]]:
    """What the person has before them: the page's record and what was sent along."""
    page = [request.page] if request.page else []
    return frozenset(ref.key for ref in (*request.refs, *page))


def _in_full(
    projections: list[Projection], score: float, *, pinned: bool, open_keys: frozenset[tuple[str, str]] = frozenset()
) -> list[BriefItem]:
    return [
        record_item(
            p, score=score - index, pinned=pinned, payload={"is_open": True} if p.ref.key in open_keys else None
        )
        for index, p in enumerate(projections)
    ]


def _in_lines(projections: list[Projection], score: float, *, pinned: bool) -> list[BriefItem]:
    return [record_line(p, score=score - index, pinned=pinned) for index, p in enumerate(projections)]
