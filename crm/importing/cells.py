"""From the text of one cell to a value, or to what is wrong with it in words."""

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import TextChoices

from agencycore.errors import ProductError
from crm.importing.tables import UNREADABLE
from crm.models import SizeBand

DOMAIN = re.compile(r"(?=.{1,253}$)(\w([\w-]{0,61}\w)?\.)+\w([\w-]{0,61}\w)?")
AMOUNT_MAX = Decimal(10) ** 12
CURRENCY = re.compile(r"[A-Z]{3}")
CURRENCY_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}
DATE_FORMATS = ("%Y-%m-%d", "%d.%m.%Y")
SHOWN_LENGTH = 60


class CellProblem(ProductError):
    code = "invalid_cell"


def text(max_length: int) -> Callable[[str], str]:
    def parse(cell: str) -> str:
        if UNREADABLE.search(cell):
            raise CellProblem("holds a control character.")
        if len(cell) > max_length:
            raise CellProblem(f"is longer than {max_length} characters.")
        return cell

    return parse


def domain(cell: str) -> str:
    """“https://www.Acme.com/about” as acme.com."""
    host = re.sub(r"^[a-z]+://", "", cell.lower()).split("/", 1)[0].removeprefix("www.").rstrip(".")
    if not DOMAIN.fullmatch(host):
        raise CellProblem(f"“{_shown(cell)}” is not a web domain, for example acme.com.")
    return host


def email(cell: str) -> str:
    address = cell.lower()
    try:
        validate_email(address)
    except ValidationError:
        raise CellProblem(f"“{_shown(cell)}” is not an e-mail address.") from None
    return address


def choice(choices: type[TextChoices]) -> Callable[[str], str]:
    by_word = {_plain(word): value for value, label in choices.choices for word in (value, str(label))}

    def parse(cell: str) -> str:
        value = by_word.get(_plain(cell))
        if value is None:
            known = ", ".join(str(label) for label in choices.labels)
            raise CellProblem(f"“{_shown(cell)}” is not one of: {known}.")
        return value

    return parse


def size_band(cell: str) -> str:
    """A band, or a number of employees."""
    if not cell.replace(",", "").isdecimal():
        return choice(SizeBand)(cell)
    number = int(cell.replace(",", ""))
    for band in SizeBand.values:
        upper = band.partition("-")[2]
        if not upper or number <= int(upper):
            return str(band)
    raise AssertionError("the last band has no upper limit")


def amount(cell: str) -> Decimal:
    """An amount with at most two decimals, in either notation: 1,234.50 and 1.234,50.

    A separator before exactly three digits separates thousands, because no amount has three decimals.
    """
    plain = re.sub(r"[\s'’]", "", cell)
    match = re.fullmatch(r"(\d+|\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?", plain)
    if match is None:
        raise CellProblem(f"“{_shown(cell)}” is not an amount, for example 12500 or 12,500.00.")
    value = Decimal(f"{re.sub(r'[.,]', '', match[1])}.{match[2] or 0}")
    if value >= AMOUNT_MAX:
        raise CellProblem("is too large.")
    return value


def currency(cell: str) -> str:
    code = CURRENCY_SIGNS.get(cell, cell.upper())
    if not CURRENCY.fullmatch(code):
        raise CellProblem(f"“{_shown(cell)}” is not a currency code of three letters, for example EUR.")
    return code


def date(cell: str) -> datetime.date:
    for date_format in DATE_FORMATS:
        try:
            return datetime.datetime.strptime(cell, date_format).date()
        except ValueError:
            continue
    raise CellProblem(f"“{_shown(cell)}” is not a date. Write it as 2026-01-31.")


def _plain(word: str) -> str:
    return re.sub(r"[^a-z0-9+]", "", word.lower().replace("employees", "").replace("morethan", ""))


def _shown(cell: str) -> str:
    return cell if len(cell) <= SHOWN_LENGTH else f"{cell[:SHOWN_LENGTH]}…"
