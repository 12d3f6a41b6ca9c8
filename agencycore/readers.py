"""The short way to a reader: the rows of one model, scoped, in order, one projection each."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet

from agencycore.refs import Projection
from agencycore.tenancy import Actor

ModelT = TypeVar("ModelT", bound=Model)


class ModelReader(Generic[ModelT]):
    """A ``Reader`` over one Django model.

    A subclass names its ``kind``, says in ``visible_to`` which rows the actor may see, and says in
    ``project`` what chat may know of one row. One that needs rows of other models overrides
    ``project_all`` instead, and loads them once for all records.
    """

    kind: str
    in_scope = True

    def visible_to(self, actor: Actor) -> QuerySet[ModelT]:
        raise NotImplementedError

    def project(self, record: ModelT) -> Projection:
        raise NotImplementedError

    def project_all(self, actor: Actor, records: Sequence[ModelT]) -> list[Projection]:
        return [self.project(record) for record in records]

    def read(self, actor: Actor, ids: Sequence[str]) -> list[Projection]:
        rows = self.visible_to(actor)
        keys = _well_formed_keys(rows.model, ids)
        found = {record.pk: record for record in rows.filter(pk__in=keys)} if keys else {}
        records = [found[key] for key in keys if key in found]
        return self.project_all(actor, records) if records else []


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
