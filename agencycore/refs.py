"""References to records, and the port through which every record is read.

A reference that reaches the product from outside (a link, a form, an API call, a model) is only a
pair of words until a reader of its kind has found it for the person who asks.
"""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

from django.conf import settings
from django.utils.module_loading import import_string

from agencycore.errors import ProductError
from agencycore.tenancy import Actor

KIND_PATTERN = re.compile(r"[a-z][a-z_]{0,39}")
ID_MAX_LENGTH = 64


class InvalidRef(ProductError):
    code = "invalid_ref"


@dataclass(frozen=True, slots=True)
class ResourceRef:
    """A pointer to one record. ``label`` is a courtesy: shown labels come from the reader."""

    kind: str
    id: str
    label: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.id

    def as_json(self) -> dict[str, str]:
        return {"kind": self.kind, "id": self.id, "label": self.label}


@dataclass(frozen=True, slots=True)
class ProjectedField:
    """One named fact of a record.

    ``value`` is text as a person would read it. ``when`` is the date the fact is true since, or
    happened on. ``question_words`` are further words people use for it ("owner": who, owns).
    """

    name: str
    value: str
    when: datetime.date | None = None
    question_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """What chat may know of one record: a title and named, dated fields in reading order."""

    ref: ResourceRef
    title: str
    fields: tuple[ProjectedField, ...]
    url: str = ""
    updated_at: datetime.datetime | None = None
    # Records named by the fields, so that a follow-up can reach them.
    related: tuple[ResourceRef, ...] = ()


class Reader(Protocol):
    """Reads records of one kind for one person.

    ``read`` never writes, never raises for an unknown id, and returns only what the actor may see:
    an unknown, deleted, foreign or malformed id is simply not in the result. The number of SQL
    statements does not depend on the number of ids. The result's order is the order of ``ids``.
    ``READERS`` in the settings lists the readers in use.
    """

    kind: str
    # Platform kinds (definition, knowledge_chunk, memory) can be cited and never enter entity scope.
    in_scope: bool

    def read(self, actor: Actor, ids: Sequence[str]) -> list[Projection]: ...


@runtime_checkable
class LabelReader(Protocol):
    """A reader that tells the labels of its records without what lies around them, under the contract of ``read``."""

    def read_labels(self, actor: Actor, ids: Sequence[str]) -> list[ResourceRef]: ...


@runtime_checkable
class SpellingReader(Protocol):
    """A reader that knows how the ids of its records are spelled: another id could never be read.

    Decided by the words alone: no statement, and the same for everybody's ids.
    """

    def could_spell(self, actor: Actor, resource_id: str) -> bool: ...


def parse_ref(text: str) -> ResourceRef:
    """``company:0192…`` as a ResourceRef; raises InvalidRef with words for the person."""
    kind, separator, resource_id = text.strip().partition(":")
    if not separator:
        raise InvalidRef(f"“{text[:80]}” is not a record reference. Write it as kind:id, for example company:…")
    return make_ref(kind, resource_id)


def make_ref(kind: str, resource_id: str, label: str = "") -> ResourceRef:
    """A ResourceRef whose words are well-formed; whether the record exists is the reader's to say."""
    if not KIND_PATTERN.fullmatch(kind) or kind not in readers():
        raise InvalidRef(f"“{kind[:40]}” is not a kind of record. Known kinds: {', '.join(sorted(readers()))}.")
    if not resource_id or len(resource_id) > ID_MAX_LENGTH or not resource_id.isprintable():
        raise InvalidRef("The id of that record reference is missing or malformed.")
    return ResourceRef(kind, resource_id, label[:200])


def could_be_read(actor: Actor, ref: ResourceRef) -> bool:
    """Whether ``ref`` is spelled as one of its kind; whether there is such a record is not looked at."""
    reader = readers().get(ref.kind)
    return reader is not None and (not isinstance(reader, SpellingReader) or reader.could_spell(actor, ref.id))


@cache
def readers() -> dict[str, Reader]:
    """The readers named in ``settings.READERS``, by kind."""
    found: dict[str, Reader] = {}
    for path in settings.READERS:
        reader: Reader = import_string(path)()
        found[reader.kind] = reader
    return found


def read_refs(actor: Actor, refs: Sequence[ResourceRef]) -> list[Projection]:
    """The projections of ``refs`` that exist for ``actor``, in the order of ``refs``.

    One call per kind; kinds without a reader read as absent.
    """
    found = {
        projection.ref.key: projection
        for kind, ids in _ids_by_kind(refs).items()
        for projection in readers()[kind].read(actor, ids)
    }
    return [found[key] for key in dict.fromkeys(ref.key for ref in refs) if key in found]


def read_labels(actor: Actor, refs: Sequence[ResourceRef]) -> dict[tuple[str, str], ResourceRef]:
    """Those of ``refs`` that exist for ``actor``, under their readers' labels, by key; one call per kind."""
    return {ref.key: ref for kind, ids in _ids_by_kind(refs).items() for ref in _labelled(readers()[kind], actor, ids)}


def _labelled(reader: Reader, actor: Actor, ids: Sequence[str]) -> list[ResourceRef]:
    if isinstance(reader, LabelReader):
        return reader.read_labels(actor, ids)
    return [projection.ref for projection in reader.read(actor, ids)]


def _ids_by_kind(refs: Sequence[ResourceRef]) -> dict[str, list[str]]:
    """Each id once; kinds without a reader left out."""
    by_kind: dict[str, dict[str, None]] = {}
    for ref in refs:
        if ref.kind in readers():
            by_kind.setdefault(ref.kind, {})[ref.id] = None
    return {kind: list(ids) for kind, ids in by_kind.items()}
