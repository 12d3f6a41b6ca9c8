"""Every address of the product, as the resolver knows it, and how to fill it."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.admin import ModelAdmin
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

from tests.tenancy.asking import Ask, Browser
from tests.tenancy.shapes import UUID

PARAMETER = re.compile(r"<(?:(?P<converter>\w+):)?(?P<name>\w+)>")
ONE_OF = re.compile(r"\^\(\?P<\w+>(\w+)[\w|]*\)/\$")
CATCH_ALL = re.compile(r"\(\?P<(\w+)>\.\*\)\$")
# What stands in an address beside an id, other than words of other addresses of its room.
WORDS = ("md", "json")
# Addresses of others' making that show no row of ours to anybody.
OPENS_NOTHING = {
    "admin:view_on_site": "no model has a public page of its own",
    "admin:None": "the catch-all redirects whatever it is given",
    "admin:chat_knowledgegap_change": "it leads to the message's page, whatever the id",
    "admin:auth_group_change": "groups are the platform's",
    "admin:auth_group_delete": "groups are the platform's",
    "admin:auth_group_history": "groups are the platform's",
}


@dataclass(frozen=True)
class Address:
    """One pattern: ``route`` is whole, with its parameters in angle brackets."""

    route: str
    name: str
    view: Any

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and converter of each."""
        return [(found["name"], found["converter"] or "str") for found in PARAMETER.finditer(self.route)]

    @property
    def admin(self) -> ModelAdmin | None:
        return getattr(self.view, "model_admin", None)

    @property
    def module(self) -> str:
        return str((self.admin or self.view).__module__)

    @property
    def is_api(self) -> bool:
        return self.route.startswith("/api/")

    def fill(self, values: Mapping[str, str]) -> str:
        return PARAMETER.sub(lambda found: values[found["name"]], self.route)

    def fillings(self, ids: Iterable[str]) -> Iterator[dict[str, str]]:
        """Its parameters with each of ``ids``, beside each word that may stand there."""
        names = [name for name, _ in self.parameters]
        choices = [self._choices(converter, list(ids)) for _, converter in self.parameters]
        for values in itertools.product(*choices):
            yield dict(zip(names, values, strict=True))

    def _choices(self, converter: str, ids: list[str]) -> list[str]:
        match converter:
            case "uuid":
                return [each for each in ids if UUID.fullmatch(each)]
            case "int":
                return [each for each in ids if each.isdigit()]
            case "path":
                return ids
            case "str" | "slug":
                return [*WORDS, *_words_beside(self)]
        raise AssertionError(f"the walk does not know the converter {converter}")


@cache
def all_addresses() -> list[Address]:
    return [each for each in _walk(get_resolver(), "/", "") if each.name not in OPENS_NOTHING]


def methods_of(browser: Browser, path: str) -> tuple[str, ...]:
    """What the view takes; one that refuses nothing is asked by GET and POST."""
    response = browser.send(Ask("PROBE", path))
    if response.status_code != 405:
        return ("GET", "POST")
    allowed = {method.strip() for method in response.headers.get("Allow", "").split(",")}
    return tuple(sorted(allowed - {"OPTIONS", "HEAD"}))


def _walk(resolver: URLResolver, prefix: str, namespace: str) -> Iterator[Address]:
    for pattern in resolver.url_patterns:
        route = prefix + _route(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern, route, f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace)
        else:
            yield Address(route, f"{namespace}{pattern.name}", _view(pattern))


def _route(pattern: Any) -> str:
    if isinstance(pattern, RegexPattern):
        words = ONE_OF.fullmatch(str(pattern))
        if words:
            return f"{words[1]}/"
        found = CATCH_ALL.fullmatch(str(pattern))
        assert found, f"the walk cannot fill {pattern}; use path()"
        return f"<path:{found[1]}>"
    return str(pattern)


def _view(pattern: URLPattern) -> Any:
    return getattr(pattern.callback, "view_class", None) or getattr(pattern.callback, "cls", None) or pattern.callback


def _words_beside(address: Address) -> list[str]:
    room = address.route.split("/")[1]
    routes = [other.route for other in all_addresses() if other.route.split("/")[1] == room]
    return sorted({part for route in routes for part in route.split("/")[2:] if part and "<" not in part})
