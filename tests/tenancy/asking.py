"""Asking the product as one person's browser or program, and what came of it."""

import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import urlencode

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.test.utils import CaptureQueriesContext

from agencycore.refs import readers
from tests.people import Person
from tests.tenancy.shapes import UUID, compared, shape_of_sql, without_ids

Form: TypeAlias = Literal["integer", "uuid", "ref", "word"]
Values = Mapping[str, object]
MIRRORED = str.maketrans("0123456789abcdef", "9876543210fedcba")
UNKNOWN_INTEGERS = itertools.count(2**40)
MANY = 3
A_WORD = "no-such-word"
WITHOUT_BODY = ("GET", "HEAD", "PROBE")


@dataclass(frozen=True)
class Ask:
    """One request. A file is a pair of its name and its bytes; a list in query or form is sent value by value."""

    method: str
    path: str
    query: Values = field(default_factory=dict)
    body: Values = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    is_json: bool = False

    @property
    def address(self) -> str:
        return f"{self.path}?{urlencode(self.query, doseq=True)}" if self.query else self.path

    def payload(self) -> tuple[Any, str]:
        """The body and its content type."""
        if self.method in WITHOUT_BODY:
            return "", "text/plain"
        if self.is_json:
            return json.dumps(self.body), "application/json"
        files = {name: SimpleUploadedFile(*file) for name, file in self.files.items()}
        return encode_multipart(BOUNDARY, {**self.body, **files}), MULTIPART_CONTENT


class Browser:
    """Each request is the first after the log-in: what was told before travels in cookies."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self._client = person.client
        self._session = self._client.cookies[settings.SESSION_COOKIE_NAME].value

    def send(self, ask: Ask) -> Any:
        self._client.cookies.clear()
        self._client.cookies[settings.SESSION_COOKIE_NAME] = self._session
        data, content_type = ask.payload()
        return self._client.generic(ask.method, ask.address, data, content_type, headers=dict(ask.headers))

    def knock(self, ask: Ask, *ids: str) -> "Outcome":
        """How ``ask`` ended, with ``ids`` taken out of its words; what it changed is taken back."""
        return outcome_of(lambda: _said(self.send(ask)), *ids)


@dataclass(frozen=True)
class Outcome:
    """How it ended: what was said and which statements ran, both without the ids in them.

    ``is_looked_up``: some statement compared something with one of the ids.
    """

    status: object
    said: str
    statements: tuple[str, ...]
    is_looked_up: bool = field(default=False, compare=False)

    @property
    def words(self) -> tuple[object, str]:
        return self.status, self.said

    def difference_to(self, other: "Outcome") -> str:
        """What an asker could tell the two apart by; "" for nothing."""
        if self.status != other.status:
            return f"status {self.status} and not {other.status}"
        if self.said != other.said:
            start = next((i for i, (a, b) in enumerate(zip(self.said, other.said, strict=False)) if a != b), 0)
            around = slice(max(0, start - 60), start + 120)
            return f"words {self.said[around]!r} and not {other.said[around]!r}"
        if self.statements == other.statements:
            return ""
        extra = [sql[:200] for sql in self.statements if sql not in other.statements]
        missing = [sql[:200] for sql in other.statements if sql not in self.statements]
        return f"{len(self.statements)} statements and not {len(other.statements)}: {extra[:3]} for {missing[:3]}"


def outcome_of(act: Callable[[], tuple[object, str]], *ids: str) -> Outcome:
    """What ``act`` says (its status and words) and runs; its changes are taken back."""
    connection.queries_log.clear()  # it is short, and drops what does not fit
    point = connection.savepoint()
    try:
        with CaptureQueriesContext(connection) as captured:
            status, said = act()
    finally:
        connection.savepoint_rollback(point)
        # A savepoint made by hand leaves them there, for every later rollback to go through.
        connection.run_on_commit.clear()
    statements = [query["sql"] for query in captured]
    is_looked_up = any(each.rpartition(":")[2] in compared(sql) for each in ids for sql in statements)
    return Outcome(status, without_ids(said, *ids), tuple(map(shape_of_sql, statements)), is_looked_up)


def form_of(text: str) -> Form:
    if text.partition(":")[0] in readers():
        return "ref"
    if text.isdigit():
        return "integer"
    return "uuid" if UUID.fullmatch(text) else "word"


def forms_in(text: str) -> str:
    """The form of each id between commas, with the kind of a reference."""
    return " ".join(f"{form_of(one)} {one.rpartition(':')[0]}" for one in text.split(","))


def unknown_like(known: str) -> str:
    """An id of the same form that nobody has. ``kind:id`` keeps its kind, a UUID the places of letters and digits.

    What tells words from numbers and sentences from each other reads the two alike.
    """
    match form_of(known):
        case "ref":
            kind, _, name = known.partition(":")
            return f"{kind}:{name.translate(MIRRORED)}"
        case "integer":
            return str(next(UNKNOWN_INTEGERS))
        case "uuid":
            return known.translate(MIRRORED)
        case "word":
            return A_WORD


@dataclass
class Nobodys:
    """What ``act`` comes to with an id that nobody has, or with several between commas: once for each form."""

    act: Callable[[str], Outcome]
    known: dict[str, Outcome] = field(default_factory=dict)

    def like(self, foreign: str) -> Outcome:
        form = forms_in(foreign)
        if form not in self.known:
            self.known[form] = self.act(self._unknown(foreign))
        return self.known[form]

    def _unknown(self, foreign: str) -> str:
        return ",".join(map(unknown_like, foreign.split(",")))

    def worth_asking(self, ids: Sequence[str]) -> Iterator[str]:
        """Where references are answered like any word, they are not read as such: one of many will do."""
        counts = Counter(map(form_of, ids))
        seen: set[Form] = set()
        for foreign in ids:
            form = form_of(foreign)
            is_many = form == "ref" and counts[form] >= MANY
            if not (is_many and form in seen and self.like(foreign) == self.like(A_WORD)):
                yield foreign
            seen.add(form)

    def doubtful(self, ids: Sequence[str], guarded: Collection[str]) -> Iterator[str]:
        """What is not looked up could only be found among rows that are read anyway: never those that a policy guards.

        Of each form one is asked in any case.
        """
        forms: set[Form] = set()
        for foreign in self.worth_asking(ids):
            form = form_of(foreign)
            if form not in forms or foreign not in guarded or self.like(foreign).is_looked_up:
                yield foreign
            forms.add(form)

    def difference(self, foreign: str) -> str:
        """How ``foreign`` is told from an id that nobody has; "" if it is not."""
        if self.act(foreign) == self.like(foreign):
            return ""
        # Both again: what is asked first may fill a cache.
        return self.act(foreign).difference_to(self.act(self._unknown(foreign)))


def _said(response: Any) -> tuple[int, str]:
    body = "" if response.streaming else response.content.decode(errors="replace")
    return response.status_code, f"{response.headers.get('Location', '')}\n{body}"
