"""What an answer may cite, must cite, and may say."""

import pytest

from agencycore.ai.types import Reference
from chat.frontdoor.decision import Answer
from chat.frontdoor.validation import Invalid, Valid, validate
from tests.chat.frontdoor.briefs import (
    COMPANY,
    RUN,
    answer_wire,
    brief,
    capability,
    company,
    definition,
    delegate_wire,
    item,
    passage,
    preference,
    reply,
    run,
    said,
)


def check(text, on, finish="complete"):
    return validate(reply(text, finish), on)


def valid_answer(text, on):
    result = check(text, on)
    assert isinstance(result, Valid), result
    assert isinstance(result.decision, Answer)
    return result


def reasons(text, on):
    result = check(text, on)
    assert isinstance(result, Invalid), result
    return " ".join(result.reasons)


SIX = [passage(f"r{number}", f"Fact number {number} about stages.") for number in range(1, 7)]


def test_markers_are_numbered_by_first_appearance_and_keep_their_identity():
    result = valid_answer(answer_wire("One [r4]. Two [r1]. Three [r4].", "r1", "r4", "r6"), brief(*SIX))

    assert result.decision.text == "One [1]. Two [2]. Three [1]."
    assert [(c.marker, c.key, c.excerpt) for c in result.decision.citations] == [
        (1, "r4", "Fact number 4 about stages."),
        (2, "r1", "Fact number 1 about stages."),
    ]
    assert [c.claim for c in result.decision.citations] == ["One.\nThree.", "Two."]


def test_a_citation_keeps_what_was_cited():
    result = valid_answer(
        answer_wire("Mia Berg owns Lumen Works [r1].", "r1"), brief(company(), message="Who owns it?")
    )

    (source,) = result.decision.citations
    assert (source.kind, source.id, source.label, source.url) == (*COMPANY.key, "Lumen Works", company().url)
    assert source.excerpt == company().text
    assert source.claim == "Mia Berg owns Lumen Works."
    assert source.support > 0.7
    assert len(source.content_hash) == 64


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One [r1, r2].", "One [1][2]."),
        ("One [r1][r2].", "One [1][2]."),
        ("One. [r1] Two [r2].", "One. [1] Two [2]."),
        ("One.[r1]\nTwo [r2].", "One.[1]\nTwo [2]."),
        ("- one [r1]\n- two [r2]", "- one [1]\n- two [2]"),
        ("Great![r1] Two [r2].", "Great![1] Two [2]."),
    ],
)
def test_markers_in_every_usual_form(text, shown):
    assert valid_answer(answer_wire(text, "r1", "r2"), brief(*SIX)).decision.text == shown


def test_unknown_keys_go_with_their_markers_and_with_sentences_that_had_no_other_support():
    text = "One [r1][r9]. Invented [r9]. Also invented [r12]! Two [r2]."

    result = valid_answer(answer_wire(text, "r1", "r9"), brief(*SIX))

    assert result.decision.text == "One [1]. Two [2]."
    assert result.rejected_refs == ("r9", "r12")
    assert len(result.notes) == 2


def test_nothing_left_is_invalid():
    assert "cites nothing" in reasons(answer_wire("Invented [r9].", "r9"), brief(*SIX))
    assert "Nothing of the answer" in reasons(answer_wire("Invented [r9].", "r1"), brief(*SIX))


@pytest.mark.parametrize("text", ["Fact [4].", "Fact [1].", "Fact (r1).", "Fact r1.", "Fact [R1].", "Fact [r01]."])
def test_a_source_quoted_by_position_is_never_guessed(text):
    assert "cites nothing" in reasons(answer_wire(text), brief(*SIX))


def test_a_bare_number_stays_plain_text_and_never_becomes_a_marker():
    result = valid_answer(answer_wire("See [1] and [9]. Fact [r3].", "r3"), brief(*SIX))

    assert result.decision.text == "See (1) and [9]. Fact [1]."
    assert [c.key for c in result.decision.citations] == ["r3"]


