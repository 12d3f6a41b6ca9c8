"""What an actor may start: published definitions, cut by permission before anything ranks them."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import jsonschema

from agencycore.errors import NotFound, ProductError
from agencycore.tenancy import Actor
from runs.models import Definition, DefinitionVersion


@dataclass(frozen=True, slots=True)
class Capability:
    """A published definition the actor may start."""

    version_id: uuid.UUID
    definition_id: uuid.UUID
    slug: str
    name: str
    kind: str
    description: str
    spec: Mapping[str, object]

    @property
    def input_schema(self) -> Mapping[str, object]:
        schema = self.spec.get("input_schema")
        return schema if isinstance(schema, Mapping) else {"type": "object"}


class InvalidInput(ProductError):
    code = "invalid_input"


def list_published(actor: Actor) -> list[DefinitionVersion]:
    """What the actor's organization may see, by name; one statement."""
    visible = Definition.objects.visible_to(actor)
    versions = DefinitionVersion.objects.select_related("definition").filter(
        state=DefinitionVersion.State.PUBLISHED, definition__in=visible
    )
    return list(versions.order_by("definition__name", "id"))


def list_capabilities(actor: Actor) -> list[Capability]:
    """All that the actor may start, by name; one statement."""
    return startable(actor, list_published(actor))


def startable(actor: Actor, versions: Iterable[DefinitionVersion]) -> list[Capability]:
    """Those of the published ``versions`` that the actor may start, in their order."""
    return [_capability(version) for version in versions if _may_start(actor, version)]


def get_capability(actor: Actor, slug: str) -> Capability:
    """The capability of that slug, the organization's own before the platform's; raises NotFound."""
    found = [capability for capability in list_capabilities(actor) if capability.slug == slug]
    if not found:
        raise NotFound("No published agent or workflow of that name is available to you.")
    own = Definition.objects.filter(id__in=[c.definition_id for c in found], organization__isnull=False)
    own_ids = set(own.values_list("id", flat=True))
    return next((c for c in found if c.definition_id in own_ids), found[0])


def check_input(schema: Mapping[str, object], values: Mapping[str, object]) -> None:
    """Raise InvalidInput, with the first fault in words, where ``values`` do not fit."""
    error = jsonschema.Draft202012Validator(dict(schema)).iter_errors(dict(values))
    first = next(iter(error), None)
    if first is not None:
        where = ".".join(str(part) for part in first.absolute_path) or "input"
        raise InvalidInput(f"{where}: {first.message[:200]}")


def _capability(version: DefinitionVersion) -> Capability:
    definition = version.definition
    return Capability(
        version_id=version.id,
        definition_id=definition.id,
        slug=definition.slug,
        name=definition.name,
        kind=definition.kind,
        description=definition.description,
        spec=version.spec,
    )


def _may_start(actor: Actor, version: DefinitionVersion) -> bool:
    return actor.is_admin or not version.spec.get("admins_only", False)
