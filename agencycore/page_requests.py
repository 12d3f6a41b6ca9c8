"""Requests that the pages' own scripts make."""

from django.http import HttpRequest

FETCH = "fetch"


def asks_for_part(request: HttpRequest) -> bool:
    """Whether the page's own script asks, and wants a part of the page, or JSON that says why not."""
    return request.headers.get("X-Requested-With") == FETCH