def test_a_bare_number_that_came_first_is_not_given_to_a_source():
    text = "See [2]. Fact [r3]. More [r4]."

    result = valid_answer(answer_wire(text, "r3"), brief(*SIX))

    assert result.decision.text == "See [2]. Fact [1]. More [3]."
    assert [(c.marker, c.key) for c in result.decision.citations] == [(1, "r3"), (3, "r4")]


def test_sources_that_are_listed_and_not_marked_are_cited_for_the_whole():
    result = valid_answer(answer_wire("A stage says how far a company is.", "r2", "r1"), brief(*SIX))

    assert result.decision.text == "A stage says how far a company is. [1][2]"
    assert [c.key for c in result.decision.citations] == ["r2", "r1"]


def test_keys_may_stand_in_the_text_alone():
    result = valid_answer(answer_wire("One [r1]."), brief(*SIX))

    assert [c.key for c in result.decision.citations] == ["r1"]


@pytest.mark.parametrize("key", ["r7", "r8", "r9"])
def test_shortlist_summary_and_conversation_are_not_evidence_even_with_a_key(key):
    shortlist = item("capabilities", "definition", "x", "X", "x", "r7")
    summary = item("conversation", "summary", "summary", "Summary", "They said so", "r8")
    message = item("conversation", "message", "m1", "Member", "I said so", "r9")

    result = check(answer_wire(f"Fact [{key}].", key), brief(*SIX, shortlist, summary, message))

    assert isinstance(result, Invalid)
    assert result.rejected_refs == (key,)


@pytest.mark.parametrize("message_class", ["greeting", "thanks", "farewell", "about_assistant", "conversation"])
def test_small_talk_needs_no_citation(message_class):
    result = valid_answer(answer_wire("Hello! How can I help?"), brief(company(), message_class=message_class))

    assert result.decision == Answer("Hello! How can I help?")


def test_an_ordinary_answer_without_citation_needs_a_gap_that_names_something():
    on = brief(company(), message="What is the weather in Oslo?")

    assert "cites nothing" in reasons(answer_wire("It is sunny."), on)
    result = valid_answer(
        answer_wire("Chat cannot know this.", unresolved=["No source covers the weather in Oslo"]), on
    )
    assert result.decision.unresolved == ("No source covers the weather in Oslo",)


@pytest.mark.parametrize("gap", ["", "  ", "n/a", "None", "unknown", "-", "???", "unresolved", "1", "\x00\x07", "<b>"])
def test_a_gap_that_names_nothing_is_no_gap(gap):
    assert "cites nothing" in reasons(answer_wire("It is sunny.", unresolved=[gap]), brief(company()))


def test_gaps_are_clean_short_and_few():
    gaps = [
        "No document\x00 covers\nrefunds",
        "No document covers refunds",
        "x" * 5_000,
        *(f"gap {n}" for n in range(50)),
    ]

    result = valid_answer(answer_wire("One [r1].", "r1", unresolved=gaps), brief(*SIX))

    assert result.decision.unresolved[0] == "No document covers refunds"
    assert len(result.decision.unresolved) == 8
    assert max(map(len, result.decision.unresolved)) == 300


def test_a_figure_from_nowhere_is_withheld_from_an_answer_without_sources():
    text = "I cannot look that up. The trial is 30 days. You asked about 2026."
    on = brief(company(), message="How long was the trial in 2026?")

    result = valid_answer(answer_wire(text, unresolved=["No document covers the trial"]), on)

    assert result.decision.text == "I cannot look that up. You asked about 2026."


def test_a_figure_from_nowhere_is_withheld_beside_sentences_with_sources():
    result = valid_answer(answer_wire("Mia does [r1]. Revenue was 4,711 EUR.", "r1"), brief(company("r1")))

    assert result.decision.text == "Mia does [1]."


def test_a_preference_never_carries_a_fact_alone():
    on = brief(preference("r1"), company("r2"), message="Who owns Lumen Works?")

    assert "preference" in reasons(answer_wire("Mia does [r1].", "r1"), on)
    result = valid_answer(answer_wire("Mia Berg does [r2]. Acme matters most [r1].", "r2", "r1"), on)
    assert result.decision.text == "Mia Berg does [1]."


