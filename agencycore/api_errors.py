"""Refusals of the API: ``{"detail": words, "code": code}`` under their own status, whoever refuses.

A refused field stays named beside them: ``{"detail": "text: …", "code": "invalid", "text": ["…"]}``.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, ParamSpec

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

from agencycore.errors import ProductError, RateLimited

TOO_LARGE = "The request is too large."
TOO_LARGE_CODE = "too_large"
TOO_MANY_REQUESTS = "These are too many requests in a minute. Wait a moment and go on."

P = ParamSpec("P")
AsyncView = Callable[Concatenate[HttpRequest, P], Coroutine[Any, Any, HttpResponseBase]]


class TooLarge(exceptions.APIException):
    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_detail = TOO_LARGE
    default_code = TOO_LARGE_CODE


def product_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's own handler, which also knows what a ProductError is, and always tells a code."""
    known = _as_api_exception(error)
    response = exception_handler(known, context)
    if response is not None and isinstance(known, exceptions.APIException):
        response.data = _refusal(known)
    return response


def answers_in_json(*methods: str) -> Callable[[AsyncView[P]], AsyncView[P]]:
    """For the API's views that are none of DRF's: takes ``methods`` alone, and refuses as the others do."""

    def decorate(view: AsyncView[P]) -> AsyncView[P]:
        @wraps(view)
        async def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if request.method not in methods:
                return _answer(exceptions.MethodNotAllowed(request.method or ""), {"Allow": ", ".join(methods)})
            try:
                return await view(request, *args, **kwargs)
            except (exceptions.APIException, ProductError, RequestDataTooBig) as error:
                return _answer(error)

        return answered

    return decorate


def _as_api_exception(error: Exception) -> Exception:
    match error:
        case ProductError():
            known = exceptions.APIException(detail=str(error), code=error.code)
            known.status_code = error.status
            if isinstance(error, RateLimited):
                known.wait = error.retry_after_seconds  # type: ignore[attr-defined]  # read by DRF's handler
            return known
        case exceptions.Throttled():
            known = exceptions.Throttled(wait=error.wait)  # type: ignore[attr-defined]  # set by its maker
            known.detail = exceptions.ErrorDetail(TOO_MANY_REQUESTS, known.default_code)
            return known
        case Http404():
            return exceptions.NotFound("Not found.")
        case PermissionDenied():
            return exceptions.PermissionDenied()
        case RequestDataTooBig():
            return TooLarge()
        case _:
            return error


def _answer(error: Exception, headers: Mapping[str, str] | None = None) -> JsonResponse:
    answer = product_exception_handler(error, {})
    assert answer is not None
    response = JsonResponse(answer.data, status=answer.status_code)
    if answer.status_code == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Token"
    for name, value in {**answer.headers, **(headers or {})}.items():
        response.headers.setdefault(name, value)
    return response


def _refusal(error: exceptions.APIException) -> dict[str, object]:
    detail = error.detail
    if isinstance(detail, exceptions.ErrorDetail):
        return {"detail": str(detail), "code": detail.code}
    fields = detail if isinstance(detail, Mapping) else {}
    words = "; ".join(_words(detail))
    return {**fields, "detail": words, "code": exceptions.ValidationError.default_code}


def _words(detail: object, name: str = "") -> Sequence[str]:
    """Each error of the fields with the field's name before it."""
    if isinstance(detail, Mapping):
        pairs = [(_name(name, str(key)), value) for key, value in detail.items()]
        return [words for inner, value in pairs for words in _words(value, inner)]
    if isinstance(detail, list):
        return [words for value in detail for words in _words(value, name)]
    return [f"{name}: {detail}" if name else str(detail)]


def _name(outer: str, key: str) -> str:
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return outer
    return f"{outer}.{key}" if outer else key
