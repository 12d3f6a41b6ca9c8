"""What every request passes through."""

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NULL_IN_QUERY = "%00"
READ_CHARSETS = {"utf-8", "utf8", "us-ascii"}


class Utf8Middleware:
    """Refuses requests that say they are written in anything but UTF-8, as every page of ours is.

    Django would read addresses and forms in it, and not every codec makes text of bytes.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.strip("'\"").lower() not in READ_CHARSETS:
            raise BadRequest("The request is not written in UTF-8.")
        return self.get_response(request)


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
