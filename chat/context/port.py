"""The port through which a brief is filled. ``CONTEXT_SOURCES`` in the settings lists the sources in use."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from agencycore.ai.types import BriefItem, MessageClass, Reference, SourceName
from agencycore.refs import ResourceRef
from agencycore.tenancy import Actor
from chat.context.history import History
from chat.context.own_runs import OwnRun
from chat.context.records import Records
from runs.models import DefinitionVersion

# In the order of the prompt: what was said, then evidence, then preferences and routing.
SOURCE_ORDER: tuple[SourceName, ...] = (
    "conversation",
    "application",
    "runs",
    "definitions",
    "knowledge",
    "memory",
    "capabilities",
)
ITEM_LIMITS: Mapping[SourceName, int] = {
    "conversation": 12,
    "application": 20,
    "runs": 8,
    "definitions": 6,
    "knowledge": 8,
    "memory": 5,
    "capabilities": 8,
}


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """One message, with what is known before the sources are read.

    ``refs`` came with the message, ``page`` is the record of the page it was sent from; neither is
    known to exist. ``history``, ``records`` and ``runs`` are already read for ``actor``; ``reference`` says
    which of the records the message points at. ``query`` is the message made self-contained, or ""
    where there is nothing to search for. ``list_published`` gives the published definitions, read when
    the first source asks for them.
    """

    actor: Actor
    conversation_id: uuid.UUID
    message: str
    message_class: MessageClass
    query: str
    reference: Reference
    refs: tuple[ResourceRef, ...]
    page: ResourceRef | None
    history: History
    records: Records
    list_published: Callable[[], list[DefinitionVersion]]
    runs: tuple[OwnRun, ...] = ()


class ContextSource(Protocol):
    """Reads facts that may help answer one message.

    ``read`` never writes, never raises for "nothing found" (returns no items), and returns only
    what ``request.actor`` may see, in prompt order. Where the budget is short, items go by ``score``,
    lowest first, and later ones before earlier ones. The number of SQL statements does not depend
    on how much there is. It runs inside the actor's read-only transaction, under a time limit;
    whatever it raises makes the source ``unavailable`` and is logged.

    ``calls_out`` is True for a source that waits for another machine: it is read on a thread of its
    own, beside the others.
    """

    name: SourceName
    calls_out: bool

    def read(self, request: ContextRequest) -> list[BriefItem]: ...


class Degraded(Exception):
    """Raised by a source that could read only in part; the brief takes ``items`` and says so."""

    def __init__(self, items: Sequence[BriefItem], reason: str) -> None:
        super().__init__(reason)
        self.items = list(items)
        self.reason = reason


class Unavailable(Exception):
    """Raised by a source that could not read at all, for a reason it knows."""


class Skipped(Exception):
    """Raised by a source that has nothing to do for this message."""


@cache
def get_sources() -> tuple[ContextSource, ...]:
    """The sources named in ``settings.CONTEXT_SOURCES``, in prompt order."""
    sources: list[ContextSource] = [import_string(path)() for path in settings.CONTEXT_SOURCES]
    return tuple(sorted(sources, key=lambda source: SOURCE_ORDER.index(source.name)))
