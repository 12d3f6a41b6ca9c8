"""The operator's view of context: exact figures, one organization's, at a fixed price."""

import datetime
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agencycore.tenancy import tenant
from chat import charts
from chat.context_report import (
    Latency,
    Range,
    Summary,
    latency_by_day,
    latency_by_stage,
    outcomes_by_day,
    stage_latency_by_day,
    summarise,
    tokens_by_source,
    unresolved_by_day,
    unresolved_topics,
)
from chat.models import Turn
from conversations.models import Conversation, Message
from tests.chat.pages import body

pytestmark = pytest.mark.django_db

ADDRESS = "/staff/context/"
MONDAY, TUESDAY = datetime.date(2026, 10, 5), datetime.date(2026, 10, 6)


def at(day, hour=12):
    return datetime.datetime(day.year, day.month, day.day, hour, tzinfo=datetime.UTC)


def turns(person, *specs, unresolved=()):
    """One turn per spec: its moment and fields; the first ones' replies name what was unresolved."""
    organization = person.organization
    with tenant(organization.id):
        conversation = Conversation.objects.create(organization=organization, starter=person.user, title="Talk")
        questions = [
            Message(
                organization=organization, conversation=conversation, ordinal=2 * n + 1, role="user", kind="message"
            )
            for n in range(len(specs))
        ]
        Message.objects.bulk_create(questions)
        made = [
            Turn(
                organization=organization,
                conversation=conversation,
                message=question,
                deadline_at=timezone.now(),
                **({"state": "answered", "outcome": "answer"} | fields),
            )
            for question, (_, fields) in zip(questions, specs, strict=True)
        ]
        Turn.objects.bulk_create(made)
        for turn, (moment, _) in zip(made, specs, strict=True):
            turn.created_at = moment
        Turn.objects.bulk_update(made, ["created_at"], batch_size=500)
        for question, words in zip(questions, unresolved, strict=False):
            reply = Message.objects.create(
                organization=organization,
                conversation=conversation,
                ordinal=question.ordinal + 1,
                role="assistant",
                kind="reply",
                in_reply_to=question,
                unresolved=list(words),
            )
            Message.objects.filter(id=reply.id).update(created_at=at(MONDAY))


def told(person, read, first=MONDAY, last=TUESDAY, zone="UTC"):
    with tenant(person.organization.id):
        return read(person.organization.id, Range(first, last, zone))


def test_an_average_turns_tokens_are_told_by_day_and_source(owner):
    turns(
        owner,
        (at(MONDAY), {"token_breakdown": {"knowledge": 300, "application": 50}}),
        (at(MONDAY), {"token_breakdown": {"knowledge": 100}}),
        (at(MONDAY), {"token_breakdown": {}}),
        (at(TUESDAY), {"token_breakdown": {"conversation": 7}}),
    )

    assert told(owner, tokens_by_source) == {
        MONDAY: {"knowledge": 200.0, "application": 25.0},
        TUESDAY: {"conversation": 7.0},
    }


def test_turns_are_counted_by_how_they_ended_and_unfinished_ones_are_not(owner):
    turns(
        owner,
        (at(MONDAY), {}),
        (at(MONDAY), {"fallback": "vendor"}),
        (at(MONDAY), {"state": "failed", "outcome": ""}),
        (at(MONDAY), {"state": "delegated", "outcome": "delegate"}),
        (at(MONDAY), {"state": "replied", "outcome": ""}),
        (at(MONDAY), {"state": "thinking", "outcome": ""}),
    )

    assert told(owner, outcomes_by_day) == {
        MONDAY: {"answer": 1.0, "fallback": 1.0, "failed": 1.0, "delegate": 1.0, "replied": 1.0}
    }