def test_a_question_about_preferences_is_answered_from_them():
    on = brief(preference("r1"), message="What preferences do you know of?")

    assert valid_answer(answer_wire("Short answers [r1].", "r1"), on).decision.text == "Short answers [1]."


def test_what_the_product_means_is_told_from_documents_where_there_are_some():
    on = brief(company(), passage(), message="What does lifecycle stage mean?")

    assert "documents or definitions" in reasons(answer_wire("It is Customer [r1].", "r1"), on)
    assert valid_answer(answer_wire("How far a company is [r2]. Here: Customer [r1].", "r2", "r1"), on)


def test_a_question_about_a_record_is_answered_from_the_record():
    about = Reference("resolved", (COMPANY,), "this company")
    on = brief(company(), passage(), message="Why is this company a customer?", reference=about)

    assert "about a record" in reasons(answer_wire("Customers have signed [r2].", "r2"), on)
    assert valid_answer(answer_wire("It is a customer since March [r1].", "r1"), on)
    assert valid_answer(answer_wire("A stage is [r2].", "r2", unresolved=["The record gives no cause"]), on)


def test_an_absent_record_is_not_cited_and_the_answer_says_so():
    gone = Reference("absent", (COMPANY,), "this company")
    on = brief(company(), passage(), message="Tell me about this company", reference=gone)

    assert "not available" in reasons(answer_wire("It is a customer [r1].", "r1"), on)
    result = valid_answer(
        answer_wire("That record is not available. It is a customer [r1].", "r1", unresolved=["That company"]), on
    )
    assert result.decision.text == "That record is not available."
    assert result.decision.citations == ()
    assert result.rejected_refs == ("r1",)


def test_a_sentence_that_claims_work_is_withheld_and_recorded():
    text = "I created the contact for you. The owner is Mia Berg [r1]. I've also emailed her."

    result = valid_answer(answer_wire(text, "r1"), brief(company(), message="Who owns it? Add a contact."))

    assert result.decision.text == "The owner is Mia Berg [1]."
    assert [note[:22] for note in result.notes] == ["withheld (claims work)"] * 2


def test_an_answer_that_only_claims_work_is_invalid():
    on = brief(company(), run(), message="Add a contact")

    assert "claims work" in reasons(answer_wire("Done! I created the contact.", unresolved=["the contact"]), on)


def test_what_a_run_did_is_told_from_the_run():
    told = item("runs", "run", RUN.id, "Signals Search", "Signals Search\nState: succeeded\nCreated 12 prospects", "r1")
    on = brief(told, message="Did it work?")

    result = valid_answer(answer_wire("Yes: 12 prospects have been created [r1].", "r1"), on)

    assert result.decision.text == "Yes: 12 prospects have been created [1]."


def test_html_and_images_go_and_the_words_stay():
    text = "Stage <b>Customer</b> <script>alert(1)</script>![pixel](http://evil.example/?q=1) here [r1]."

    result = valid_answer(answer_wire(text, "r1"), brief(company(), message="Stage?"))

    assert result.decision.text == "Stage Customer alert(1)pixel here [1]."


def test_links_stay_only_where_the_brief_holds_them():
    document = passage("r1", "See [the guide](https://docs.example/guide) for stages.")
    text = "See [guide](https://docs.example/guide), [more](https://evil.example/?q=x) and [page](//evil.example) [r1]."

    result = valid_answer(answer_wire(text, "r1"), brief(document))

    assert result.decision.text == "See [guide](https://docs.example/guide), more and page [1]."


def test_an_offer_is_one_clean_line_and_claims_nothing():
    on = brief(company(), capability(), message="Who owns it, and find more like it?")

    kept = valid_answer(answer_wire("Mia [r1].", "r1", offer="Shall I start\n<b>Signals</b> Search [r1]?"), on)
    lied = valid_answer(answer_wire("Mia [r1].", "r1", offer="I started Signals Search."), on)

    assert kept.decision.offer == "Shall I start Signals Search?"
    assert lied.decision.offer == ""


