"""Terms, weights and languages."""

import pytest

from knowledge.languages import detect_language, language_of_code
from knowledge.terms import TERM_DIMENSIONS, ask_words, sparse_literal, term_id, weigh_terms, words


def test_words_are_folded_and_scripts_without_spaces_become_pairs() -> None:
    assert list(words("The Company's ÄRZTE signed SLA-24 带薪年假 in Ｆｕｌｌ")) == [
        "the",
        "company",
        "ärzte",
        "signed",
        "sla",
        "24",
        "带薪",
        "薪年",
        "年假",
        "in",
        "full",
    ]


def test_weights_are_bm25s_saturated_term_frequency() -> None:
    weights = weigh_terms("ticket tickets refund the of", "english")

    # k1 = 1.2, b = 0.75, length 3 of an average of 110.
    scale = 1.2 * (0.25 + 0.75 * 3 / 110)
    assert weights == {
        term_id("ticket", "english"): pytest.approx(2 * 2.2 / (2 + scale)),
        term_id("refund", "english"): pytest.approx(1 * 2.2 / (1 + scale)),
    }


def test_a_stop_word_is_not_asked_for_in_its_language() -> None:
    (die,) = ask_words("die")

    assert "german" in die.stop_word_in
    assert "german" not in die.terms
    assert die.terms["english"] == term_id("die", "english")


def test_a_term_is_stable_and_inside_the_vector() -> None:
    assert term_id("ticket", "english") == 108_483_253
    assert all(1 <= term_id(str(n), "simple") < TERM_DIMENSIONS for n in range(1000))


def test_a_sparse_vector_is_written_in_the_order_of_its_terms() -> None:
    assert sparse_literal({7: 0.5, 3: 1.25}) == "{3:1.25,7:0.5}/536870912"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The receipt of the ticket is attached to the report.", "english"),
        ("Der Beleg der Fahrkarte ist dem Bericht beizufügen.", "german"),
        ("Le billet est joint au rapport de la mission.", "french"),
        ("El recibo se adjunta al informe de la misión.", "spanish"),
        ("Квитанция должна быть приложена к отчету о поездке.", "russian"),
        ("员工每年享有十五天带薪年假", "simple"),
        ("SKU-1 12 44 SKU-2 19 77", "simple"),
        ("", "simple"),
    ],
)
def test_a_texts_language_is_recognised_by_its_stop_words(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_language_tags_are_understood() -> None:
    assert [language_of_code(code) for code in ("en-GB", "de_AT", "pt", "xx", "")] == [
        "english",
        "german",
        "portuguese",
        None,
        None,
    ]
