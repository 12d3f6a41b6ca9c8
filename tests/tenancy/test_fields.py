"""Whatever id of somebody else stands in a query, a form, a JSON body or a header: as an unknown one.

The fields come from the views themselves, see ``fields``. An address that takes a body and that the walk cannot fill
fails it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import pytest

from organizations.switched import PAGE_ORGANIZATION_FIELD, OrganizationSwitched
from tests.tenancy.asking import Browser, Nobodys, Outcome, form_of, forms_in
from tests.tenancy.fields import Field, Taking, ids_for
from tests.tenancy.walking import Walk
from tests.tenancy.world import World

pytestmark = pytest.mark.django_db

# Fewer than any list may hold.
IN_ONE_LIST = 15
# What the walk cannot make valid, and why nothing is behind it.
REFUSES_EVERYBODY = {
    "admin:organizations_membership_add": "whom staff may choose is a member already",
}
# What is read before any view, and the status of those that are turned away there.
GATES = {PAGE_ORGANIZATION_FIELD: OrganizationSwitched.status}


@dataclass
class Gate:
    """A field that is read for many addresses in one place. It is asked at each of them, but with all ids only until
    it is known what the gate says.

    ``refusals`` are its answers to ids that nobody has, by form.
    """

    refusals: set[tuple[str, Outcome]] = field(default_factory=set)

    def learn(self, nobodys: Nobodys, status: int | None) -> None:
        self.refusals |= {(form, said) for form, said in nobodys.known.items() if said.status == status}

    def refuses(self, ids: Sequence[str], guarded: Collection[str], nobodys: Nobodys) -> bool:
        """Whether one id of each form gets a known refusal, in words and statements: the view was not reached.

        Those that no policy hides come first.
        """
        ordered = sorted(ids, key=lambda each: each in guarded)
        one_of_each = {form_of(each): each for each in reversed(ordered)}.values()
        return bool(self.refusals) and all((forms_in(each), nobodys.act(each)) in self.refusals for each in one_of_each)


def test_every_field_answers_a_foreign_id_as_an_unknown_one(walk: Walk):
    """A stranger's ids and those that are a teammate's alone; in one test, for what is asked is found out once."""
    unfilled = [
        f"{taking.ask.method} {taking.address.route}: {taking.fault}"
        for taking in walk.takings
        if taking.fault and taking.address.name not in REFUSES_EVERYBODY
    ]
    assert not unfilled, "the walk cannot fill these; teach tests/tenancy/fields.py:\n" + "\n".join(unfilled)

    strangers = list(_differences(walk.browser(walk.owner), walk.takings, walk.stranger))
    theirs = walk.owner.only(walk.private)
    teammates = list(_differences(walk.browser(walk.teammate), walk.teammates_takings, theirs))

    assert not strangers, "\n".join(strangers)
    assert not teammates, "\n".join(teammates)


def _differences(browser: Browser, takings: Iterable[Taking], theirs: World) -> Iterator[str]:
    headers: set[str] = set()
    gates: defaultdict[str, Gate] = defaultdict(Gate)
    for taking in takings:
        for taken in taking.fields:
            if _is_asked_by_get(taken, taking) or taken.name in headers:
                continue
            # A header is read for all addresses in one place.
            headers |= {taken.name} if taken.place == "header" else set()
            nobodys = Nobodys(partial(_knock, browser, taking, taken))
            ids = ids_for(taken, taking.address, theirs)
            gate = gates[taken.name]
            if gate.refuses(ids, theirs.guarded, nobodys):
                continue
            for foreign in _batches(ids) if taken.is_list else nobodys.doubtful(ids, theirs.guarded):
                if difference := nobodys.difference(foreign):
                    route = f"{taking.ask.method} {taking.address.route}"
                    yield f"{route} {taken.place} {taken.name}={foreign}: {difference}"
            gate.learn(nobodys, GATES.get(taken.name))


def _batches(ids: list[str]) -> Iterator[str]:
    """Where all values are read, those of one form are asked together: a text with commas, see ``_knock``."""
    for form in dict.fromkeys(map(form_of, ids)):
        alike = [each for each in ids if form_of(each) == form]
        yield from (",".join(alike[start : start + IN_ONE_LIST]) for start in range(0, len(alike), IN_ONE_LIST))


def _knock(browser: Browser, taking: Taking, taken: Field, value: str) -> Outcome:
    values = value.split(",")
    return browser.knock(taking.with_value(taken, values if len(values) > 1 else value), *values)


def _is_asked_by_get(taken: Field, taking: Taking) -> bool:
    """A query is read alike whatever the method."""
    return taken.place == "query" and taking.ask.method != "GET" and "GET" in taking.methods
