"""The records around one message, read once for the person who asks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agencycore.refs import Projection, ResourceRef, read_refs, readers
from agencycore.tenancy import Actor
from chat.context.history import History

RefKey = tuple[str, str]
# Newest activities of a record the message is about, so that an answer can cite the activity itself.
RELATED_KIND = "activity"
RELATED_RECORDS = 3
RELATED_PER_RECORD = 5


@dataclass(frozen=True, slots=True)
class Records:
    """Projections by key. A ref that was asked for and is not here is absent."""

    found: Mapping[RefKey, Projection] = field(default_factory=dict)

    def find(self, ref: ResourceRef) -> Projection | None:
        return self.found.get(ref.key)

    def labelled(self, refs: Iterable[ResourceRef]) -> tuple[ResourceRef, ...]:
        """The refs that exist, each once, under the reader's own label."""
        keys = dict.fromkeys(ref.key for ref in refs if ref.key in self.found)
        return tuple(label_of(self.found[key]) for key in keys)


def label_of(projection: Projection) -> ResourceRef:
    return ResourceRef(projection.ref.kind, projection.ref.id, projection.title)


def refs_around(*, refs: Sequence[ResourceRef], page: ResourceRef | None, history: History) -> tuple[ResourceRef, ...]:
    """Every ref this message could be about, nearest first."""
    nearby = [*refs, *([page] if page else [])]
    for message in reversed(history.exchange):
        nearby += [*message.cited, *message.refs, *(option.ref for option in message.options if option.ref)]
    nearby += [*history.focus, *history.scope, *cited_last(history)]
    return tuple({ref.key: ref for ref in reversed(nearby)}.values())[::-1]


def cited_last(history: History) -> tuple[ResourceRef, ...]:
    """What the newest reply or report that cites anything cites, in shown order: a rework means that one."""
    shown = [message for message in reversed(history.messages) if message.role == "assistant"]
    newest = history.newest_shown
    return next((message.cited for message in ([newest] if newest else []) + shown if message.cited), ())


def read_records(actor: Actor, refs: Sequence[ResourceRef]) -> Records:
    """One call per kind, however many refs."""
    return Records({projection.ref.key: projection for projection in read_refs(actor, refs)})


def read_related(actor: Actor, projections: Sequence[Projection], known: Records) -> list[Projection]:
    """The newest activities of the records the message is about: one call for all of them."""
    if RELATED_KIND not in readers():
        return []
    wanted: dict[RefKey, ResourceRef] = {}
    for projection in projections[:RELATED_RECORDS]:
        activities = [ref for ref in projection.related if ref.kind == RELATED_KIND]
        wanted |= {ref.key: ref for ref in activities[:RELATED_PER_RECORD] if ref.key not in known.found}
    return read_refs(actor, list(wanted.values())) if wanted else []
