"""A list of agents and workflows is counted off as the reply told it, also by what was published since."""

import pytest

from agencycore.refs import ResourceRef
from chat.context.listed_definitions import told_names
from tests.chat.context.talk import Talk
from tests.chat.context.test_run_sources import definition
from tests.people import Person

LIST = ResourceRef("definition_list", "available")
NAMES = ["Draft Reply", "Research", "Research Assistant", "Signals Search"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Available: 2 [1].\n- Signals Search (workflow): Finds companies.\n- Draft Reply (agent): Uses Research.",
            ["Signals Search", "Draft Reply"],
        ),
        (
            "You can use:\n1. **Research Assistant**: briefs.\n2. **Research**: reads.",
            ["Research Assistant", "Research"],
        ),
        ("You can use Signals Search and Draft Reply [1].", ["Signals Search", "Draft Reply"]),
        ("None is published.", []),
    ],
)
def test_names_are_told_in_the_order_of_their_lines(text: str, told: list[str]) -> None:
    assert told_names(text, NAMES) == told


@pytest.mark.django_db
def test_an_ordinal_counts_the_agents_that_the_reply_told(owner: Person) -> None:
    for name in ("Research Assistant", "Signals Search"):
        definition(name, f"Does {name}.", owner.organization)
    talk = Talk(owner)
    told = "Available agents and workflows: 2 [1].\n- Research Assistant (workflow): …\n- Signals Search (workflow): …"
    talk.exchange("What agents and workflows can I use?", told, [LIST])
    definition("Another Agent", "Published after the list was told.", owner.organization)

    brief = talk.ask("What does the second one do?")

    assert (brief.reference.status, [ref.label for ref in brief.reference.refs]) == ("resolved", ["Signals Search"])
    assert [item.label for item in brief.of("definitions") if item.kind == "definition"] == ["Signals Search"]


@pytest.mark.django_db
def test_of_one_that_was_told_since_the_others_are_counted_in_the_list(owner: Person) -> None:
    made = [definition(name, f"Does {name}.", owner.organization) for name in ("Draft Reply", "Signals Search")]
    second = ResourceRef("definition", str(made[1].definition_id))
    talk = Talk(owner)
    talk.exchange("What workflows can I use?", "Two [1].\n- Draft Reply: …\n- Signals Search: …", [LIST])
    talk.exchange("What does the second one do?", "It searches [1].", [second])

    brief = talk.ask("Run the first one")

    assert [ref.label for ref in brief.reference.refs] == ["Draft Reply"]
