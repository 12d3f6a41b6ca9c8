"""A question with slips of the pen and stray words finds what it would have found without them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agencycore.ai.ports import get_embedder
from agencycore.tenancy import tenant
from knowledge.candidates import find_candidates
from knowledge.languages import LANGUAGES
from knowledge.rewording import MAX_FORMS, one_slip_away, reworded
from knowledge.search import ask
from tests.knowledge.documents import find, ingested, texts
from tests.people import Person

RAIL = "Second class tickets are refunded within fourteen days when the receipt is attached."
ASKED = "When are second class tickets refunded?"


def reword(person: Person, query: str, *unknown: str) -> str | None:
    with tenant(person.organization.id):
        return reworded(query, unknown=unknown, languages=["english"], organization_id=person.organization.id)


@pytest.mark.parametrize(
    "question",
    [
        "When are second class tikcets refuned?",
        "wen are secnd class tickets refunded thx",
        "When are second class tickets refunded? frobnicate quux",
        "yo btw, whens the refnud for second class tickets",
        "refnuded tikets second calss",
    ],
)
def test_slips_and_stray_words_do_not_hide_the_passage(owner: Person, question: str) -> None:
    ingested(owner)

    assert RAIL in texts(find(owner, question).hits)


@pytest.mark.parametrize(
    "question", ["wehn is the wheather in Bregen", "frobnicate quux", "tikcets to the moon landing"]
)
def test_what_is_off_the_topic_stays_off_it(owner: Person, question: str) -> None:
    ingested(owner)

    assert find(owner, question).hits == []


def test_a_message_of_long_unknown_words_costs_a_bounded_number_of_forms(owner: Person, monkeypatch) -> None:
    stemmed: list[str] = []

    def count(word: str, language: str) -> str:
        stemmed.append(word)
        return word

    monkeypatch.setattr("knowledge.terms.stem", count)
    unknown = [letter * 24 for letter in "abcdef"]

    with tenant(owner.organization.id):
        reworded(" ".join(unknown), unknown=unknown, languages=LANGUAGES, organization_id=owner.organization.id)

    looked_up = [word for word in stemmed if word not in unknown]
    assert len(looked_up) <= MAX_FORMS


def test_slips_are_looked_up_in_the_languages_of_the_passages_alone(owner: Person) -> None:
    ingested(owner)

    with tenant(owner.organization.id):
        found = find_candidates(ask("tikcets", get_embedder()), organization_id=owner.organization.id, limit=8)

    assert found.languages == {"english"}


def test_words_of_another_organization_correct_nothing(owner: Person, stranger: Person) -> None:
    ingested(owner)

    assert reword(owner, "tikcets", "tikcets") == "tickets"
    assert reword(stranger, "tikcets", "tikcets") is None


@pytest.mark.parametrize(
    ("query", "unknown", "meant"),
    [
        ("When are tikcets refunded?", ["tikcets"], "When are tickets refunded?"),
        ("Tickets refunded? xyzzy plugh", ["xyzzy", "plugh"], "Tickets refunded?"),
        ("whats a ticket thx", ["whats", "thx"], "a ticket"),
        ("When are tickets refunded?", [], None),
        ("xyzzy", ["xyzzy"], None),
        ("thx", ["thx"], None),
        ("whne are tickets refunded", ["whne"], "when are tickets refunded"),
        ("x" * 5_000, ["x" * 5_000], None),
    ],
)
def test_a_question_is_worded_again(owner: Person, query: str, unknown: list[str], meant: str | None) -> None:
    ingested(owner)

    assert reword(owner, query, *unknown) == meant


@pytest.mark.parametrize("word", ["delte", "deletee", "deleet", "delate"])
def test_one_slip_leads_back(word: str) -> None:
    assert "delete" in set(one_slip_away(word))


def test_the_first_letter_is_taken_to_be_right() -> None:
    assert all(other[0] == "d" for other in one_slip_away("delte"))


@pytest.mark.parametrize(("question", "statements"), [(ASKED, 1), ("When are tikcets refuned?", 3), ("weather", 2)])
def test_only_a_question_with_unknown_words_is_searched_twice(owner: Person, question: str, statements: int) -> None:
    ingested(owner)

    with tenant(owner.organization.id), CaptureQueriesContext(connection) as captured:
        find(owner, question)

    assert sum("chunk_index" in query["sql"] or "term_stats" in query["sql"] for query in captured) == statements
