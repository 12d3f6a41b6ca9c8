"""The report that needs no language model."""

from agencycore.ai.builtin.reports import TOLD_LENGTH, write_report
from agencycore.refs import ProjectedField
from tests.agencycore.ai.requests import report_request, source


def test_a_result_is_told_with_its_records_cited_where_they_are_named_and_listed_where_not():
    assert write_report(report_request()) == (
        "Two are in Norway: Fjordline and Bergen Cargo [r2].\n\nRecords:\n- Nordic Haul [r3]"
    )


def test_records_without_words_are_counted_and_listed():
    assert write_report(report_request(result="")) == (
        "It came back with 2 records [r1]:\n- Fjordline [r2]\n- Nordic Haul [r3]"
    )


def test_work_that_found_nothing_says_so():
    run = source("r1", "run", "Run of Signals Search")

    assert write_report(report_request(result="", sources=(run,))) == (
        "Signals Search finished and has nothing to report [r1]."
    )


def test_a_long_result_is_told_by_what_fits_the_question():
    filler = "Weather was discussed at length by everybody on that day. " * 60
    result = f"The search read 40 pages. {filler}Norway has two logistics companies. {filler}"

    told = write_report(report_request(result=result, sources=report_request().sources[:1]))

    assert told.startswith("The search read 40 pages [r1].")
    assert "Norway has two logistics companies [r1]." in told
    assert len(told) < TOLD_LENGTH * 1.2


def test_failed_work_names_its_cause_and_how_far_it_got():
    run = source(
        "r1",
        "run",
        "Run of Signals Search",
        ProjectedField("Cause", "The web search was not reachable"),
        ProjectedField("Step", "Search the web"),
    )

    assert write_report(report_request(result="", succeeded=False, sources=(run,))) == (
        "The web search was not reachable [r1]. It had got as far as the step “Search the web” [r1]."
    )


def test_a_failure_without_a_cause_says_that_none_is_recorded():
    assert write_report(report_request(result="", succeeded=False)) == "Why is not recorded [r1]."


def test_markup_and_markers_inside_a_result_do_nothing():
    result = "Found ![x](http://evil.example/?q=1) one <script>alert(1)</script> [r9]."

    told = write_report(report_request(result=result, sources=report_request().sources[:1]))

    assert told == "Found one alert(1) (r9) [r1]."
