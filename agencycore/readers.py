"""The short way to a reader: the rows of one model, scoped, in order, one projection each."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet

from agencycore.refs import Projection, ResourceRef
from agencycore.tenancy import Actor

ModelT = TypeVar("ModelT", bound=Model)


class BatchReader(ABC, Generic[ModelT]):
    """A ``Reader`` over one Django model whose projections need rows of other models.

    A subclass names its ``kind``, says in ``visible_to`` which rows the actor may see, and in
    ``project_all`` what chat may know of them, with the other rows loaded once for all records.
    """

    kind: str
    in_scope = True

    @abstractmethod
    def visible_to(self, actor: Actor) -> QuerySet[ModelT]: ...

    @abstractmethod
    def project_all(self, actor: Actor, records: Sequence[ModelT]) -> list[Projection]: ...

    def read(self, actor: Actor, ids: Sequence[str]) -> list[Projection]:
        records = self.find(actor, ids)
        return self.project_all(actor, records) if records else []

    def read_labels(self, actor: Actor, ids: Sequence[str]) -> list[ResourceRef]:
        """To be overridden where a label costs less than a projection."""
        return [projection.ref for projection in self.read(actor, ids)]

    def could_spell(self, actor: Actor, resource_id: str) -> bool:
        return bool(_well_formed_keys(self.visible_to(actor).model, [resource_id]))

    def find(self, actor: Actor, ids: Sequence[str]) -> list[ModelT]:
        """The records of ``ids`` that the actor may see, in that order; one statement."""
        rows = self.visible_to(actor)
        keys = _well_formed_keys(rows.model, ids)
        found = {record.pk: record for record in rows.filter(pk__in=keys)} if keys else {}
        return [found[key] for key in keys if key in found]


class ModelReader(BatchReader[ModelT]):
    """A ``Reader`` whose projections are each made of one row: ``project`` says what chat may know of it."""

    @abstractmethod
    def project(self, record: ModelT) -> Projection: ...

    def project_all(self, actor: Actor, records: Sequence[ModelT]) -> list[Projection]:
        return [self.project(record) for record in records]


def _well_formed_keys(model: type[Model], ids: Sequence[str]) -> list[object]:
    """The keys that ``ids`` spell, each once; an id not spelled as the product spells it is left out."""
    keys: dict[object, None] = {}
    for text in ids:
        try:
            key = model._meta.pk.clean(text, None)
        except ValidationError:
            continue
        if str(key) == text:
            keys[key] = None
    return list(keys)
