"""What is answered where no view answers: a page for browsers, ``{"detail", "code"}`` for API clients."""

from http import HTTPStatus

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import csrf, defaults

from agencycore.api_errors import TOO_LARGE, TOO_LARGE_CODE
from agencycore.page_requests import asks_for_part

API_PREFIX = "/api/"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_api(request):
        return defaults.bad_request(request, exception)
    if isinstance(exception, RequestDataTooBig):
        return _answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE, TOO_LARGE_CODE)
    return _answer(HTTPStatus.BAD_REQUEST, "The request could not be read.", "bad_request")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_api(request):
        return defaults.permission_denied(request, exception)
    return _answer(HTTPStatus.FORBIDDEN, "You do not have permission to do this.", "permission_denied")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The person logged in anew, or their cookies are gone, since the page was loaded."""
    if _is_api(request) or asks_for_part(request):
        return _answer(HTTPStatus.FORBIDDEN, "This page has been open for too long.", "csrf")
    return csrf.csrf_failure(request, reason=reason)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_api(request):
        return defaults.page_not_found(request, exception)
    return _answer(HTTPStatus.NOT_FOUND, "Not found.", "not_found")


def server_error(request: HttpRequest) -> HttpResponse:
    if not _is_api(request):
        return defaults.server_error(request)
    return _answer(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong. Try again in a moment.", "server_error")


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith(API_PREFIX)


def _answer(status: HTTPStatus, words: str, code: str) -> HttpResponse:
    return JsonResponse({"detail": words, "code": code}, status=status)
