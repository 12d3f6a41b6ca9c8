"""Which messages ask for facts of the record at hand, and which for the product's own words."""

import pytest

from agencycore.refs import ProjectedField, Projection, ResourceRef
from chat.context.field_words import asks_for_fields

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