def test_an_unavailable_source_is_never_passed_over_in_silence():
    on = brief(down=["runs"], message="What is running?")

    result = valid_answer(answer_wire("There are no runs.", unresolved=["No run is known"]), on)

    assert result.decision.text == "There are no runs.\n\nI could not check recent runs just now."
    assert result.decision.unresolved == ("No run is known", "Recent runs could not be checked just now")


def test_what_could_not_be_checked_is_left_open_once():
    on = brief(down=["knowledge", "runs"], message="What does it say?")
    said = ["The documents could not be checked."]

    result = valid_answer(answer_wire("I could not check the documents just now.", unresolved=said), on)

    assert result.decision.unresolved == (*said, "Recent runs could not be checked just now")


def test_a_cited_answer_says_what_could_not_be_checked_without_calling_it_a_gap():
    result = valid_answer(answer_wire("A stage says how far [r2].", "r2"), brief(passage(), down=["application"]))

    assert result.decision.text == "A stage says how far [1].\n\nI could not check the records just now."
    assert result.decision.unresolved == ()


def test_a_very_long_text_is_cut_between_sentences_and_says_so():
    text = "Start [r1]. " + "Another sentence about stages. " * 40_000

    result = check(answer_wire(text[:150_000], "r1"), brief(*SIX))

    assert isinstance(result, Valid)
    assert len(result.decision.text) <= 12_000
    assert result.decision.text.endswith("about stages.")
    assert result.decision.unresolved == ("The rest of this answer: it was cut short.",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "null",
        "[]",
        "Just prose.",
        '{"decision": {"outcome": "answer"}}',
        '{"outcome": "answer", "citations": [], "unresolved": [], "offer": "", "text": "x"}',
        '{"decision": {"outcome": "dance", "text": "x"}}',
        answer_wire("One [r1].", "r1")[:-20],
        answer_wire("One [r1].", "r1") + answer_wire("Two [r2].", "r2"),
        answer_wire("One [r1].", "r1")[:-2] + ', "text": "Two"}}',
        '{"decision": {"outcome": "answer", "outcome": "delegate", "capability": "x", "input_json": "{}"}}',
        "[" * 100_000,
        "x" * 1_000_000,
    ],
    ids=lambda text: text[:30],
)
def test_a_reply_that_is_not_one_decision_is_invalid(text):
    assert isinstance(check(text, brief(*SIX)), Invalid)


def test_two_outcomes_in_one_reply_are_refused():
    first, second = answer_wire("One [r1].", "r1"), delegate_wire("signals-search")
    two = f"{first[:-1]}, {second[1:]}"

    assert "two outcomes" in reasons(two, brief(*SIX, capability()))


@pytest.mark.parametrize("finish", ["refused", "empty"])
def test_a_refused_or_empty_reply_is_invalid(finish):
    assert isinstance(check("I can't help with that", brief(*SIX), finish), Invalid)


def test_a_code_fence_around_the_reply_is_harmless():
    result = valid_answer(f"```json\n{answer_wire('One [r1].', 'r1')}\n```", brief(*SIX))

    assert result.decision.text == "One [1]."


def test_characters_that_cannot_be_stored_or_seen_are_gone():
    text = "One\x00 [r1]\x1b. T\u202ewo \U000e0041[r2]."

    result = valid_answer(answer_wire(text, "r1", "r2"), brief(*SIX))

    assert result.decision.text == "One [1]. Two [2]."


def test_a_rework_may_cite_and_need_not():
    on = brief(said("assistant", "Mia owns it [1]."), company(), message="Shorter", message_class="conversation")

    assert valid_answer(answer_wire("Mia [r1].", "r1"), on).decision.citations[0].key == "r1"
    assert valid_answer(answer_wire("You asked about Mia."), on).decision.citations == ()


def test_a_definition_is_evidence():
    result = valid_answer(answer_wire("It collects, scores and promotes [r4].", "r4"), brief(definition()))

    assert result.decision.citations[0].kind == "definition"
