"""Lists of the API in parts: a cursor leads from one to the next."""

import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Field
from django.utils import timezone
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request


class CheckedCursorPagination(CursorPagination):
    """DRF's, which takes a broken cursor for a fault of the client, wherever it is broken.

    DRF looks at a cursor's frame alone, and hands its position to the database unseen.
    """

    _field: "Field[Any, Any]"

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        first: str = ([self.ordering] if isinstance(self.ordering, str) else self.ordering)[0]
        self._field = queryset.model._meta.get_field(first.removeprefix("-"))
        return super().paginate_queryset(queryset, request, view)

    def decode_cursor(self, request: Request) -> Cursor | None:
        try:
            cursor = super().decode_cursor(request)
        except NotFound:
            raise _broken() from None
        if cursor is not None and cursor.position is not None and not self._could_be_ours(str(cursor.position)):
            raise _broken()
        return cursor

    def _could_be_ours(self, position: str) -> bool:
        """Whether a row may stand there: written as we write it, and within what the field can hold."""
        try:
            value = self._field.clean(position, None)
        except ValidationError:
            return False
        is_moment = isinstance(value, datetime.datetime)
        return str(value) == position and not (is_moment and timezone.is_naive(value))


def _broken() -> ParseError:
    return ParseError(
        "The cursor is broken. Take it from “next” or “previous” of an answer, as it is.", "invalid_cursor"
    )
