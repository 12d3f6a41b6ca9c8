"""The words searched with: the message made self-contained."""

import uuid

import pytest
from django.utils import timezone

from agencycore.ai.types import Reference
from agencycore.refs import ResourceRef
from chat.context.history import History, PastMessage, PendingClarify
from chat.context.query import QUERY_MAX_LENGTH, build_query, is_follow_up
from chat.frontdoor.decision import Option

NOT_NEEDED = Reference("not_needed")
ACME = ResourceRef("company", "1", "Acme Logistics")
BIRCH = ResourceRef("company", "2", "Birch Foods")
STAGE = "What is lifecycle stage?"
MONTHS = (Option("April", None), Option("May", None))


def after(*questions: str, pending: PendingClarify | None = None) -> History:
    messages = tuple(
        PastMessage(uuid.uuid4(), number, "user", "message", text, "", timezone.now())
        for number, text in enumerate(questions, start=1)
    )
    return History(messages=messages, exchange=messages[-1:], pending=pending)


def asked_back(original: str, question: str, options: tuple[Option, ...] = ()) -> History:
    return after(original, pending=PendingClarify(uuid.uuid4(), question, options, original))


WHICH_MONTH = asked_back("When was the Birch pilot reported?", "Which month do you mean?", MONTHS)

CASES = [
    # A message that stands alone is searched as it is.
    (STAGE, NOT_NEEDED, after(), STAGE),
    (STAGE, NOT_NEEDED, after("Who owns Birch?"), STAGE),
    ("Where do citations come from?", NOT_NEEDED, after(STAGE), "Where do citations come from?"),
    ("And what is an opportunity score?", NOT_NEEDED, after(STAGE), "And what is an opportunity score?"),
    ("lifecycle stage", NOT_NEEDED, after("Who owns Birch?"), "lifecycle stage"),
    # Resolved records are named, once.
    ("Who owns this company?", Reference("resolved", (ACME,)), after(), "Who owns this company? Acme Logistics"),
    ("Who owns Acme Logistics?", Reference("resolved", (ACME,)), after(), "Who owns Acme Logistics?"),
    ("Compare both", Reference("resolved", (ACME, BIRCH)), after(), "Compare both Acme Logistics Birch Foods"),
    ("Who owns this company?", Reference("ambiguous", (ACME, BIRCH)), after(), "Who owns this company?"),
    ("Who owns this company?", Reference("absent", (ACME,)), after(), "Who owns this company?"),
    ("Why is this company a customer?", Reference("resolved", (ACME,)), after(STAGE),
     "Why is this company a customer? Acme Logistics"),
    ("Why is this prospect waiting for review?", Reference("resolved", (ACME,)), after(STAGE),
     "Why is this prospect waiting for review? Acme Logistics"),
    # Short follow-ups lean on the previous question.
    ("any more?", NOT_NEEDED, after(STAGE), f"{STAGE} any more?"),
    ("yes", NOT_NEEDED, after(STAGE), f"{STAGE} yes"),
    ("Why?", NOT_NEEDED, after(STAGE), f"{STAGE} Why?"),
    ("the second one", NOT_NEEDED, after(STAGE), f"{STAGE} the second one"),
    ("the second one", Reference("resolved", (BIRCH,)), after("Which companies fit?"),
     "Which companies fit? the second one Birch Foods"),
    ("May", NOT_NEEDED, after("How many deals closed in April?"), "How many deals closed in April? May"),
    ("And in Germany?", NOT_NEEDED, after("Which companies are in France?"),
     "Which companies are in France? And in Germany?"),
    ("What about deals?", NOT_NEEDED, after(STAGE), f"{STAGE} What about deals?"),
    ("How do I change it?", NOT_NEEDED, after(STAGE), f"{STAGE} How do I change it?"),
    ("How do I change it?", Reference("resolved", (ACME,)), after(STAGE), "How do I change it? Acme Logistics"),
    ("Is it possible to export deals?", NOT_NEEDED, after(STAGE), "Is it possible to export deals?"),
    ("tell me more", NOT_NEEDED, after(STAGE), f"{STAGE} tell me more"),
    ("any more?", NOT_NEEDED, after(STAGE, "any more?"), f"{STAGE} any more?"),
    ("and the next?", NOT_NEEDED, after(STAGE, "any more?"), f"{STAGE} any more? and the next?"),
    ("any more?", NOT_NEEDED, after(STAGE, "Who owns Birch Foods?"), "Who owns Birch Foods? any more?"),
    ("any more?", NOT_NEEDED, after(), "any more?"),
    ("Which one is a customer?", Reference("resolved", (ACME, BIRCH)), after("Which of them is bigger?"),
     "Which one is a customer? Acme Logistics Birch Foods"),
    ("Which one is it?", Reference("resolved", (ACME, BIRCH)), after("Which of them is bigger?"),
     "Which of them is bigger? Which one is it? Acme Logistics Birch Foods"),
    ("Which one is a customer?", NOT_NEEDED, after("Which companies fit?"),
     "Which companies fit? Which one is a customer?"),
    # "Tell me more about" a record or a topic is a question of its own.
    ("Tell me more about this company", Reference("resolved", (ACME,)), after(STAGE),
     "Tell me more about this company Acme Logistics"),
    ("ok, tell me more about it", Reference("resolved", (ACME,)), after(STAGE),
     "ok, tell me more about it Acme Logistics"),
    ("Anything else about deals?", NOT_NEEDED, after(STAGE), "Anything else about deals?"),
    ("Tell me more about that rule", NOT_NEEDED, after(STAGE), f"{STAGE} Tell me more about that rule"),
    # A courtesy is never the question before.
    ("any more?", NOT_NEEDED, after(STAGE, "thanks"), f"{STAGE} any more?"),
    ("any more?", NOT_NEEDED, after(STAGE, "ok", "Yes please"), f"{STAGE} any more?"),
    ("the second one", NOT_NEEDED, after("thanks!"), "the second one"),
    # The answer to a question of ours is searched with the question it was asked about.
    ("May", NOT_NEEDED, WHICH_MONTH, "When was the Birch pilot reported? Which month do you mean? May"),
    ("the second one", NOT_NEEDED, WHICH_MONTH,
     "When was the Birch pilot reported? Which month do you mean? May the second one"),
    ("in the spring", NOT_NEEDED, WHICH_MONTH,
     "When was the Birch pilot reported? Which month do you mean? in the spring"),
    (STAGE, NOT_NEEDED, WHICH_MONTH, STAGE),
    ("Birch Foods", Reference("resolved", (BIRCH,)), asked_back("Who owns this company?", "Which one?",
     (Option("Birch Foods", BIRCH),)),
     "Who owns this company? Which one? Birch Foods"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "reference", "history", "query"), CASES)
