"""“What is a deal?”: the sentence that says what it is, and not one that only begins with it."""

import pytest

from agencycore.ai.builtin import BuiltinResponder
from agencycore.ai.builtin.language import content_stems
from agencycore.ai.builtin.reading import definition_grade
from agencycore.ai.wire import parse_decision
from tests.agencycore.ai.briefs import brief, passage, request

WON = passage(
    "Deals", "When a deal is won, its close date becomes that day.", position="Deals › What happens when a deal is won"
)
DEAL = passage("Glossary", "- Deal: a sale you are working on.", position="Glossary › Deal")
RIGHTS = passage(
    "Owners", "Being the owner gives no extra rights. The owner is the person to ask.", position="Owners › Rights"
)
OWNER = passage("Owners", "The owner of a record is the member who looks after it.", position="Owners")
COLUMN = passage("Importing", "- Owner: user name of a member", position="Importing › Columns › Owner")
LOGGED = passage("Activities", "An activity names the member who logged it.", position="Activities › Who made it")
ACTIVITY = passage("Activities", "An activity is something that was done with a company.", position="Activities")
LISTED = passage("Companies", "The list of companies can be searched by name.", position="Companies › Finding one")
COMPANY = passage("Companies", "A company is a business that you sell to.", position="Companies")


@pytest.mark.parametrize(
    ("message", "passages", "text"),
    [
        ("What is a deal?", (WON, DEAL), "Deal: a sale you are working on [r2]."),
        ("define deal", (WON, DEAL), "Deal: a sale you are working on [r2]."),
        ("Tell me what a deal is", (WON, DEAL), "Deal: a sale you are working on [r2]."),
        ("What is an owner?", (RIGHTS, COLUMN, OWNER), "The owner of a record is the member who looks after it [r3]."),
        ("What is an activity?", (LOGGED, ACTIVITY), "An activity is something that was done with a company [r2]."),
        ("What does activity mean?", (LOGGED, ACTIVITY), "An activity is something that was done with a company [r2]."),
        ("What is a company?", (LISTED, COMPANY), "A company is a business that you sell to [r2]."),
    ],
)
def test_the_sentence_that_defines_is_told(message, passages, text):
    assert parse_decision(BuiltinResponder().decide(request(brief(message, *passages))).text).text == text


@pytest.mark.parametrize(
    ("asked", "text", "grade"),
    [
        ("deal", "A deal is a sale to one company.", 1.0),
        ("deal", "Deal: a sale you are working on.", 1.0),
        ("ICP", "ICP stands for ideal customer profile.", 1.0),
        ("stage", "A stage is how far something has come.", 1.0),
        ("state", "The state says where it stands.", 1.0),
        ("activity", "An activity names the member who logged it.", 0.5),
        ("document", "A document is searchable only as a whole.", 0.5),
        ("deal", "When a deal is won, its close date becomes that day.", 0.0),
        ("deal", "If a deal is a pilot, it has no amount.", 0.0),
        ("deal", "The close date of a deal is a day.", 0.0),
    ],
)
def test_what_kind_of_thing_it_is_defines_best(asked, text, grade):
    assert definition_grade(text, content_stems(asked)) == grade
