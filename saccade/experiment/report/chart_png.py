"""Draw charts as PNG with matplotlib, an extra.

In: charts. Out: the bytes of one PNG file with the charts side by side, or a `PictureError` that names the
extra.
"""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Callable, Sequence
from typing import Any

from saccade.experiment.report.charts import (
    BLUE,
    COLOURS,
    INK,
    ORANGE,
    Bars,
    Chart,
    Histogram,
    Lines,
    shortened,
    size_of,
)


class PictureError(ImportError):
    """A picture format whose library is missing."""


def _plot(axes: Any, chart: Chart) -> None:
    """One chart on matplotlib's axes."""
    axes.set_title(chart.title, loc="left", fontsize=11)
    if isinstance(chart, Bars):
        names = [shortened(name) for name in chart.names]
        axes.barh(
            range(len(names)), [value if math.isfinite(value) else 0.0 for value in chart.values], color=BLUE
        )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, chart.limit)
        if chart.mark is not None and math.isfinite(chart.mark):
            axes.axvline(chart.mark, color=ORANGE)
    elif isinstance(chart, Histogram):
        width = chart.limit / chart.bins
        base = [0] * chart.bins
        for index, counts in enumerate(chart.counts()):
            places = [width * (i + 0.5) for i in range(chart.bins)]
            label = chart.series[index][0]
            axes.bar(places, counts, width * 0.95, base, color=COLOURS[index % len(COLOURS)], label=label)
            base = [a + b for a, b in zip(base, counts)]
        axes.legend(frameon=False)
        axes.set_xlabel(chart.x)
        axes.set_ylabel(chart.y)
        axes.yaxis.get_major_locator().set_params(integer=True)
    elif isinstance(chart, Lines):
        for values, colour in chart.lines:
            axes.plot(
                chart.places[: len(values)] or range(len(values)),
                values,
                color=COLOURS[colour % len(COLOURS)],
                linewidth=1.2,
                marker="s" if len(values) == 1 else None,
                markersize=4,
                label=chart.labels[colour] if colour < len(chart.labels) else None,
            )
        if chart.labels:
            axes.legend(frameon=False)
        axes.set_ylabel(chart.y)
        axes.set_ylim(0, chart.limit)
        axes.set_xlabel(chart.x)
    else:
        axes.imshow(chart.values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(chart.columns)), map(shortened, chart.columns), rotation=90, fontsize=7)
        axes.set_yticks(range(len(chart.rows)), map(shortened, chart.rows), fontsize=7)
        for i, line in enumerate(chart.counts):
            for j, count in enumerate(line):
                shade = "white" if chart.values[i][j] > 0.45 else INK
                axes.text(
                    j, i, str(count) if count else "", ha="center", va="center", fontsize=6, color=shade
                )


def render_png(charts: Sequence[Chart]) -> bytes:
    try:
        figure_class: Callable[..., Any] = importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise PictureError(
            "PNG pictures need matplotlib: pip install 'saccade[plot]'; SVG pictures need nothing"
        ) from None
    sizes = [size_of(chart) for chart in charts]
    inches = (sum(width for width, _ in sizes) / 80, max(height for _, height in sizes) / 80)
    figure = figure_class(figsize=inches)
    for axes, chart in zip(figure.subplots(1, len(charts), squeeze=False)[0], charts):
        _plot(axes, chart)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=130, bbox_inches="tight")
    return buffer.getvalue()
