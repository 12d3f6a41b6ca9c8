"""Every address of the product, as the resolver knows it, and how to fill and compare it."""

import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

PARAMETER = re.compile(r"<(?:(?P<converter>\w+):)?(?P<name>\w+)>")
ONE_OF = re.compile(r"\^\(\?P<\w+>(\w+)[\w|]*\)/\$")
CATCH_ALL = re.compile(r"\(\?P<(\w+)>\.\*\)\$")
NO_METHOD = "PROBE"
UNKNOWN_INTEGER = str(2**40)

UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)
TOKEN = re.compile(r"\b[A-Za-z0-9]{64}\b")
TEXT = re.compile(r"'(?:[^']|'')*'")
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Address:
    """One pattern: ``route`` is whole, with its parameters in angle brackets."""

    route: str
    name: str
    module: str

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and converter of each."""
        return [(found["name"], found["converter"] or "str") for found in PARAMETER.finditer(self.route)]

    def fill(self, values: dict[str, str]) -> str:
        return PARAMETER.sub(lambda found: values[found["name"]], self.route)


@cache
def all_addresses() -> list[Address]:
    return list(_walk(get_resolver(), "/", ""))


def _walk(resolver: URLResolver, prefix: str, namespace: str) -> Iterator[Address]:
    for pattern in resolver.url_patterns:
        route = prefix + _route(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern, route, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace)
        else:
            yield Address(route, f"{namespace}{pattern.name}", _module(pattern))


def _route(pattern: Any) -> str:
    if isinstance(pattern, RegexPattern):
        words = ONE_OF.fullmatch(str(pattern))
        if words:
            return f"{words[1]}/"
        found = CATCH_ALL.fullmatch(str(pattern))
        assert found, f"the walk cannot fill {pattern}; use path()"
        return f"<path:{found[1]}>"
    return str(pattern)


def _module(pattern: URLPattern) -> str:
    view = getattr(pattern.callback, "view_class", None) or getattr(pattern.callback, "cls", None) or pattern.callback
    model_admin = getattr(view, "model_admin", None)
    return str((model_admin or view).__module__)


def methods_of(client: Client, path: str) -> tuple[str, ...]:
    """What the view takes; one that refuses nothing is asked by GET and POST."""
    response = client.generic(NO_METHOD, path)
    if response.status_code != 405:
        return ("GET", "POST")
    allowed = {method.strip() for method in response.headers.get("Allow", "").split(",")}
    return tuple(sorted(allowed - {"OPTIONS", "HEAD"}))


@dataclass(frozen=True)
class Outcome:
    """How a request ended: what was said and which statements ran, both without the ids in them."""

    status: int
    said: str
    statements: tuple[str, ...]


def knock(send: Callable[[], Any], *ids: str) -> Outcome:
    """``send`` a request and take back what it changed."""
    connection.queries_log.clear()  # it is short, and drops what does not fit
    point = connection.savepoint()
    with CaptureQueriesContext(connection) as captured:
        response = send()
    connection.savepoint_rollback(point)
    body = "" if response.streaming else response.content.decode(errors="replace")
    said = f"{response.headers.get('Location', '')}\n{body}"
    return Outcome(response.status_code, _plain(said, ids), tuple(_shape(query["sql"]) for query in captured))


def _plain(text: str, ids: tuple[str, ...]) -> str:
    text = text.replace("_2D", "-")  # as the admin writes it in addresses
    for each in ids:
        text = text.replace(each, "ID")
    return NUMBER.sub("0", TOKEN.sub("TOKEN", UUID.sub("ID", text)))


def _shape(sql: str) -> str:
    return NUMBER.sub("0", TEXT.sub("?", UUID.sub("ID", sql)))


def unknown_like(known: str) -> str:
    return UNKNOWN_INTEGER if known.isdigit() else str(uuid.uuid4())
