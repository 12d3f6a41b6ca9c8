"""What every request passes through."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NULL_IN_QUERY = "%00"


class NullCharacterMiddleware:
    """Refuses addresses with a null character: PostgreSQL has none, and no form field or name does.

    Django's fields check what is sent in bodies; filters and searches read addresses without one.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if NULL_IN_QUERY in request.META.get("QUERY_STRING", "") or "\x00" in request.path_info:
            raise BadRequest("The address holds a null character.")
        return self.get_response(request)
