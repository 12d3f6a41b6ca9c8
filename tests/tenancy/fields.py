"""What an address takes beside its parameters, found by asking it: query, body, files and headers.

A valid request is made step by step. Each answer tells which names the view reads; a name that its form or serializer
cannot do without, or that stands in ``VALUES``, is filled in, and the address is asked again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib.messages import ERROR
from django.db import connection
from rest_framework import serializers
from rest_framework.authtoken.models import Token

from chat.api.serializers import RefField
from tests.tenancy.addresses import Address
from tests.tenancy.asking import Ask, Browser, form_of
from tests.tenancy.recording import Place, Recorded, Taker, recording
from tests.tenancy.world import World

# What a valid request says where neither form nor serializer tells: read by the views themselves.
VALUES: Mapping[str, object] = {
    "text": "Hello",
    "client_message_id": "c1",
    "title": "A title",
    "rating": "helpful",
    "index": "0",
    "post": "yes",
}
# The same for one address alone; a function is given the world.
VALUES_OF: Mapping[str, Mapping[str, Any]] = {
    "switch_organization": {"organization": lambda world: world.person.organization.slug},
    "switch_staff_organization": {"organization": lambda world: world.person.organization.slug},
    "make_token": {"replaces": lambda world: Token.objects.get(user=world.person.user).created.isoformat()},
    "crm_import": {"kind": "companies"},
    "admin:autocomplete": {"app_label": "organizations", "model_name": "membership", "field_name": "user"},
}
FILE = ("names.txt", b"Name,Domain\nAcorn Works,acorn.example\n")
# Positions, not ids: where a list is cut. They are told apart by being there or not, for everybody.
POSITIONS = {"page", "before", "p", "o", "index", "Last-Event-Id"}
# How the admin is to answer, and to which of its buttons: the same for every model.
DJANGOS_FLAGS = {
    *("_popup", "_to_field", "_facets", "_changelist_filters", "_save", "_saveasnew", "_continue", "_addanother"),
    *("all", "p", "action", "index", "select_across", "post"),
}
ROWS_IN_ADMIN = 1
# How the answer is to be written and who asks: none of them names a row.
PLAIN_HEADERS = {"Accept", "Authorization", "Content-Length", "Content-Type", "Cookie", "Host", "X-Requested-With"}
# DRF's own: how the answer is written, never what it is about.
PLAIN_QUERIES = {"format", "lang", "version"}
ROUNDS_AT_MOST = 6
FORBIDDEN, UNSUPPORTED = 403, 415


@dataclass(frozen=True)
class Field:
    place: Place
    name: str
    taker: Taker
    is_list: bool = False


@dataclass(frozen=True)
class Taking:
    """A valid request, what it was asked for, and why it is none after all: ``fault`` is "" if it is one."""

    address: Address
    methods: tuple[str, ...]
    ask: Ask
    fields: tuple[Field, ...]
    fault: str

    def with_value(self, taken: Field, value: object) -> Ask:
        is_list = isinstance(taken.taker, serializers.ListField | forms.MultipleChoiceField)
        shaped = [value] if is_list and not isinstance(value, list) else value
        if taken.place == "header":
            return replace(self.ask, headers={**self.ask.headers, taken.name: str(value)})
        if taken.place == "query":
            return replace(self.ask, query={**self.ask.query, taken.name: shaped})
        return replace(self.ask, body={**self.ask.body, taken.name: shaped})


def find_taking(
    browser: Browser, world: World, address: Address, methods: tuple[str, ...], method: str, own: Mapping[str, str]
) -> Taking:
    """Ask until nothing new is read."""
    ask = Ask(method, address.fill(own), is_json=address.is_api)
    known: dict[tuple[Place, str], Taker] = {}
    for _ in range(ROUNDS_AT_MOST):
        response, recorded = _listen(browser, ask)
        if response.status_code == UNSUPPORTED:
            ask = replace(ask, is_json=False)
            continue
        new = {key: taker for key, taker in _names(address, recorded).items() if key not in known}
        known |= new
        filled = _filled(ask, world, address, [Field(*key, taker) for key, taker in new.items()])
        if filled == ask:
            break
        ask = filled
    fields = tuple(Field(*key, taker, key[1] in recorded.lists) for key, taker in known.items())
    return Taking(address, methods, ask, fields, _fault(address, response, recorded))


def _listen(browser: Browser, ask: Ask) -> tuple[Any, Recorded]:
    point = connection.savepoint()
    try:
        with recording() as recorded:
            return browser.send(ask), recorded
    finally:
        connection.savepoint_rollback(point)
        connection.run_on_commit.clear()


def _names(address: Address, recorded: Recorded) -> dict[tuple[Place, str], Taker]:
    plain = {("header", name) for name in PLAIN_HEADERS} | {("query", name) for name in PLAIN_QUERIES}
    titled = {
        (place, name.title() if place == "header" else name): taker for (place, name), taker in recorded.names.items()
    }
    names = {key: taker for key, taker in titled.items() if key not in plain}
    if address.admin and "query" in recorded.whole and address.name.endswith(("_changelist", "_add")):
        names |= {("query", name): None for name in _lookups(address.admin.model)}
    return names


def _lookups(model: Any) -> Iterator[str]:
    """What can be asked of an admin list, or put into an empty form: its own rows, and those it links to."""
    yield "id__exact"
    for link in model._meta.fields:
        if link.many_to_one or link.one_to_one:
            yield link.name
            yield f"{link.name}__{link.target_field.name}__exact"


def _filled(ask: Ask, world: World, address: Address, fields: list[Field]) -> Ask:
    given = {**VALUES, **VALUES_OF.get(address.name, {})}
    for each in fields:
        value = given.get(each.name, _value_for(each.taker))
        if address.admin and each.name == "_selected_action":
            value = [world.ids[address.admin.model._meta.label][0]]
        if callable(value):
            value = value(world)
        if each.place == "file":
            ask = replace(ask, files={**ask.files, each.name: FILE})
        elif value is None or each.place == "header":
            continue
        elif each.place == "body":
            ask = replace(ask, body={**ask.body, each.name: value})
        elif ask.method == "GET" and each.name in given and address.name in VALUES_OF:
            ask = replace(ask, query={**ask.query, each.name: value})
    return ask


def _value_for(taker: Taker) -> object:
    """What the form or serializer cannot do without; None for what can be left out or is filled by name."""
    match taker:
        case forms.ModelChoiceField():
            row = taker.queryset.first()
            return row and str(row.pk)
        case forms.ChoiceField():
            return ([str(key) for key, _ in _flat(taker.choices) if key not in ("", None)] or [None])[-1]
        case forms.DateTimeField() if taker.required:
            return "2026-01-05 10:00"
        case forms.DateField() if taker.required:
            return "2026-01-05"
        case forms.IntegerField() if taker.required:
            return "1"
        case forms.CharField() | forms.JSONField() if taker.required:
            return "UTC" if "zone" in str(taker.label).lower() else "words"
        case serializers.Serializer() | serializers.ListSerializer():
            raise AssertionError("the walk does not know nested serializers; teach tests/tenancy/fields.py")
        case _:
            return None


def _flat(choices: Any) -> Iterator[tuple[object, object]]:
    for key, label in choices:
        if isinstance(label, list | tuple):
            yield from label
        else:
            yield key, label


def _fault(address: Address, response: Any, recorded: Recorded) -> str:
    """Why the request is not valid; a GET may say what it likes, and what is forbidden to all takes nothing."""
    is_query = recorded.request is not None and recorded.request.method == "GET"
    if "query" in recorded.whole and not address.admin:
        return "the query is read as a whole, so what it takes is not known"
    if is_query or response.status_code == FORBIDDEN:
        return ""
    if "body" in recorded.whole and not address.admin:
        return "the body is read as a whole, so what it takes is not known"
    if response.status_code >= 400 or recorded.errors:
        return f"{response.status_code}: {recorded.errors or _start_of(response)}"
    queued = getattr(getattr(recorded.request, "_messages", None), "_queued_messages", [])
    return "; ".join(str(message) for message in queued if message.level >= ERROR)


def _start_of(response: Any) -> str:
    return "" if response.streaming else response.content.decode(errors="replace")[:200]


def ids_for(taken: Field, address: Address, theirs: World) -> list[str]:
    """The ids of somebody else that the field could take; of a name that nobody explains, all of them."""
    everything = list(theirs.first_ids())
    match _leaf(taken.taker):
        case forms.ModelChoiceField() as choice:
            return theirs.ids.get(choice.queryset.model._meta.label, [])
        case forms.ChoiceField() as choice if not _offers_ids(choice):
            return []
        case forms.FileField() | forms.BooleanField() | forms.DateField() | forms.DateTimeField():
            return []
        case serializers.FileField() | serializers.BooleanField() | serializers.ChoiceField():
            return []
        case serializers.UUIDField():
            return [each for each in everything if form_of(each) == "uuid"]
        case RefField():
            return [each for each in everything if form_of(each) == "ref"]
        case _ if address.admin:
            everything = _of_model(taken.name, address.admin.model, theirs)
    return [each for each in everything if not (form_of(each) == "integer" and taken.name in POSITIONS)]


def _leaf(taker: Taker) -> Taker:
    return _leaf(taker.child) if isinstance(taker, serializers.ListField) else taker


def _offers_ids(choice: forms.ChoiceField) -> bool:
    return any(form_of(str(key)) in ("integer", "uuid") for key, _ in _flat(choice.choices))


def _of_model(name: str, model: Any, theirs: World) -> list[str]:
    """In the admin a name leads to rows of its own model, or to those of a link."""
    if name in DJANGOS_FLAGS:
        return []
    links = {link.name: link.related_model for link in model._meta.fields if link.many_to_one or link.one_to_one}
    return theirs.ids.get(links.get(name.partition("__")[0], model)._meta.label, [])[:ROWS_IN_ADMIN]
