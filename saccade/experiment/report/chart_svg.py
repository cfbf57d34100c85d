"""Draw charts as SVG with nothing but text.

In: charts. Out: the bytes of one SVG file with the charts side by side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from saccade.experiment.report.charts import (
    BLUE,
    COLOURS,
    FAINT,
    INK,
    ORANGE,
    Bars,
    Chart,
    Grid,
    Histogram,
    Lines,
    nice_ceiling,
    shortened,
    size_of,
    ticks,
)


class _Svg:
    """Shapes of one picture, in pixels, y downwards."""

    def __init__(self) -> None:
        self.shapes: list[str] = []

    def rectangle(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        size = f'width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
        self.shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}"/>')

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: float = 1.0) -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.shapes.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        size: int = 11,
        turn: float = 0.0,
        colour: str = INK,
    ) -> None:
        turned = f' transform="rotate({turn:.0f} {x:.1f} {y:.1f})"' if turn else ""
        style = f'text-anchor="{anchor}" font-size="{size}" fill="{colour}"{turned}'
        self.shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>')

    def legend(self, right: float, y: float, names: Sequence[str]) -> None:
        """Side by side, the last ends at `right`."""
        x = right - sum(27.0 + 6.2 * len(name) for name in names)
        for index, name in enumerate(names):
            self.rectangle(x + 12, y - 8, 9, 9, COLOURS[index % len(COLOURS)])
            self.text(x + 25, y, name, size=10)
            x += 27.0 + 6.2 * len(name)


def _draw_bars(svg: _Svg, chart: Bars, left: float, width: float) -> None:
    names = [shortened(name) for name in chart.names]
    label = 8.0 + 6.5 * max(map(len, (*names, "")))
    inner = width - label - 50.0
    finite = [value for value in chart.values if math.isfinite(value)]
    limit = chart.limit or nice_ceiling(max(finite, default=1.0))
    bottom = 34.0 + 18.0 * len(chart.names)
    for tick in ticks(limit):
        x = left + label + inner * tick / limit
        svg.line([(x, 30), (x, bottom)], FAINT)
        svg.text(x, bottom + 14, f"{tick:g}", "middle", 10)
    for index, (name, value) in enumerate(zip(names, chart.values)):
        y = 34.0 + 18.0 * index
        svg.text(left + label - 6, y + 11, name, "end")
        length = inner * min(value, limit) / limit if math.isfinite(value) else 0.0
        svg.rectangle(left + label, y, length, 13, BLUE)
        svg.text(left + label + length + 4, y + 11, f"{value:.3g}" if math.isfinite(value) else "–", size=10)
    if chart.mark is not None and math.isfinite(chart.mark):
        x = left + label + inner * min(chart.mark, limit) / limit
        svg.line([(x, 30), (x, bottom)], ORANGE, 1.5)


def _draw_frame(
    svg: _Svg, left: float, width: float, x_limit: float, y_limit: float, x_title: str, counted: str = ""
) -> None:
    """Axes with round numbers; `counted` names what the numbers beside the chart are numbers of."""
    svg.text(left, 32, counted, size=10)
    for tick in ticks(y_limit, whole=bool(counted)):
        y = 210.0 - 170.0 * tick / y_limit
        svg.line([(left + 45, y), (left + width - 15, y)], FAINT)
        svg.text(left + 40, y + 4, f"{tick:g}", "end", 10)
    for tick in ticks(x_limit, whole=x_limit == int(x_limit)):
        svg.text(left + 45 + (width - 60) * tick / x_limit, 225, f"{tick:g}", "middle", 10)
    svg.text(left + 45 + (width - 60) / 2, 243, x_title, "middle")


def _draw_histogram(svg: _Svg, chart: Histogram, left: float, width: float) -> None:
    counts = chart.counts()
    top = nice_ceiling(max((sum(column) for column in zip(*counts)), default=1))
    _draw_frame(svg, left, width, chart.limit, top, chart.x, chart.y)
    step = (width - 60) / chart.bins
    for position, column in enumerate(zip(*counts)):
        base = 210.0
        for index, count in enumerate(column):
            height = 170.0 * count / top
            base -= height
            svg.rectangle(left + 45 + step * position, base, step - 1, height, COLOURS[index % len(COLOURS)])
    svg.legend(left + width - 5, 32, [name for name, _ in chart.series])


def _draw_lines(svg: _Svg, chart: Lines, left: float, width: float) -> None:
    longest = max((len(values) for values, _ in chart.lines), default=2)
    places = chart.places or tuple(range(longest))
    x_limit = nice_ceiling(max(chart.places)) if chart.places else max(longest - 1, 1)
    highest = max(
        (value for values, _ in chart.lines for value in values if math.isfinite(value)), default=1.0
    )
    y_limit = chart.limit or nice_ceiling(highest)
    _draw_frame(svg, left, width, x_limit, y_limit, chart.x)
    svg.text(left, 32, chart.y, size=10)
    if chart.labels:
        svg.legend(left + width - 5, 32, [shortened(label, 14) for label in chart.labels])
    for values, colour in chart.lines:
        points = [
            (left + 45 + (width - 60) * x / x_limit, 210.0 - 170.0 * min(max(value, 0.0), y_limit) / y_limit)
            for x, value in zip(places, values)
            if math.isfinite(value)
        ]
        svg.line(points, COLOURS[colour % len(COLOURS)], 1.4)
        if len(points) == 1:  # a line without a length cannot be seen
            svg.rectangle(points[0][0] - 2, points[0][1] - 2, 4, 4, COLOURS[colour % len(COLOURS)])


def _shade(share: float) -> str:
    """Nearly white at 0, so that empty cells can be followed by eye, the dark end of blue at 1."""
    light, dark = (243, 245, 248), (24, 62, 108)
    return "#" + "".join(f"{round(w + (d - w) * min(max(share, 0.0), 1.0)):02x}" for w, d in zip(light, dark))


def _short(count: int) -> str:
    """A count in the three characters that a cell has."""
    return str(count) if count < 1000 else f"{min(count // 1000, 99)}k"


def _draw_grid(svg: _Svg, chart: Grid, left: float, width: float) -> None:
    label = 7.0 * max(len(shortened(name)) for name in (*chart.rows, *chart.columns, ""))
    for i, (name, shares) in enumerate(zip(chart.rows, chart.values)):
        y = 34.0 + 20.0 * i
        svg.text(left + label - 4, y + 14, shortened(name), "end")
        for j, share in enumerate(shares):
            svg.rectangle(left + label + 20.0 * j, y, 19, 19, _shade(share))
            if chart.counts and chart.counts[i][j]:
                colour = "#ffffff" if share > 0.45 else INK
                svg.text(
                    left + label + 20.0 * j + 9.5,
                    y + 13,
                    _short(chart.counts[i][j]),
                    "middle",
                    9,
                    colour=colour,
                )
    for j, name in enumerate(chart.columns):
        svg.text(
            left + label + 20.0 * j + 13, 40.0 + 20.0 * len(chart.rows), shortened(name), "end", turn=-90
        )


def render_svg(charts: Sequence[Chart]) -> bytes:
    svg, left = _Svg(), 10.0
    sizes = [size_of(chart) for chart in charts]
    for chart, (width, _) in zip(charts, sizes):
        svg.text(left, 18, chart.title, size=13)
        if isinstance(chart, Bars):
            _draw_bars(svg, chart, left, width)
        elif isinstance(chart, Histogram):
            _draw_histogram(svg, chart, left, width)
        elif isinstance(chart, Lines):
            _draw_lines(svg, chart, left, width)
        else:
            _draw_grid(svg, chart, left, width)
        left += width + 10.0
    height = max(height for _, height in sizes)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left:.0f} {height:.0f}" '
        f'width="{left:.0f}" height="{height:.0f}" font-family="system-ui, sans-serif">'
    )
    background = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, background, *svg.shapes, "</svg>", ""]).encode()
