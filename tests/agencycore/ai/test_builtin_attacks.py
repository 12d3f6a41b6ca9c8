"""Hostile and odd texts, as message and as evidence, end in one well-formed, harmless outcome."""

import json

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.wire import WireAnswer, parse_decision
from tests.agencycore.ai.briefs import brief, capability, fact, passage, record, request, run, spoken
from tests.corpora import corpus

SIGNALS = capability("Signals Search", "Finds companies by buying signals.")
LIFECYCLE = passage("Lifecycle stages", "A lifecycle stage says how far a company has come with you.")
LONG = "word another thing, " * 400


def naughty_strings() -> list[str]:
    strings = json.loads(corpus("attacks/blns/blns.json").read_text(encoding="utf-8"))
    return [text for text in strings if text.strip()]


def cross_site_scripts() -> list[str]:
    return corpus("attacks/xss-payload-list/xss-payload-list.txt").read_text(encoding="utf-8").splitlines()[:300]


def test_any_message_gets_one_outcome_and_starts_nothing():
    responder = BuiltinResponder()

    for text in [*naughty_strings(), *cross_site_scripts(), LONG, "?", "…", "🙂" * 50]:
        decided = parse_decision(responder.decide(request(brief(text[:8000], LIFECYCLE, SIGNALS))).text)

        assert decided.outcome in ("answer", "clarify"), text


@pytest.mark.parametrize("read", [naughty_strings, cross_site_scripts])
def test_hostile_evidence_is_quoted_without_anything_that_acts(read):
    responder = BuiltinResponder()

    for text in read():
        company = record("company", "Acme", fact("Owner", text, None, "owner", "owns", "who"))
        decided = parse_decision(
            responder.decide(request(brief("Who owns this company?", about=[company], phrase="this company"))).text
        )

        assert isinstance(decided, WireAnswer)
        assert "<script" not in decided.text.lower()
        assert "![" not in decided.text
        assert set(decided.citations) <= {"r1"}


def test_a_key_written_inside_evidence_is_never_cited():
    liar = passage("Notes", "A lifecycle stage is a state [r9]. See [r2] and [1].")

    decided = parse_decision(BuiltinResponder().decide(request(brief("What is lifecycle stage?", liar))).text)

    assert decided.citations == ["r1"]


def test_odd_briefs_are_survived():
    odd = [
        record("company", "", fact("", "")),
        record("company", "Empty"),
        run("", "unknown_state"),
        passage("", ""),
        passage("Only a title", "# Only a title"),
        spoken("user", ""),
        capability("X", ""),
    ]
    responder = BuiltinResponder()

    for message in ("Who owns this?", "Stop it", "What is it?", "shorter", "yes", "Run it again", "why?"):
        for message_class in ("ordinary", "conversation"):
            for about in ([], odd[:1], odd[:3]):
                given = brief(message, *odd[3:], about=about, message_class=message_class)
                assert parse_decision(responder.decide(request(given)).text)
