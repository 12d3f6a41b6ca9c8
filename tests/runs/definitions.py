"""Published agents and workflows for tests."""

from typing import Any

from django.utils import timezone

from organizations.models import Organization
from runs.capabilities import Capability, list_capabilities
from runs.models import Definition, DefinitionVersion
from tests.people import Person


def publish_definition(organization: Organization | None, slug: str, **spec: Any) -> Definition:
    """A published definition; to be called inside a tenant (or platform) transaction."""
    definition = Definition.objects.create(
        organization=organization,
        slug=slug,
        name=spec.pop("name", slug.replace("-", " ").title()),
        kind=spec.pop("kind", "agent"),
        description=spec.pop("description", f"Does what {slug} does."),
    )
    DefinitionVersion.objects.create(
        organization=organization,
        definition=definition,
        number=1,
        state="published",
        spec={"input_schema": {"type": "object", "properties": {}, "additionalProperties": False}, **spec},
        published_at=timezone.now(),
    )
    return definition


def capability(person: Person, slug: str) -> Capability:
    return next(found for found in list_capabilities(person.actor) if found.slug == slug)
