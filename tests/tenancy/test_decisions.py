"""Whatever id of somebody else a model writes into a decision, or a person into a message: as an unknown one.

The places come from the schema of decisions, the kinds of record from the readers. A decision that the walk cannot make
valid fails it: what is never looked at proves nothing.
"""

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from agencycore.refs import InvalidRef, parse_ref, readers
from tests.chat.turning import ask
from tests.tenancy.asking import Nobodys, Outcome, outcome_of, unknown_like
from tests.tenancy.turning import EACH, Decision, Way, decided, is_name, told, variants, ways_in, with_words
from tests.tenancy.walking import Walk
from tests.tenancy.world import World

pytestmark = pytest.mark.django_db

# As many as every kept sentence has room for.
IN_ONE_TEXT = 4
STATES = {"answer": "answered", "clarify": "clarified", "delegate": "delegated", "control_run": "controlled"}
VARIANTS = dict(variants())
WAYS = [(outcome, way) for outcome, properties in VARIANTS.items() for way in ways_in(properties)]


@pytest.mark.parametrize("outcome", VARIANTS)
def test_the_decisions_of_the_walk_are_valid(walk: Walk, outcome: str):
    for _, asker in walk.askers:
        ended = decided(asker, outcome, lambda decision: decision)

        assert ended.status == (STATES[outcome], outcome, ""), ended.said


@pytest.mark.parametrize(("outcome", "way"), WAYS, ids=lambda part: "-".join(part) if isinstance(part, tuple) else part)
def test_a_foreign_id_from_a_model_ends_as_an_unknown_one(walk: Walk, outcome: str, way: Way):
    for theirs, asker in walk.askers:
        ids = list(theirs.first_ids())
        for several in _portions(way, ids):
            unknown = [unknown_like(each) for each in several]
            one, none = (decided(asker, outcome, _putting(way, words), *words) for words in (several, unknown))
            assert one.difference_to(none) == "", several
        if is_name(way):
            nobodys = Nobodys(lambda value, asker=asker: decided(asker, outcome, _putting(way, [value]), value))
            assert [each for each in nobodys.doubtful(ids, theirs.guarded) if nobodys.difference(each)] == []


def _putting(way: Way, words: Sequence[str]) -> Callable[[Decision], Decision]:
    return lambda decision: with_words(decision, way, words)


def _portions(way: Way, ids: list[str]) -> list[list[str]]:
    """A list takes all at once; a text takes some at a time, for its end may be cut."""
    return [ids] if EACH in way else [ids[start : start + IN_ONE_TEXT] for start in range(0, len(ids), IN_ONE_TEXT)]


def test_a_foreign_record_sent_with_a_message_ends_as_an_unknown_one(walk: Walk):
    for theirs, asker in walk.askers:
        for send in (_as_ref, _as_page, _as_words):
            nobodys = Nobodys(partial(send, asker))
            for kind in theirs.refs:
                assert nobodys.difference(theirs.refs[kind][0]) == "", (send.__name__, kind)


def test_the_world_holds_a_record_of_every_kind(walk: Walk):
    assert set(walk.stranger.refs) == set(readers())


def _as_ref(asker: World, ref: str) -> Outcome:
    return outcome_of(lambda: _sent(asker, refs=[parse_ref(ref)]), ref.partition(":")[2])


def _as_page(asker: World, ref: str) -> Outcome:
    return outcome_of(lambda: _sent(asker, page=parse_ref(ref)), ref.partition(":")[2])


def _sent(asker: World, **refs: object) -> tuple[object, str]:
    """What became of the message; a kind that nobody can send is refused before anything is looked up."""
    try:
        return told(ask(asker.person, "Who owns this?", **refs))
    except InvalidRef as refusal:
        return refusal.status, str(refusal)


def _as_words(asker: World, ref: str) -> Outcome:
    return outcome_of(lambda: told(ask(asker.person, f"Who owns {ref}?")))
