"""CSV export of what an admin list shows, safe to open in a spreadsheet."""

import csv
import logging
from collections.abc import Callable, Sequence
from typing import ClassVar

from django.contrib import admin
from django.contrib.admin.utils import label_for_field, lookup_field
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import capfirst

logger = logging.getLogger(__name__)

EXPORT_ROWS = 50_000
# A cell that begins with one of these is a formula to a spreadsheet, and may send data away.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Spreadsheets take a file without it for the local encoding.
BYTE_ORDER_MARK = "\ufeff"


class CsvExportMixin(admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable at run time
    """Adds the action "Export as CSV" to an admin.

    The columns are those of ``csv_fields``, or of ``list_display``: names of fields, of methods of the
    admin or the model, or functions. At most EXPORT_ROWS rows, in the order of the list.
    """

    actions = ("export_csv",)
    csv_fields: ClassVar[Sequence[str | Callable[[Model], object]]] = ()

    @admin.action(description="Export as CSV", permissions=["view"])
    def export_csv(self, request: HttpRequest, queryset: QuerySet[Model]) -> HttpResponse:
        # Written at once: a streamed answer would be read after the tenant's transaction.
        response = HttpResponse(content_type="text/csv; charset=utf-8")
        name = f"{self.opts.model_name}-{timezone.localdate():%Y-%m-%d}.csv"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response.write(BYTE_ORDER_MARK)
        columns = self.csv_fields or self.get_list_display(request)
        writer = csv.writer(response)
        writer.writerow([capfirst(str(label_for_field(column, self.model, self))) for column in columns])
        rows = 0
        for row in queryset[:EXPORT_ROWS]:
            writer.writerow([csv_cell(lookup_field(column, row, self)[2]) for column in columns])
            rows += 1
        logger.info("%s exported %d rows of %s", request.user.get_username(), rows, self.opts.label)
        return response


def csv_cell(value: object) -> object:
    """``value`` as a cell: text that would be run as a formula is marked as text."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return value
    text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_STARTS) else text