def test_latency_is_told_by_day_and_by_stage_in_seconds(owner):
    turns(
        owner,
        *[(at(MONDAY), {"timings": {"context": 100 * n, "decision": 500, "total": 1000 * n}}) for n in range(1, 22)],
        (at(TUESDAY), {"timings": {"context": 1}}),
    )

    assert told(owner, latency_by_day) == {MONDAY: {"median": 11.0, "95th percentile": 20.0}}
    assert told(owner, latency_by_stage, last=MONDAY) == [
        Latency("context", 1.1, 2.0, 21),
        Latency("decision", 0.5, 0.5, 21),
        Latency("total", 11.0, 20.0, 21),
    ]


def test_the_stages_are_told_by_day(owner):
    turns(
        owner,
        *[(at(MONDAY), {"timings": {"context": 100 * n, "decision": 500}}) for n in range(1, 22)],
        (at(TUESDAY), {"timings": {"context": 2000, "commit": 10}}),
    )

    medians, nineties = told(owner, stage_latency_by_day)

    assert medians == {MONDAY: {"context": 1.1, "decision": 0.5}, TUESDAY: {"context": 2.0, "commit": 0.01}}
    assert nineties == {MONDAY: {"context": 2.0, "decision": 0.5}, TUESDAY: {"context": 2.0, "commit": 0.01}}


def test_unresolved_topics_are_counted_by_day_the_most_frequent_by_name(owner):
    often = [["Refunds"], ["refunds"], ["x" * 80], ["x" * 80]]
    turns(owner, *[(at(MONDAY), {})] * 10, unresolved=[*often, *([f"Once {letter}"] for letter in "abcdef")])
    turns(owner, (at(MONDAY), {}), unresolved=[["Refunds"]])
    with tenant(owner.organization.id):
        latest = Message.objects.filter(unresolved=["Refunds"]).last()
        Message.objects.filter(id=latest.id).update(created_at=at(TUESDAY))

    names, series = told(owner, unresolved_by_day)

    assert (names[0].lower(), names[1], names[-1]) == ("1. refunds", f"2. {'x' * 59}…", "others")
    assert len(names) == 6
    assert sum(series[MONDAY].values()) == 10
    assert (series[MONDAY][names[0]], series[MONDAY][names[1]], series[MONDAY]["others"]) == (2.0, 2.0, 3.0)
    assert series[TUESDAY] == {names[0]: 1.0}
    [moved] = told(owner, unresolved_by_day, zone="Pacific/Kiritimati")[1].items()
    assert (moved[0], sum(moved[1].values())) == (TUESDAY, 10.0)


def test_unresolved_topics_stand_in_the_order_of_their_times(owner):
    turns(
        owner,
        *[(at(MONDAY), {})] * 4,
        unresolved=[["No source covers refunds."], ["no source covers Refunds."], ["The weather"], []],
    )

    topics = told(owner, unresolved_topics)

    assert [(topic.words.lower(), topic.times, topic.latest) for topic in topics] == [
        ("no source covers refunds.", 2, at(MONDAY)),
        ("the weather", 1, at(MONDAY)),
    ]
    assert told(owner, unresolved_topics, first=TUESDAY) == []


def test_wordings_that_differ_in_figures_and_punctuation_alone_are_one_topic_with_its_newest_question(owner):
    turns(
        owner, *[(at(MONDAY), {})] * 5, unresolved=[["prospect? no. 6"], ["Prospect no. 5"], ["42"], ["17"], ["价格"]]
    )
    with tenant(owner.organization.id):
        for number, question in enumerate(Message.objects.filter(role="user").order_by("ordinal")):
            Message.objects.filter(id=question.id).update(text=f"Question {number}?")
        newest = Message.objects.get(unresolved=["Prospect no. 5"])
        Message.objects.filter(id=newest.id).update(created_at=at(MONDAY, 13))

    topics = told(owner, unresolved_topics)

    first = topics[0]
    assert (first.words, first.times, first.question, first.message_id) == (
        "Prospect no. 5", 2, "Question 1?", newest.id
    )  # fmt: skip
    assert sorted(topic.words for topic in topics[1:]) == ["17", "42", "价格"]
    assert "1. Prospect no. 5" in told(owner, unresolved_by_day)[0]


