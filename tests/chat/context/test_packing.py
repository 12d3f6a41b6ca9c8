"""The budget: whole items, lowest-ranked first to go, pinned never, the same brief every time."""

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agencycore.ai.types import BriefItem, SourceName
from agencycore.refs import ProjectedField
from chat.context.items import cost, make_item
from chat.context.packing import SHARES, drop_duplicates, pack
from chat.context.port import SOURCE_ORDER
from chat.context.tokens import CUT_MARK, clean_text, count_tokens, cut_middle

# The machine may be busy: time is no property of these.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

EVIDENCE = ("application", "runs", "definitions", "knowledge")


def item(
    source: SourceName, number: int, tokens: int = 10, score: float = 0.0, pinned: bool = False, text: str = ""
) -> BriefItem:
    words = text or f"{source}-{number}-".ljust(tokens * 4 - 2, "x")
    return make_item(
        source, "thing", f"{source}-{number}", label="", text=words, evidence=source in EVIDENCE, score=score,
        pinned=pinned,
    )  # fmt: skip


def ids(items: tuple[BriefItem, ...]) -> list[str]:
    return [item.id for item in items]


items = st.builds(
    item,
    source=st.sampled_from(get_args(SourceName)),
    number=st.integers(0, 10_000),
    tokens=st.integers(8, 900),
    score=st.integers(0, 5).map(float),
    pinned=st.integers(0, 9).map(lambda number: number == 0),
)
briefs = st.lists(items, max_size=40, unique_by=lambda made: made.id).map(
    lambda made: sorted(made, key=lambda one: SOURCE_ORDER.index(one.source))
)


@unhurried
@given(briefs, st.integers(500, 8_000))
def test_the_budget_is_passed_only_by_pinned_items(given_items: list[BriefItem], budget: int) -> None:
    packed = pack(given_items, budget)

    total = sum(item.tokens for item in packed.items)
    pinned = sum(item.tokens for item in packed.items if item.pinned)
    assert total <= max(budget, pinned)
    assert [item.id for item in given_items if item.pinned] == [item.id for item in packed.items if item.pinned]


@unhurried
@given(briefs, st.integers(500, 8_000))
def test_packing_is_deterministic_and_keeps_the_order(given_items: list[BriefItem], budget: int) -> None:
    packed = pack(given_items, budget)
    order = [item.id for item in given_items]

    assert pack(given_items, budget) == packed
    assert ids(packed.items) == [item_id for item_id in order if item_id in ids(packed.items)]


@unhurried
@given(briefs, st.integers(500, 8_000))
def test_inside_a_source_the_lowest_ranked_go_first(given_items: list[BriefItem], budget: int) -> None:
    packed = pack(given_items, budget)
    kept = set(ids(packed.items))

    for source in SHARES:
        mine = [one for one in given_items if one.source == source and not one.pinned]
        ranked = sorted(mine, key=lambda one: -one.score)
        flags = [one.id in kept for one in ranked]
        assert flags == sorted(flags, reverse=True)


@unhurried
@given(briefs, st.integers(500, 8_000))
def test_the_report_counts_what_is_there_and_what_is_not(given_items: list[BriefItem], budget: int) -> None:
    packed = pack(given_items, budget)

    for source in {one.source for one in given_items}:
        mine = [one for one in packed.items if one.source == source]
        assert packed.dropped[source] == sum(one.source == source for one in given_items) - len(mine)
        assert packed.tokens.get(source, 0) == sum(cost(one) for one in mine)


@unhurried
@given(briefs, st.integers(500, 8_000))
def test_evidence_is_numbered_in_prompt_order_and_nothing_else_is(given_items: list[BriefItem], budget: int) -> None:
    packed = pack(given_items, budget)

    keys = [item.key for item in packed.items if item.evidence]
    assert keys == [f"r{number}" for number in range(1, len(keys) + 1)]
    assert {item.key for item in packed.items if not item.evidence} <= {""}


@unhurried
@given(briefs)
def test_what_fits_is_untouched(given_items: list[BriefItem]) -> None:
    packed = pack(given_items, 1_000_000)

    assert ids(packed.items) == [item.id for item in given_items]
    assert [item.text for item in packed.items] == [item.text for item in given_items]


@unhurried
@given(st.text(max_size=2_000), st.integers(0, 200))
def test_a_cut_text_costs_no_more_than_asked(text: str, tokens: int) -> None:
    assert count_tokens(cut_middle(clean_text(text), tokens)) <= tokens


@unhurried
@given(st.text(max_size=500))
def test_clean_text_can_be_stored_and_sent(text: str) -> None:
    cleaned = clean_text(text + "\x00\x07\ud800")

    assert "\x00" not in cleaned
    assert cleaned.encode().decode() == cleaned
    assert clean_text(cleaned) == cleaned


def test_an_unused_share_is_passed_on() -> None:
    many = [item("knowledge", number, tokens=100, score=-number) for number in range(12)]

    assert len(pack(many, 1_000).items) == 10


def test_each_source_has_its_share_when_all_want_more() -> None:
    wanted = [item(source, number, tokens=50, score=-number) for source in SOURCE_ORDER for number in range(40)]

    # What the small shares leave over is passed on in the order of the shares.
    assert pack(wanted, 4_000).tokens == {
        "conversation": 1_100,
        "application": 1_000,
        "runs": 300,
        "definitions": 300,
        "knowledge": 1_000,
        "memory": 100,
        "capabilities": 200,
    }


def test_an_item_over_its_share_is_cut_in_the_middle_and_marked() -> None:
    fields = (ProjectedField("Start", "alpha"), ProjectedField("Middle", "omitted"), ProjectedField("End", "omega"))
    long = make_item(
        "application", "company", "1", label="Acme", evidence=True, fields=fields,
        text="alpha " + "filler " * 400 + "omitted " + "filler " * 400 + "omega",
    )  # fmt: skip
    other = item("knowledge", 1, tokens=500)

    packed = pack([long, other], 1_000)

    cut = packed.items[0]
    assert CUT_MARK in cut.text
    assert cut.text.startswith("alpha")
    assert cut.text.endswith("omega")
    assert cut.tokens <= 250
    assert [field.name for field in cut.fields] == ["Start", "End"]
    assert cut.payload["cut"] is True


def test_near_duplicates_of_a_better_passage_are_removed() -> None:
    words = [f"word{number}" for number in range(60)]
    best = item("knowledge", 1, score=0.9, text=" ".join(words))
    same = item("knowledge", 2, score=0.8, text="  ".join(words).upper())
    nearly = item("knowledge", 3, score=0.7, text=" ".join([*words, "more"]))
    other = item("knowledge", 4, score=0.6, text=" ".join(reversed(words)))

    assert [one.id for one in drop_duplicates([nearly, best, same, other])] == ["knowledge-1", "knowledge-4"]


def test_two_records_that_say_the_same_are_two_records() -> None:
    twins = [item("application", number, text="Acme (company)\nOwner: Mia") for number in (1, 2)]

    assert drop_duplicates(twins) == twins


def test_a_short_yes_said_twice_is_said_twice() -> None:
    said = [item("conversation", number, text="yes") for number in (1, 2)]

    assert drop_duplicates(said) == said


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abc", 1), ("abcd", 1), ("abcde", 2), ("åäöå", 2), ("你好", 2)])
def test_tokens_are_bytes_by_four_rounded_up(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens
