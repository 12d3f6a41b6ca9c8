"""Which messages ask for facts of the record at hand, and which for the product's own words."""

import pytest

from agencycore.refs import ProjectedField, Projection, ResourceRef
from chat.context.field_words import asks_for_fields, asks_of_field

ACME = Projection(
    ref=ResourceRef("company", "1", "Acme"),
    title="Acme",
    fields=(
        ProjectedField("Owner", "Mia", None, ("who", "owns")),
        ProjectedField("Lifecycle stage", "Customer", None, ("stage",)),
        ProjectedField("Last contact", "Call", None, ("contact", "talked")),
        ProjectedField("Open deal", "Pilot", None, ("deals", "worth")),
    ),
)


@pytest.mark.parametrize(
    "message", ["last contact?", "which deals are open?", "what deals are open", "owner?", "and the stage?", "Contact"]
)
def test_facts_of_the_record(message: str) -> None:
    assert asks_for_fields(message, ACME)


@pytest.mark.parametrize(
    "message",
    [
        "What is lifecycle stage?",
        "what does owner mean",
        "how do I change the owner?",
        "what are deals",
        "prospect",
        "last contact with Birch?",
        "what is it",
        "thanks",
        "?",
        "find open deals in Norway",
    ],
)
def test_anything_else(message: str) -> None:
    assert not asks_for_fields(message, ACME)


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("What's the owner's phone number?", True),
        ("and its owner’s e-mail", True),
        ("the last contact's job title?", True),
        ("What is the prospect's score?", False),
        ("Who owns it?", False),
        ("What is the owner's job?", True),
        ("it's the owner", False),
    ],
)
def test_something_is_asked_of_what_a_field_names(message: str, asks: bool) -> None:
    assert asks_of_field(message, ACME) is asks
