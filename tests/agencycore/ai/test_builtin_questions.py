"""What a question is about, also where it is a query that several questions were put together in."""

import uuid
from pathlib import Path

import pytest
from django.conf import settings

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.questions import Question
from agencycore.ai.builtin.routing import Router
from agencycore.ai.wire import parse_decision
from tests.agencycore.ai.briefs import brief, fact, passage, record, request


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Is this a customer? Since when? Do we have a deal with them?", []),
        ("What open deals do we have here? How big are they?", []),
        ("Which deals are open? the second one When does it close?", []),
        ("Who owns Acme Robotics? And Lumenpay?", ["Acme", "Robotics", "Lumenpay"]),
        ("Is the office in Porto closed in May?", ["Porto", "May"]),
    ],
)
def test_words_that_open_a_question_are_no_names(text: str, names: list[str]) -> None:
    assert Question(text).names == names


def test_another_records_name_in_the_query_does_not_stand_in_the_way() -> None:
    company = record("company", "Lumenpay", fact("Owner", "Dana Reyes", None, "who", "owns", "owner"))
    query = "Who owns Acme Robotics? And Halden? And this one? Lumenpay"

    decided = parse_decision(
        BuiltinResponder().decide(request(brief("And this one?", about=[company], phrase="this one", query=query))).text
    )

    assert decided.text == "The owner of Lumenpay is Dana Reyes [r1]."


def test_the_list_that_is_counted_is_the_one_asked_for() -> None:
    stages = passage(
        "Lifecycle stages",
        "There are three lifecycle stages:\n\n- **Lead**: known.\n- **Prospect**: it fits.\n- **Customer**: it bought.",
        position="Lifecycle stages › The lifecycle stages",
    )
    changes = passage(
        "Lifecycle stages",
        "A lifecycle stage changes in two ways:\n\n- A member changes it.\n- A deal that is won changes it.",
        position="Lifecycle stages › How the lifecycle stage changes",
    )

    decided = parse_decision(
        BuiltinResponder().decide(request(brief("Which lifecycle stages are there?", changes, stages))).text
    )

    assert decided.text.splitlines()[0] == "There are three lifecycle stages [r2]:"
    assert decided.citations == ["r2"]


@pytest.mark.parametrize("text", ["Who owns company:{}?", "Stop the run {}", "What is {}?"])
def test_which_id_a_message_holds_changes_no_route(text: str) -> None:
    router = Router(Path(settings.ROUTING_EXAMPLES))
    ids = [str(uuid.UUID(int=number * 0x1234567890ABCDEF1234567)) for number in range(1, 40)]

    assert len({router.route_text(text.format(value)).intent for value in ids}) == 1
    assert {router.is_foreign(brief(text.format(value))) for value in ids} == {False}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What can you do?", "What can AgencyCore do?"),
        ("Can you export deals?", "Can AgencyCore export deals?"),
        ("Can you please explain what a prospect is", "explain what a prospect is"),
        ("Could you tell me how to upload a file?", "how to upload a file?"),
        ("Tell me about deals", "Tell me about deals"),
        ("Explain deals", "Explain deals"),
    ],
)
def test_you_is_the_product_where_something_is_asked_of_it(text, asked):
    assert Question(text).about_product.text == asked


@pytest.mark.parametrize("text", ["tell me what a signal is", "What a prospect is", "do you know what an ICP means?"])
def test_a_name_before_its_verb_asks_for_a_definition(text):
    assert Question(text).asks_definition


@pytest.mark.parametrize("text", ["tell me what their stage is", "say what the owner of the company in Oslo is"])
def test_a_fact_about_one_thing_is_no_definition(text):
    assert not Question(text).asks_definition
