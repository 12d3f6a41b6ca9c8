"""How context and answers developed: figures of one organization's turns, counted in the database.

Every figure is one aggregate over the turns of a range; the number of statements does not depend on
how many there are. Days are those of the organization's time zone.
"""

import datetime
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from chat import context_report_sql as sql

TOPICS_SHOWN = 20
TOPICS_DRAWN = 5
TOPIC_NAME_LENGTH = 60
OTHER_TOPICS = "others"
STAGES = ("context", "decision", "commit", "total")


@dataclass(frozen=True, slots=True)
class Range:
    """Both days included."""

    first: datetime.date
    last: datetime.date
    time_zone: str

    @property
    def days(self) -> list[datetime.date]:
        return [self.first + datetime.timedelta(days=day) for day in range((self.last - self.first).days + 1)]

    @property
    def before(self) -> "Range":
        """As many days, just before."""
        length = datetime.timedelta(days=len(self.days))
        return Range(self.first - length, self.last - length, self.time_zone)


@dataclass(frozen=True, slots=True)
class Summary:
    """None where there is nothing to measure. ``fallback_rate`` is a share of the finished turns."""

    turns: int
    tokens: float | None
    seconds_p50: float | None
    seconds_p95: float | None
    fallback_rate: float | None

    @property
    def fallback_percent(self) -> float | None:
        return None if self.fallback_rate is None else 100 * self.fallback_rate


@dataclass(frozen=True, slots=True)
class Latency:
    stage: str
    p50: float
    p95: float
    turns: int


@dataclass(frozen=True, slots=True)
class Topic:
    """``words`` and ``question`` are the newest ones, of the reply ``message_id``."""

    words: str
    times: int
    latest: datetime.datetime
    question: str
    message_id: uuid.UUID


# day -> name -> figure
Series = Mapping[datetime.date, Mapping[str, float]]


def summarise(organization_id: uuid.UUID, range_: Range) -> Summary:
    rows = _rows(sql.SUMMARY, organization_id, range_)
    turns, tokens, p50, p95, fallback_rate = rows[0]
    return Summary(
        int(str(turns)), _number(tokens), _seconds(_number(p50)), _seconds(_number(p95)), _number(fallback_rate)
    )


def tokens_by_source(organization_id: uuid.UUID, range_: Range) -> Series:
    """Tokens of an average turn of the day, by source."""
    return _series(_rows(sql.TOKENS, organization_id, range_))


def outcomes_by_day(organization_id: uuid.UUID, range_: Range) -> Series:
    """How many turns of the day ended how; those of a fallback apart."""
    return _series(_rows(sql.OUTCOMES, organization_id, range_))


def latency_by_day(organization_id: uuid.UUID, range_: Range) -> Series:
    """Seconds from accept to reply: "median" and "95th percentile"."""
    return _series(_rows(sql.DAY_LATENCY, organization_id, range_))


def latency_by_stage(organization_id: uuid.UUID, range_: Range) -> list[Latency]:
    found = {
        str(stage): (p50, p95, turns) for stage, p50, p95, turns in _rows(sql.STAGE_LATENCY, organization_id, range_)
    }
    return [
        Latency(stage, float(str(found[stage][0])), float(str(found[stage][1])), int(str(found[stage][2])))
        for stage in STAGES
        if stage in found
    ]


def stage_latency_by_day(organization_id: uuid.UUID, range_: Range) -> tuple[Series, Series]:
    """Seconds of each stage: the days' medians, and their 95th percentiles."""
    rows = _rows(sql.DAY_STAGE_LATENCY, organization_id, range_)
    return _series([row[:3] for row in rows]), _series([(*row[:2], row[3]) for row in rows])


def unresolved_by_day(organization_id: uuid.UUID, range_: Range) -> tuple[tuple[str, ...], Series]:
    """How often the day's answers could not say something: the most frequent topics' names in order, and the counts.

    A name begins with the topic's place in ``unresolved_topics``, so that no two are the same.
    """
    rows = [
        (day, _topic_name(place, words), times)
        for day, place, words, times in _rows(sql.DAY_TOPICS, organization_id, range_)
    ]
    return tuple(dict.fromkeys(name for _, name, _ in rows)), _series(rows)


def unresolved_topics(organization_id: uuid.UUID, range_: Range) -> list[Topic]:
    """What answers most often could not say, in their words, and what was asked; other figures are no other topic."""
    rows = _rows(sql.TOPICS, organization_id, range_)
    return [
        Topic(str(words), int(str(times)), _moment(latest), str(question), uuid.UUID(str(message_id)))
        for words, times, latest, question, message_id in rows
    ]


def _rows(statement: str, organization_id: uuid.UUID, range_: Range) -> Sequence[tuple[object, ...]]:
    parameters: dict[str, uuid.UUID | str | datetime.date | int] = {
        "organization": organization_id,
        "zone": range_.time_zone,
        "first": range_.first,
        "end": range_.last + datetime.timedelta(days=1),
        "topics": TOPICS_SHOWN,
        "drawn": TOPICS_DRAWN,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[object, ...]] = cursor.fetchall()
    return rows


def _series(rows: Sequence[tuple[object, ...]]) -> dict[datetime.date, dict[str, float]]:
    series: dict[datetime.date, dict[str, float]] = {}
    for day, name, figure in rows:
        assert isinstance(day, datetime.date)
        series.setdefault(day, {})[str(name)] = float(str(figure))
    return series


def _topic_name(place: object, words: object) -> str:
    if place is None:
        return OTHER_TOPICS
    text = str(words)
    return f"{place}. {text if len(text) <= TOPIC_NAME_LENGTH else text[: TOPIC_NAME_LENGTH - 1] + '…'}"


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _moment(value: object) -> datetime.datetime:
    assert isinstance(value, datetime.datetime)
    return value
