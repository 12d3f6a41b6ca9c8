"""A stored brief is the brief."""

import datetime
import json
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agencycore.ai.types import (
    BriefItem,
    ContextBrief,
    MessageClass,
    Reference,
    ReferenceStatus,
    SourceName,
    SourceReport,
    SourceState,
)
from agencycore.refs import ProjectedField, ResourceRef
from chat.context.brief_json import brief_as_json, brief_from_json

# The machine may be busy: time is no property of these.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
refs = st.builds(ResourceRef, text, text, text)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | text,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(text, children, max_size=3),
    max_leaves=5,
)
fields = st.builds(ProjectedField, text, text, st.none() | st.dates(), st.lists(text, max_size=3).map(tuple))
items = st.builds(
    BriefItem,
    source=st.sampled_from(get_args(SourceName)),
    kind=text,
    id=text,
    label=text,
    text=text,
    tokens=st.integers(0, 10_000),
    key=text,
    evidence=st.booleans(),
    position=text,
    score=st.floats(allow_nan=False, allow_infinity=False),
    when=st.none() | st.datetimes(timezones=st.just(datetime.UTC)),
    fields=st.lists(fields, max_size=3).map(tuple),
    url=text,
    pinned=st.booleans(),
    payload=st.dictionaries(text, json_values, max_size=3),
)
reports = st.builds(
    SourceReport,
    name=st.sampled_from(get_args(SourceName)),
    state=st.sampled_from(get_args(SourceState)),
    milliseconds=st.integers(0, 10_000),
    items=st.integers(0, 20),
    dropped=st.integers(0, 20),
    tokens=st.integers(0, 10_000),
    reason=text,
)
briefs = st.builds(
    ContextBrief,
    message=text,
    query=text,
    message_class=st.sampled_from(get_args(MessageClass)),
    preamble=text,
    reference=st.builds(
        Reference, st.sampled_from(get_args(ReferenceStatus)), st.lists(refs, max_size=3).map(tuple), text
    ),
    items=st.lists(items, max_size=3).map(tuple),
    sources=st.lists(reports, max_size=3).map(tuple),
    token_breakdown=st.dictionaries(st.sampled_from(get_args(SourceName)), st.integers(0, 10_000)),
    language=text,
)


@unhurried
@given(briefs)
def test_a_brief_survives_storage_exactly(brief: ContextBrief) -> None:
    stored = json.loads(json.dumps(brief_as_json(brief)))

    assert brief_from_json(stored) == brief


@pytest.mark.parametrize("stored", [{}, {"message": "hi"}, {"message": "hi", "reference": None}])
def test_anything_else_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a stored brief"):
        brief_from_json(stored)


def test_an_unknown_word_is_refused() -> None:
    stored = brief_as_json(ContextBrief("a", "a", "ordinary", "", Reference("not_needed"), (), (), {}))

    with pytest.raises(ValueError, match="not a stored brief: 'chatty'"):
        brief_from_json(stored | {"message_class": "chatty"})
