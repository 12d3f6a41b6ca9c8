"""Product errors as API answers: ``{"detail": words, "code": code}`` under their own status."""

from typing import Any

from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import exception_handler

from agencycore.errors import ProductError, RateLimited


def product_exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's own handler, which also knows what a ProductError is."""
    if not isinstance(error, ProductError):
        return exception_handler(error, context)
    answer = APIException(detail=str(error), code=error.code)
    answer.status_code = error.status
    if isinstance(error, RateLimited):
        answer.wait = error.retry_after_seconds  # type: ignore[attr-defined]  # read by DRF's handler
    response = exception_handler(answer, context)
    if response is not None:
        response.data = {"detail": str(error), "code": error.code}
    return response