def test_a_message_is_made_self_contained(message: str, reference: Reference, history: History, query: str) -> None:
    assert build_query(message=message, message_class="ordinary", reference=reference, history=history) == query


@pytest.mark.parametrize("message_class", ["greeting", "thanks", "farewell", "about_assistant", "conversation"])
def test_a_message_that_asks_for_nothing_is_not_searched(message_class: str) -> None:
    query = build_query(message="hello", message_class=message_class, reference=NOT_NEEDED, history=after(STAGE))

    assert query == ""


def test_a_long_message_gives_a_bounded_query() -> None:
    query = build_query(message="word " * 1_600, message_class="ordinary", reference=NOT_NEEDED, history=after())

    assert len(query) <= QUERY_MAX_LENGTH


@pytest.mark.parametrize(
    "message",
    [
        "yes",
        "no",
        "ok",
        "any more?",
        "go on",
        "May",
        "2",
        "which one?",
        "How so?",
        "",
        "?",
        "Which kinds are there?",
        "Any examples?",
        "What types?",
        "Can I add one myself?",
    ],
)
def test_a_message_that_says_too_little_is_a_follow_up(message: str) -> None:
    assert is_follow_up(message, reference=NOT_NEEDED)


@pytest.mark.parametrize(
    "message",
    ["What can AgencyCore do?", "Who owns Acme?", "Which kinds of signals are there?", "Which deals?",
    "Create an agent that qualifies inbound leads.",
    "Or do you mean deals at large, across all companies and quarters of the year?"],
)  # fmt: skip
def test_a_message_of_its_own_is_none(message: str) -> None:
    assert not is_follow_up(message, reference=NOT_NEEDED)


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("What can you do?", "what can AgencyCore do"),
        ("What can you do for me?", "what can AgencyCore do for me"),
        ("So what can you do?", "what can AgencyCore do"),
        ("Tell me what you can do", "what AgencyCore can do"),
        ("How can you help me?", "how can AgencyCore help me"),
        ("Can you tell me about deals?", "Can you tell me about deals?"),
        ("What can we do?", "What can we do?"),
    ],
)
def test_a_question_of_nothing_but_you_is_searched_by_the_products_name(message, query):
    found = build_query(message=message, message_class="ordinary", reference=Reference("not_needed"), history=History())

    assert found == query


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("What can you do?", "what can AgencyCore do"),
        ("What can I do here?", "What can I do here? AgencyCore"),
        ("What can you do with it?", f"{STAGE} What can you do with it?"),
        ("What are you doing?", f"{STAGE} What are you doing?"),
        ("What else can you do?", f"{STAGE} What else can you do?"),
    ],
)
def test_it_goes_on_from_nothing_that_was_said_before(message, query):
    assert build_query(message=message, message_class="ordinary", reference=NOT_NEEDED, history=after(STAGE)) == query


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("How do I get started?", "How do I get started? AgencyCore"),
        ("What is this?", "What is this? AgencyCore"),
        ("How does it work?", "How does it work? AgencyCore"),
        ("Don't find companies for me, just explain how it works", "Explain how it works AgencyCore"),
        ("How do I start a search?", "How do I start a search?"),
        ("What are they doing?", "What are they doing?"),
        ("Who is it?", "Who is it?"),
        ("Why?", "Why?"),
        ("How so?", "How so?"),
    ],
)
def test_a_first_question_without_a_topic_is_about_the_product(message, query):
    assert build_query(message=message, message_class="ordinary", reference=NOT_NEEDED, history=History()) == query
    assert "AgencyCore" not in build_query(
        message=message, message_class="ordinary", reference=NOT_NEEDED, history=after(STAGE)
    )
