"""Which names a view reads out of a request, recorded while it answers one.

Query strings, forms and files are read through Django's ``MultiValueDict``, JSON through a dict, headers through their
mapping; forms and serializers say in addition what each of their names takes.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from unittest.mock import patch

from django import forms
from django.core.handlers.wsgi import WSGIRequest
from django.http.request import HttpHeaders, QueryDict
from django.utils.datastructures import MultiValueDict
from rest_framework import parsers, serializers

Place: TypeAlias = Literal["query", "body", "file", "header"]
Taker: TypeAlias = forms.Field | serializers.Field | None


@dataclass
class Recorded:
    """What one request was asked for: by place and name, what takes it where that is known."""

    names: dict[tuple[Place, str], Taker] = field(default_factory=dict)
    # Names of which all values are read.
    lists: set[str] = field(default_factory=set)
    # Places that were read as a whole, so that no name was heard.
    whole: set[Place] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    request: WSGIRequest | None = None

    def note(self, place: Place, name: object, taker: Taker = None) -> None:
        if isinstance(name, str):
            self.names[place, name] = taker or self.names.get((place, name))

    def place_of(self, read: MultiValueDict) -> Place:
        request = self.request
        if request is None or request.method == "GET" or read is request.__dict__.get("GET"):
            return "query"
        return "file" if read is getattr(request, "_files", None) else "body"


class Noted(dict):
    """A dict that tells which of its names are asked for."""

    def __init__(self, values: dict[str, object], note: Callable[[object], None]) -> None:
        super().__init__(values)
        self._note = note

    def __getitem__(self, name: str) -> Any:
        self._note(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._note(name)
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return super().get(name, default)


@contextmanager
def recording() -> Iterator[Recorded]:
    """What the requests that are sent meanwhile are asked for."""
    recorded = Recorded()
    with ExitStack() as stack:
        for patched in (*_requests(recorded), *_dictionaries(recorded), *_json(recorded), *_forms(recorded)):
            stack.enter_context(patched)
        yield recorded


def _requests(recorded: Recorded) -> Iterator[Any]:
    begin, header = WSGIRequest.__init__, HttpHeaders.__getitem__

    def remember(request: WSGIRequest, environ: dict[str, Any]) -> None:
        recorded.request = request
        begin(request, environ)

    def read_header(headers: HttpHeaders, name: str) -> str:
        recorded.note("header", name)
        return header(headers, name)

    yield patch.object(WSGIRequest, "__init__", remember)
    yield patch.object(HttpHeaders, "__getitem__", read_header)


def _dictionaries(recorded: Recorded) -> Iterator[Any]:
    """Reading one name notes it; reading all of them says that there may be more. What is copied, or written
    into an address again, is not read by that.
    """
    copying: list[MultiValueDict] = []

    def is_heard(values: MultiValueDict) -> bool:
        is_sent = isinstance(values, QueryDict) or values is getattr(recorded.request, "_files", None)
        return is_sent and not copying

    def by_name(method: str) -> Any:
        original = getattr(MultiValueDict, method)

        def read(values: MultiValueDict, name: object, *more: Any) -> Any:
            if is_heard(values):
                recorded.note(recorded.place_of(values), name)
                recorded.lists |= {str(name)} if method == "getlist" else set()
            return original(values, name, *more)

        return patch.object(MultiValueDict, method, read)

    def as_whole(method: str) -> Any:
        original = getattr(MultiValueDict, method)

        def read(values: MultiValueDict) -> Any:
            if is_heard(values):
                recorded.whole.add(recorded.place_of(values))
            return original(values)

        return patch.object(MultiValueDict, method, read)

    def silently(method: str) -> Any:
        original = getattr(QueryDict, method)

        def copy(values: QueryDict, *more: Any) -> Any:
            copying.append(values)
            try:
                return original(values, *more)
            finally:
                copying.pop()

        return patch.object(QueryDict, method, copy)

    def as_dict(values: MultiValueDict) -> Noted:
        place = recorded.place_of(values)
        return Noted({name: values[name] for name in values}, lambda name: recorded.note(place, name))

    yield from map(by_name, ("__getitem__", "__contains__", "getlist"))
    yield from map(as_whole, ("items", "lists", "values"))
    yield from map(silently, ("__copy__", "__deepcopy__", "urlencode"))
    yield patch.object(MultiValueDict, "dict", as_dict)


def _json(recorded: Recorded) -> Iterator[Any]:
    parse = parsers.JSONParser.parse

    def parse_noted(parser: parsers.JSONParser, *args: Any, **kwargs: Any) -> Any:
        parsed = parse(parser, *args, **kwargs)
        return Noted(parsed, lambda name: recorded.note("body", name)) if isinstance(parsed, dict) else parsed

    yield patch.object(parsers.JSONParser, "parse", parse_noted)


def _forms(recorded: Recorded) -> Iterator[Any]:
    clean, validate = forms.BaseForm.full_clean, serializers.Serializer.run_validation

    def clean_noted(form: forms.BaseForm) -> None:
        clean(form)
        if not form.is_bound:
            return
        recorded.errors += [f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
        for name, taker in form.fields.items():
            place: Place = "file" if isinstance(taker, forms.FileField) else recorded.place_of(form.data)
            recorded.note(place, form.add_prefix(name), taker)

    def validate_noted(serializer: serializers.Serializer, *args: Any, **kwargs: Any) -> Any:
        for name, taker in serializer.fields.items():
            if not taker.read_only:
                recorded.note("file" if isinstance(taker, serializers.FileField) else "body", name, taker)
        return validate(serializer, *args, **kwargs)

    yield patch.object(forms.BaseForm, "full_clean", clean_noted)
    yield patch.object(serializers.Serializer, "run_validation", validate_noted)