def test_the_summary_of_a_range(owner):
    turns(
        owner,
        (at(MONDAY), {"token_breakdown": {"knowledge": 100, "runs": 20}, "timings": {"total": 1000}}),
        (at(MONDAY), {"token_breakdown": {"knowledge": 300}, "timings": {"total": 3000}, "fallback": "limit"}),
        (at(MONDAY), {"state": "failed", "outcome": ""}),
    )

    assert told(owner, summarise) == Summary(3, 210.0, 2.0, 2.9, 0.5)
    assert told(owner, summarise, first=TUESDAY) == Summary(0, None, None, None, None)


def test_days_are_those_of_the_organizations_time_zone(owner):
    turns(owner, (at(MONDAY, 23), {}))

    assert told(owner, outcomes_by_day) == {MONDAY: {"answer": 1.0}}
    assert told(owner, outcomes_by_day, zone="Europe/Oslo") == {TUESDAY: {"answer": 1.0}}


def test_a_stranger_reads_nothing_of_it(owner, stranger):
    turns(owner, (at(MONDAY), {"token_breakdown": {"knowledge": 9}, "timings": {"total": 9}}), unresolved=[["Secret"]])
    range_ = Range(MONDAY, TUESDAY, "UTC")

    reads = (tokens_by_source, outcomes_by_day, latency_by_day, latency_by_stage, unresolved_topics)
    with tenant(stranger.organization.id):
        for organization_id in (stranger.organization.id, owner.organization.id):
            assert [list(read(organization_id, range_)) for read in reads] == [[]] * 5
            assert stage_latency_by_day(organization_id, range_) == ({}, {})
            assert unresolved_by_day(organization_id, range_) == ((), {})
            assert summarise(organization_id, range_).turns == 0


# --- the page ---------------------------------------------------------------------------------


def test_staff_see_their_organizations_figures_with_a_table_of_each_chart(owner, admin, stranger):
    turns(owner, (at(MONDAY), {"token_breakdown": {"knowledge": 1234}}), unresolved=[["No source covers <refunds>"]])
    turns(stranger, (at(MONDAY), {"token_breakdown": {"knowledge": 9876}}), unresolved=[["Secret"]])

    shown = body(admin.client.get(f"{ADDRESS}?first=2026-10-05&last=2026-10-06"))

    assert "Oct. 5" not in shown
    assert "5 October 2026 to 6 October 2026, compared with the 2 days before." in shown
    assert "5 Oct, knowledge: 1,234 tokens" in shown
    assert shown.count("The figures as a table") == 3
    assert "5 Oct, 1. No source covers &lt;refunds&gt;: 1 times" in shown
    assert "No source covers &lt;refunds&gt;" in shown
    assert "9,876" not in shown
    assert "Secret" not in shown
    assert "<script>" not in shown
    assert " style=" not in shown.split('<div class="report">')[1].split('id="footer"')[0]


def test_staff_of_another_organization_see_theirs(owner, stranger):
    turns(owner, (at(MONDAY), {}), unresolved=[["Ours"]])

    shown = body(stranger.client.get(f"{ADDRESS}?first=2026-10-05&last=2026-10-06"))

    assert "Ours" not in shown
    assert shown.count("There was no turn in these days.") == 5


def test_a_member_and_a_visitor_are_sent_to_the_log_in(owner, client):
    for asker in (owner.client, client):
        response = asker.get(ADDRESS)
        assert (response.status_code, response["Location"]) == (302, f"/admin/login/?next={ADDRESS}")


