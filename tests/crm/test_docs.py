"""The product pages about the CRM say what the code does: lists, limits and moves are compared with it."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from agencycore.csv_export import EXPORT_ROWS, CsvExportMixin
from crm.actions.history import REASON_MAX_LENGTH
from crm.forms import IMPORT_MAX_BYTES
from crm.importing import IMPORT_MAX_ROWS, IMPORTERS
from crm.listing import PAGE_SIZE
from crm.models import Activity, Company, Deal, Prospect, Signal, SizeBand
from crm.models.records import SCORE_MAX
from crm.promotion import BLOCKING_STAGES
from crm.readers import companies, fields
from crm.timeline import TIMELINE_LENGTH

DOCS = Path(settings.BASE_DIR) / "docs" / "product"
PAGES = (
    "lifecycle-stages", "companies", "people", "prospects-and-review", "promoting-a-prospect", "icp",
    "opportunity-score", "deals-and-stages", "activities", "owners", "signals", "importing-data", "record-history",
    "exports",
)  # fmt: skip
NUMBER_WORDS = {5: "five", 6: "six", 7: "seven", 8: "eight", 10: "ten"}


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text()


def section(name: str, heading: str) -> str:
    """The text under one heading, up to the next."""
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", page(name), re.MULTILINE | re.DOTALL)
    assert match is not None, f"{name} has no heading {heading}"
    return match[1]


def first_item(name: str, heading: str) -> str:
    return next(line for line in section(name, heading).splitlines() if line.startswith("- "))


def listed(name: str, heading: str) -> list[str]:
    """The words before the colon of each item of the list under ``heading``."""
    return [item.strip("* ") for item in re.findall(r"^- ([^:\n]+)", section(name, heading), re.MULTILINE)]


LISTS = [
    ("lifecycle-stages", "The lifecycle stages", Company.LifecycleStage),
    ("prospects-and-review", "Review states", Prospect.ReviewState),
    ("deals-and-stages", "Deal stages", Deal.Stage),
    ("activities", "Kinds of activities", Activity.Kind),
    ("signals", "Kinds of signals", Signal.Kind),
    ("companies", "Size of a company", SizeBand),
]


@pytest.mark.parametrize(("name", "heading", "choices"), LISTS, ids=[heading for _, heading, _ in LISTS])
def test_a_page_lists_exactly_what_the_code_knows_and_counts_it_right(name, heading, choices):
    assert listed(name, heading) == [str(label) for label in choices.labels]
    assert re.search(rf"\b{NUMBER_WORDS[len(choices)]}\b", section(name, heading))


def test_the_moves_of_a_review_are_those_of_the_code():
    moves = [
        f"from {before.label} to {' or '.join(', '.join(str(move.label) for move in after).rsplit(', ', 1))}"
        for before, after in Prospect.REVIEW_MOVES.items()
        if after
    ]

    assert listed("prospects-and-review", "Reviewing a prospect") == moves


@pytest.mark.parametrize("kind", IMPORTERS)
def test_the_columns_of_an_import_are_those_of_the_code(kind):
    importer = IMPORTERS[kind]

    assert listed("importing-data", f"Columns for {kind}") == [column.title for column in importer.columns]
    required = " and ".join(column.title for column in importer.columns if column.required)
    assert f"{required} {'are' if ' and ' in required else 'is'} required." in section(
        "importing-data", f"Columns for {kind}"
    )


def test_the_limits_on_the_pages_are_those_of_the_code():
    assert f"at most {IMPORT_MAX_ROWS:,} rows and {IMPORT_MAX_BYTES // 1024**2} MB" in page("importing-data")
    assert f"kept between 0 and {SCORE_MAX}" in page("opportunity-score")
    assert f"from -{SCORE_MAX} to {SCORE_MAX}" in page("opportunity-score")
    assert f"the {NUMBER_WORDS[fields.EVIDENCE_ITEMS]} strongest items" in page("opportunity-score")
    assert f"It shows {PAGE_SIZE} companies a page." in page("companies")
    assert f"lists the {TIMELINE_LENGTH} newest changes" in page("companies")
    assert f"newest {TIMELINE_LENGTH} signals" in page("signals")
    known = section("companies", "What chat knows about a company")
    assert f"its newest {NUMBER_WORDS[companies.CHANGES]} changes" in known
    assert f"its newest {NUMBER_WORDS[companies.ACTIVITIES]} activities" in known
    assert f"up to {NUMBER_WORDS[companies.DEALS]} open deals" in known
    assert f"up to {NUMBER_WORDS[companies.SIGNALS]} signals" in known
    assert REASON_MAX_LENGTH == 300


def test_the_stages_that_block_a_promotion_are_named():
    text = section("promoting-a-prospect", "When a prospect can be promoted")

    named = [stage for stage in Company.LifecycleStage if str(stage.label) in text]
    assert named == list(BLOCKING_STAGES)


def test_the_kinds_that_count_as_contact_are_named():
    text = section("activities", "Last contact and last activity").lower()

    kinds = {str(kind.label).lower() for kind in Activity.Kind if str(kind.label).lower() in text.split("notes")[0]}
    assert kinds == {str(kind.label).lower() for kind in Activity.CONTACT_KINDS}


def test_the_first_deal_and_lifecycle_stage_are_the_models_own():
    assert Company._meta.get_field("lifecycle_stage").default == Company.LifecycleStage.LEAD
    assert first_item("lifecycle-stages", "The lifecycle stages").endswith("without a stage start here.")
    assert Deal._meta.get_field("stage").default == Deal.Stage.QUALIFICATION
    assert first_item("deals-and-stages", "Deal stages").endswith("New deals start here.")
    assert Prospect._meta.get_field("review_state").default == Prospect.ReviewState.PENDING


def test_the_exports_of_the_admin_are_named_with_their_limit():
    assert f"at most {EXPORT_ROWS:,} rows" in section("exports", "What a CSV export holds")
    action = CsvExportMixin.export_csv.short_description
    assert f"**{action}**" in section("exports", "Exporting a list as CSV")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_title_and_begins_with_a_definition(name):
    lines = page(name).splitlines()

    assert lines[0].startswith("# ")
    assert re.match(r"(A|An|The) .+? (is|are|brings|makes|describes) |A person|An ICP|Promoting", lines[2])
    assert [line for line in lines[1:] if line.startswith("# ")] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_section_is_too_long_for_one_passage(name):
    """A passage is about 350 tokens of four bytes; a section that fits is found and cited whole."""
    sections = re.split(r"^## ", page(name), flags=re.MULTILINE)

    assert [text.splitlines()[0] for text in sections if len(text.encode()) > 1_400] == []
