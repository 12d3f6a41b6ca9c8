"""Clarify, delegate and control_run: only what the brief holds, only where the message allows it."""

import json

import pytest

from agencycore.ai.types import Reference
from agencycore.refs import ResourceRef
from chat.frontdoor.decision import Answer, Clarify, ControlRun, Delegate, Option
from chat.frontdoor.validation import Invalid, Valid, validate
from tests.agencycore.ai.stop_wordings import NO_REQUESTS, REQUESTS
from tests.chat.frontdoor.briefs import (
    COMPANY,
    OTHER_COMPANY,
    OTHER_RUN,
    RUN,
    answer_wire,
    brief,
    capability,
    clarify_wire,
    company,
    control_wire,
    delegate_wire,
    item,
    pending,
    reply,
    run,
)

TWO = Reference("ambiguous", (COMPANY, OTHER_COMPANY), "this company")
BOTH = (company("r1"), company("r2", OTHER_COMPANY, "Prospect"))


def decide(text, on):
    result = validate(reply(text), on)
    assert isinstance(result, Valid), result
    return result.decision


def refused(text, on):
    result = validate(reply(text), on)
    assert isinstance(result, Invalid), result
    return " ".join(result.reasons)


# --- Clarify


def test_options_are_records_of_the_brief_under_their_own_labels():
    wire = clarify_wire(
        "Which one <b>exactly</b>?",
        ("Free money", f"company:{COMPANY.id}"),
        ("Foreign", "company:0192ffff-0000-7000-8000-000000000009"),
        ("In words", ""),
        ("In words", ""),
    )
    result = validate(reply(wire), brief(company(), message="Find more"))

    assert result.decision == Clarify("Which one exactly?", (Option("Lumen Works", COMPANY), Option("In words")))
    assert result.rejected_refs == ("company:0192ffff-0000-7000-8000-000000000009",)


def test_an_ambiguous_phrase_offers_every_candidate_and_nothing_else():
    on = brief(*BOTH, message="When did we last talk to them?", reference=TWO)

    decision = decide(clarify_wire("Which?", ("x", f"company:{OTHER_COMPANY.id}"), ("Both", "")), on)

    assert [option.ref for option in decision.options] == [OTHER_COMPANY, COMPANY]


@pytest.mark.parametrize("question", ["", "  ", "?", "<b></b>", "I created it.", "\x00", "![](http://evil.example)"])
def test_a_question_that_asks_nothing_is_refused(question):
    assert "asks nothing" in refused(clarify_wire(question), brief(company()))


def test_a_question_claims_no_work_and_is_bounded():
    decision = decide(clarify_wire("I started the search. Which sector [r1]? " + "x" * 9_000), brief(company()))

    assert decision.question.startswith("Which sector?")
    assert len(decision.question) <= 600


def test_no_clarify_follows_a_clarify_about_the_same_request():
    on = brief(*BOTH, pending(), message="hmm, whichever", reference=TWO)

    assert "already asked" in refused(clarify_wire("Which company?"), on)
    assert isinstance(decide(answer_wire("I take Lumen Works: its owner is Mia Berg [r1].", "r1"), on), Answer)


def test_a_new_request_after_a_clarify_may_be_clarified():
    on = brief(*BOTH, pending(), message="Who owns this company?", reference=TWO)

    assert isinstance(decide(clarify_wire("Which company?"), on), Clarify)


def test_after_a_clarify_the_assumption_is_named():
    on = brief(*BOTH, pending(), message="whichever", reference=TWO)

    assert "Lumen Works" in refused(answer_wire("Some company.", unresolved=["which company"]), on)


# --- Reference status


@pytest.mark.parametrize(
    "wire", [answer_wire("Mia [r1].", "r1"), delegate_wire("signals-search"), control_wire(RUN.id)]
)
@pytest.mark.parametrize("status", ["ambiguous", "missing"])
def test_an_unclear_reference_is_clarified(status, wire):
    refs = (COMPANY, OTHER_COMPANY) if status == "ambiguous" else ()
    on = brief(*BOTH, run("r3"), capability(), message="Stop that", reference=Reference(status, refs, "that"))

    assert refused(wire, on)
    assert isinstance(decide(clarify_wire("Which one?"), on), Clarify)


def test_a_missing_reference_may_be_answered_as_missing():
    on = brief(message="Tell me about this company", reference=Reference("missing", (), "this company"))

    assert decide(answer_wire("Open a company first.", unresolved=["Which company is meant"]), on).citations == ()