def test_without_a_choice_the_last_fourteen_days_are_shown(admin):
    shown = body(admin.client.get(ADDRESS))

    today = timezone.now().date()
    assert f'value="{today - datetime.timedelta(days=13)}"' in shown
    assert f'value="{today}"' in shown
    assert "compared with the 14 days before" in shown


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("first=2026-10-06&last=2026-10-05", "The first day comes after the last."),
        ("first=2020-01-01&last=2026-10-05", "Choose at most 180 days."),
        ("first=nonsense", "Enter a valid date."),
        ("first=9999-12-31&last=9999-12-31", "Choose days between 2000 and 2100."),
        ("first=0001-01-01&last=0001-01-02", "Choose days between 2000 and 2100."),
    ],
)
def test_a_range_that_makes_no_sense_is_explained_beside_the_last_days(admin, query, words):
    response = admin.client.get(f"{ADDRESS}?{query}")

    assert response.status_code == 200
    assert words in body(response)
    assert "compared with the 14 days before" in body(response)


def test_a_start_alone_and_an_end_alone_are_enough(admin):
    ended = body(admin.client.get(f"{ADDRESS}?last=2026-10-06"))
    begun = admin.client.get(f"{ADDRESS}?first=2999-01-01")

    assert "23 September 2026 to 6 October 2026" in ended
    assert begun.status_code == 200


def test_the_page_is_linked_from_the_administration(admin):
    assert f'href="{ADDRESS}"' in body(admin.client.get("/admin/"))


def test_the_report_costs_the_same_statements_however_many_turns(owner, admin):
    def statements():
        client = admin.client
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"{ADDRESS}?first=2026-10-05&last=2026-10-06").status_code == 200
        return len(captured)

    fields = {"token_breakdown": {"knowledge": 100, "runs": 5}, "timings": {"total": 900}}
    turns(owner, (at(MONDAY), fields), unresolved=[["A"]])
    few = statements()
    turns(owner, *[(at(TUESDAY), fields)] * 300, unresolved=[[f"{uuid.uuid4()}"] for _ in range(30)])

    assert statements() == few


# --- the drawing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "labels"),
    [
        (0, ["0", "0.001"]),
        (0.3, ["0", "0.1", "0.2", "0.3"]),
        (1.1, ["0", "0.5", "1", "1.5"]),
        (6, ["0", "2", "4", "6"]),
        (21, ["0", "5", "10", "15", "20", "25"]),
        (1234, ["0", "500", "1,000", "1,500"]),
    ],
)
def test_every_line_of_a_scale_is_a_round_figure(figure, labels):
    chart = charts.lines("T", "seconds", [MONDAY], ("a",), {MONDAY: {"a": figure}})

    assert [tick.label for tick in chart.scale] == labels


@pytest.mark.parametrize(
    ("figure", "labels"), [(1, ["0", "1"]), (3, ["0", "1", "2", "3"]), (7, ["0", "2", "4", "6", "8"])]
)
def test_what_is_counted_has_a_scale_of_whole_figures(figure, labels):
    chart = charts.stacked("T", "turns", [MONDAY], ("a",), {MONDAY: {"a": figure}})

    assert [tick.label for tick in chart.scale] == labels


def test_columns_stand_on_each_other_and_end_at_the_floor():
    series = {MONDAY: {"a": 1.0, "b": 3.0}}

    chart = charts.stacked("T", "turns", [MONDAY, TUESDAY], ("a", "b"), series)

    first, second = chart.bars
    assert first.y + first.height == pytest.approx(chart.floor, abs=0.11)
    assert second.y + second.height == pytest.approx(first.y, abs=0.11)
    assert second.height == pytest.approx(3 * first.height, abs=0.3)
    assert [bar.series for bar in chart.bars] == [0, 1]
    assert chart.rows == ((MONDAY, (1.0, 3.0)),)


def test_a_line_breaks_where_a_day_has_no_figure():
    days = [MONDAY + datetime.timedelta(days=n) for n in range(4)]
    series = {days[0]: {"a": 1.0}, days[1]: {"a": 2.0}, days[3]: {"a": 1.0}}

    [line] = charts.lines("T", "seconds", days, ("a",), series).lines

    assert [part[0] for part in line.path.split() if part[0].isalpha()] == ["M", "L", "M"]
    assert line.dots[0][2] == "5 Oct, a: 1 seconds"
