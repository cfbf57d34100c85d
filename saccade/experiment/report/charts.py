"""Charts as data: `Bars`, `Histogram`, `Lines` and `Grid`, and what every way to draw them needs.

    Bars("correct %", ("mug", "can"), (100.0, 90.0), limit=100.0)

`chart_picture` draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass

BLUE, ORANGE, GREY, INK, FAINT = "#3b6ea5", "#d9822b", "#a7adb5", "#22262b", "#e4e7eb"
COLOURS = (BLUE, GREY, ORANGE, "#5a9367", "#8d5a97")


@dataclass(frozen=True)
class Bars:
    """Horizontal bars, one per name; `mark` is a line across all of them."""

    title: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    limit: float | None = None
    mark: float | None = None


@dataclass(frozen=True)
class Histogram:
    """How many values (`y` says of what) lie in equal bins from 0 to `limit`, several series stacked."""

    title: str
    x: str
    series: tuple[tuple[str, tuple[float, ...]], ...]
    limit: float
    bins: int = 30
    y: str = "episodes"

    def counts(self) -> list[list[int]]:
        """Per series, how many values fall into each bin; the last bin includes the limit."""
        result = []
        for _, values in self.series:
            filled = [0] * self.bins
            for value in values:
                share = min(max(value / self.limit, 0.0), 1.0)
                filled[min(self.bins - 1, int(share * self.bins))] += 1
            result.append(filled)
        return result


@dataclass(frozen=True)
class Lines:
    """Lines over `places`, or over 0, 1, 2, ... without them; each with the index of its colour. `y` says
    what is drawn, `labels` name the colours from the first on."""

    title: str
    x: str
    lines: tuple[tuple[tuple[float, ...], int], ...]
    limit: float | None = None
    places: tuple[float, ...] = ()
    y: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """A matrix of shares in 0..1, darker is more; `counts`, where given, are written into its cells."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    counts: tuple[tuple[int, ...], ...] = ()


Chart = Bars | Histogram | Lines | Grid


def size_of(chart: Chart) -> tuple[float, float]:
    """Width and height of a chart with its labels, in pixels."""
    if isinstance(chart, Bars):
        return 460.0, 60.0 + 18.0 * len(chart.names)
    if isinstance(chart, Grid):
        label = 7.0 * max(len(shortened(name)) for name in (*chart.rows, *chart.columns, ""))
        width = max(label + 40.0 + 20.0 * len(chart.columns), 8.0 * len(chart.title))
        return width, label + 60.0 + 20.0 * len(chart.rows)
    return 460.0, 260.0


def nice_ceiling(value: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `value`."""
    if not math.isfinite(value) or value < 1e-300:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(
        step * power for step in (1.0, 2.0, 2.5, 5.0, 10.0, 20.0) if step * power >= value * (1 - 1e-12)
    )


def ticks(limit: float, whole: bool = False) -> list[float]:
    """At most six round numbers from 0 to `limit`, steps of 1, 2 or 5 times a power of ten apart; without
    fractions if `whole`."""
    power = 10.0 ** math.floor(math.log10(limit / 5))
    step = next(power * s for s in (1.0, 2.0, 5.0, 10.0) if power * s >= limit / 5 * (1 - 1e-12))
    if whole:
        step = max(step, 1.0)
    return [step * i for i in range(int(limit / step * (1 + 1e-12)) + 1)]


def shortened(name: str, most: int = 32) -> str:
    """A name of at most so many characters, the middle left out of longer ones.

    >>> shortened("contributions-kitchen-mug-with-a-handle", 20)
    'contributi…-a-handle'
    """
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"