@pytest.mark.parametrize("wire", [clarify_wire("Which?"), delegate_wire("signals-search"), control_wire(RUN.id)])
def test_an_absent_record_is_only_answered(wire):
    gone = Reference("absent", (ResourceRef("company", "1"),), "this company")

    assert "not available" in refused(wire, brief(run("r3"), capability(), message="Stop it", reference=gone))


@pytest.mark.parametrize("wire", [clarify_wire("Which?"), delegate_wire("signals-search"), control_wire(RUN.id)])
@pytest.mark.parametrize("message_class", ["greeting", "thanks", "farewell", "about_assistant"])
def test_small_talk_is_only_answered(message_class, wire):
    on = brief(run("r3"), capability(), message="stop, hello", message_class=message_class)

    assert message_class in refused(wire, on)


# --- Delegate


def test_the_goal_and_the_records_are_added_by_code():
    about = Reference("resolved", (COMPANY,), "this company")
    on = brief(company(), capability(), message="Find companies like this company", reference=about)

    decision = decide(delegate_wire("signals-search", '{"count": 20, "goal": "leak everything", "refs": ["x"]}'), on)

    assert decision == Delegate(
        "signals-search",
        {"count": 20, "goal": "Find companies like this company", "refs": [COMPANY.as_json()]},
    )


@pytest.mark.parametrize("text", ["", " ", "{}", '{"goal": "x"}'])
def test_no_input_is_usually_enough(text):
    decision = decide(delegate_wire("signals-search", text), brief(capability(), message="Find 20 companies"))

    assert decision.input == {"goal": "Find 20 companies", "refs": []}


@pytest.mark.parametrize(
    "slug", ["", "unknown", "Signals-Search", "signals-search ", "id-signals-search", "../x", "r1"]
)
def test_a_capability_outside_the_shortlist_is_refused(slug):
    assert "not in the shortlist" in refused(delegate_wire(slug), brief(capability(), message="Find 20"))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        "7",
        "{",
        '"x"',
        '{"count": "many"}',
        '{"unknown": 1}',
        '{"count": NaN}',
        '{"count": 1e999}',
        "[" * 5_000,
        '{"sector": "' + "x" * 30_000 + '"}',
    ],
    ids=lambda text: text[:20],
)
def test_input_off_its_schema_is_refused(text):
    assert "input_json" in refused(delegate_wire("signals-search", text), brief(capability(), message="Find 20"))


def test_a_required_input_that_is_missing_is_named():
    schema = {"type": "object", "properties": {"sector": {"type": "string"}}, "required": ["sector"]}

    assert "'sector' is a required property" in refused(
        delegate_wire("x", "{}"), brief(capability("x", schema), message="Find 20")
    )


def test_a_schema_may_ask_for_the_goal_and_the_records():
    schema = {
        "type": "object",
        "properties": {"goal": {"type": "string"}, "refs": {"type": "array", "items": {"type": "object"}}},
        "required": ["goal", "refs"],
        "additionalProperties": False,
    }

    assert isinstance(decide(delegate_wire("x", "{}"), brief(capability("x", schema), message="Find 20")), Delegate)


def test_an_id_that_neither_brief_nor_person_named_is_refused():
    foreign = "0192ffff-0000-7000-8000-000000000009"
    schema = {"type": "object"}
    on = brief(company(), capability("x", schema), message="Enrich this")

    assert foreign in refused(delegate_wire("x", json.dumps({"deep": [{"id": foreign}]})), on)
    assert isinstance(decide(delegate_wire("x", json.dumps({"id": COMPANY.id})), on), Delegate)
    named = brief(capability("x", schema), message=f"Enrich {foreign}")
    assert isinstance(decide(delegate_wire("x", json.dumps({"id": foreign})), named), Delegate)


def test_input_is_clean_text():
    decision = decide(delegate_wire("signals-search", '{"sector": "fin\\u0000tech\\ud800"}'), brief(capability()))

    assert decision.input["sector"] == "fintech"


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"$ref": "http://127.0.0.1:1/x"}, {"$ref": "#/$defs/x"}])
def test_a_broken_schema_of_a_capability_is_no_exception(schema):
    on = brief(capability("x", schema), message="Find 20")

    assert "cannot be started" in refused(delegate_wire("x"), on)


@pytest.mark.parametrize("message", ["What can you do?", "So what do you do?", "Please do not find anything yet"])
def test_a_message_that_plainly_asks_for_no_work_is_handed_over_by_no_model(message):
    assert "The message " in refused(delegate_wire("signals-search"), brief(capability(), message=message))


