"""Charts as plain geometry for a server-rendered SVG: no script, no inline style, and a table of the same figures."""

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 760, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 8, 10, 26
GRID_STEPS = 5
DAY_LABELS = 8
BAR_SHARE = 0.72

NO_TURN = "There was no turn in these days."

Series = Mapping[datetime.date, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Bar:
    """``series`` is the number of its colour."""

    x: float
    y: float
    width: float
    height: float
    series: int
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """``points`` is an SVG path; a day without a figure breaks it. ``dots`` are (x, y, words)."""

    path: str
    series: int
    dots: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """``rows`` are the figures again, for the table: a day and one figure per name, or None."""

    title: str
    unit: str
    names: tuple[str, ...]
    bars: tuple[Bar, ...]
    lines: tuple[Line, ...]
    scale: tuple[Tick, ...]
    days: tuple[Tick, ...]
    rows: tuple[tuple[datetime.date, tuple[float | None, ...]], ...]
    # Said where there is nothing to draw.
    nothing: str

    width = WIDTH
    height = HEIGHT
    left = LEFT
    right = WIDTH - RIGHT
    floor = HEIGHT - BOTTOM

    @property
    def is_empty(self) -> bool:
        return not self.rows


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a day and a figure stand."""

    days: Sequence[datetime.date]
    grid: float
    lines: int

    @property
    def top(self) -> float:
        return self.grid * self.lines

    @property
    def step(self) -> float:
        return (WIDTH - LEFT - RIGHT) / len(self.days)

    def x(self, index: int) -> float:
        return round(LEFT + self.step * (index + 0.5), 1)

    def y(self, figure: float) -> float:
        return round(HEIGHT - BOTTOM - self.length(figure), 1)

    def length(self, figure: float) -> float:
        return round((HEIGHT - BOTTOM - TOP) * figure / self.top, 1)


def stacked(
    title: str,
    unit: str,
    days: Sequence[datetime.date],
    names: Sequence[str],
    series: Series,
    *,
    nothing: str = NO_TURN,
) -> Chart:
    """One column a day, its names from the floor up in their order. It counts: no line stands between whole figures."""
    largest = max((sum(figures.values()) for figures in series.values()), default=0)
    frame = _frame(days, largest, smallest_step=1)
    bars = [bar for index, day in enumerate(days) for bar in _column(frame, index, names, series.get(day, {}), unit)]
    return _chart(title, unit, frame, names, series, bars=tuple(bars), nothing=nothing)


def lines(title: str, unit: str, days: Sequence[datetime.date], names: Sequence[str], series: Series) -> Chart:
    shown = [figures[name] for figures in series.values() for name in names if name in figures]
    frame = _frame(days, max(shown, default=0))
    drawn = tuple(_line(frame, number, name, series, unit) for number, name in enumerate(names))
    return _chart(title, unit, frame, names, series, lines=drawn)


def _frame(days: Sequence[datetime.date], largest: float, *, smallest_step: float = 0) -> _Frame:
    step = round_step(largest, smallest_step)
    return _Frame(days, step, max(1, math.ceil(round(largest / step, 9))))


def round_step(largest: float, smallest: float = 0) -> float:
    """The next of 1, 2, 5 times a power of ten of which few reach ``largest``: so each line is at a round figure."""
    power = -3
    while True:
        for factor in (1, 2, 5):
            step = float(f"{factor}e{power}")
            if step >= smallest and step * GRID_STEPS >= largest:
                return step
        power += 1


def written(figure: float) -> str:
    """Short, and never more exact than it is worth reading."""
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


def _chart(
    title: str,
    unit: str,
    frame: _Frame,
    names: Sequence[str],
    series: Series,
    bars: tuple[Bar, ...] = (),
    lines: tuple[Line, ...] = (),
    nothing: str = NO_TURN,
) -> Chart:
    shown = sorted(day for day in series if day in set(frame.days))
    return Chart(
        title=title,
        unit=unit,
        names=tuple(names),
        bars=bars,
        lines=lines,
        scale=tuple(_scale(frame)),
        days=tuple(_day_labels(frame)),
        rows=tuple((day, tuple(series[day].get(name) for name in names)) for day in shown),
        nothing=nothing,
    )


def _column(frame: _Frame, index: int, names: Sequence[str], figures: Mapping[str, float], unit: str) -> list[Bar]:
    bars, below = [], 0.0
    width = round(frame.step * BAR_SHARE, 1)
    for number, name in enumerate(names):
        figure = figures.get(name, 0.0)
        if figure:
            below += figure
            words = _words(frame.days[index], name, figure, unit)
            bars.append(
                Bar(round(frame.x(index) - width / 2, 1), frame.y(below), width, frame.length(figure), number, words)
            )
    return bars


def _line(frame: _Frame, number: int, name: str, series: Series, unit: str) -> Line:
    path, dots, is_begun = [], [], False
    for index, day in enumerate(frame.days):
        figure = series.get(day, {}).get(name)
        if figure is None:
            is_begun = False
            continue
        x, y = frame.x(index), frame.y(figure)
        path.append(f"{'L' if is_begun else 'M'}{x} {y}")
        dots.append((x, y, _words(day, name, figure, unit)))
        is_begun = True
    return Line(" ".join(path), number, tuple(dots))


def _scale(frame: _Frame) -> list[Tick]:
    figures = [frame.grid * part for part in range(frame.lines + 1)]
    return [Tick(frame.y(figure), written(figure)) for figure in figures]


def _day_labels(frame: _Frame) -> list[Tick]:
    every = -(-len(frame.days) // DAY_LABELS)
    return [Tick(frame.x(index), f"{day:%-d %b}") for index, day in enumerate(frame.days) if index % every == 0]


def _words(day: datetime.date, name: str, figure: float, unit: str) -> str:
    return f"{day:%-d %b}, {name}: {written(figure)} {unit}"
