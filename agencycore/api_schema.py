"""The OpenAPI schema: what every operation has in common, said once."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import get_doc
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

ORGANIZATION = OpenApiParameter(
    "X-Organization",
    str,
    OpenApiParameter.HEADER,
    description="Slug or id of the organization, for a person of several. Without it: the one they joined first.",
)
SEARCH = OpenApiParameter("search", str, OpenApiParameter.QUERY, description="Words to look for.")


class RefusalSerializer(serializers.Serializer[object]):
    """What stands in every answer under a 4xx status. A field that is wrong is named beside these."""

    detail = serializers.CharField(help_text="Words for the person.")
    code = serializers.CharField(help_text="Stable, for programs.")


def refusal(words: str) -> OpenApiResponse:
    return OpenApiResponse(RefusalSerializer, words)


REFUSALS = {
    400: refusal("It could not be read, or a field, parameter or cursor is wrong."),
    401: refusal("Nobody is logged in, or the token is not known."),
    403: refusal("A session without its CSRF token."),
    404: refusal("It does not exist for this person, or they are not a member of the organization."),
    413: refusal("The request is too large."),
    415: refusal("The body is of another type."),
    429: refusal("Too many requests in a minute; Retry-After says when to come back."),
}
WITHOUT_BODY = (413, 415)
CONFLICT = {409: refusal("Understood, and not possible now.")}
TOO_MANY = {429: refusal("Too many messages, or requests, in a minute; Retry-After says when to come back.")}


class ProductSchema(AutoSchema):
    """Describes each operation by its method, never by its class, with the refusals that any of them can end in."""

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        return get_doc(getattr(self.view, self.method.lower(), None))

    def get_summary(self) -> str:
        return self.get_description().split("\n", 1)[0].split(". ", 1)[0].rstrip(".")

    def get_override_parameters(self) -> list[OpenApiParameter | serializers.Serializer[Any] | Any]:
        return [ORGANIZATION]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status, response in REFUSALS.items():
            if self.method in ("GET", "DELETE") and status in WITHOUT_BODY:
                continue
            described = self._get_response_for_code(response, str(status), direction=direction)  # type: ignore[no-untyped-call]
            bodies.setdefault(str(status), described)
        return dict(sorted(bodies.items()))