def test_the_answer_to_a_question_completes_the_original_request():
    on = brief(capability(), pending("Find companies in my sector"), message="fintech")

    assert decide(delegate_wire("signals-search"), on).input["goal"] == "Find companies in my sector\n\nfintech"


def test_yes_starts_the_offered_work_and_not_the_word():
    offer = item("conversation", "offer", "offer", "Offer", "Find more like Lumen", payload={"offer": {"text": "x"}})

    for message in ("yes", "Yes, do it!", "ok please go ahead"):
        decision = decide(delegate_wire("signals-search"), brief(capability(), offer, message=message))
        assert decision.input["goal"] == "Find more like Lumen"
    other = decide(delegate_wire("signals-search"), brief(capability(), offer, message="yes but only in Norway"))
    assert other.input["goal"] == "yes but only in Norway"


def test_after_a_clarify_work_may_start_on_the_likeliest():
    on = brief(*BOTH, capability(), pending("Find more like this one"), message="whichever", reference=TWO)

    assert decide(delegate_wire("signals-search"), on).input["refs"] == [COMPANY.as_json()]


# --- Control


def test_the_one_run_that_is_meant_is_cancelled():
    on = brief(run(), message="Stop that run", reference=Reference("resolved", (RUN,), "that run"))

    assert decide(control_wire(RUN.id), on) == ControlRun(RUN.id)


@pytest.mark.parametrize("run_id", ["", "unknown", OTHER_RUN.id, "0192ffff-0000-7000-8000-000000000009", COMPANY.id])
def test_a_run_that_is_not_live_in_the_brief_is_never_stopped(run_id):
    on = brief(company(), run(), run("r4", OTHER_RUN, live=False), message="Stop that")

    assert "no such live run" in refused(control_wire(run_id), on)


def test_another_run_than_the_one_meant_is_not_stopped():
    on = brief(run(), run("r4", OTHER_RUN), message="Stop that", reference=Reference("resolved", (RUN,), "that"))

    assert "not clear" in refused(control_wire(OTHER_RUN.id), on)


def test_several_live_runs_without_a_reference_are_asked_about():
    assert "not clear" in refused(control_wire(RUN.id), brief(run(), run("r4", OTHER_RUN), message="Stop it all"))


@pytest.mark.parametrize(
    "message", ["What is lifecycle stage?", "Why did that run stop?", "How do I cancel a run?", "Did it stop?"]
)
def test_a_run_is_stopped_only_for_a_message_that_asks_for_it(message):
    on = brief(run(), message=message, reference=Reference("resolved", (RUN,), "that run"))

    assert "does not ask" in refused(control_wire(RUN.id), on)


@pytest.mark.parametrize("message", ["Stop that", "please cancel it", "can you abort this?", "Stopp das", "arrête ça"])
def test_the_usual_words_for_stopping_are_understood(message):
    on = brief(run(), message=message, reference=Reference("resolved", (RUN,), "that"))

    assert decide(control_wire(RUN.id), on) == ControlRun(RUN.id)


def about_that_run(message):
    return brief(run(), message=message, reference=Reference("resolved", (RUN,), "that run"))


def test_a_message_that_does_not_clearly_ask_for_it_stops_nothing():
    for message in NO_REQUESTS:
        assert "does not ask" in refused(control_wire(RUN.id), about_that_run(message)), message


def test_a_clear_request_in_any_wording_stops_the_run():
    for message in (wording for wording in REQUESTS if "Signals Search" not in wording):
        assert decide(control_wire(RUN.id), about_that_run(message)) == ControlRun(RUN.id), message


@pytest.mark.parametrize("message", ["none of them", "not the first one", "what does the first one do?"])
def test_a_reply_that_chooses_no_run_stops_none(message):
    asked = pending("Stop that", "Signals Search", "Definition Builder")
    on = brief(run(), run("r4", OTHER_RUN), asked, message=message, reference=Reference("resolved", (RUN,), "first"))

    assert "does not ask" in refused(control_wire(RUN.id), on)


def test_a_pick_after_another_question_stops_nothing():
    asked = pending("I don't want you to stop the run", "Signals Search", "Definition Builder")
    on = brief(run(), run("r4", OTHER_RUN), asked, message="1", reference=Reference("resolved", (RUN,), "1"))

    assert "does not ask" in refused(control_wire(RUN.id), on)


def test_the_pick_after_which_run_to_stop_stops_it():
    on = brief(
        run(),
        run("r4", OTHER_RUN),
        pending("Stop that", "Signals Search", "Definition Builder"),
        message="the first one",
        reference=Reference("resolved", (RUN,), "the first one"),
    )

    assert decide(control_wire(RUN.id), on) == ControlRun(RUN.id)
