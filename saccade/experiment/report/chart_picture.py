"""Charts as pictures: SVG without any library, PNG where matplotlib is installed.

In: a row of charts. Out: the bytes of a picture.

    render([Bars("correct %", ("mug", "can"), (100.0, 90.0), limit=100.0)], "svg")
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.experiment.report.chart_png import render_png
from saccade.experiment.report.chart_svg import render_svg
from saccade.experiment.report.charts import Chart


def render(charts: Sequence[Chart], picture: str) -> bytes:
    """The picture of some charts side by side; `picture` is svg or png."""
    if not charts:
        raise ValueError("a picture needs at least one chart")
    if picture not in ("svg", "png"):
        raise ValueError(f"cannot draw {picture!r} pictures: use svg or png")
    return render_svg(charts) if picture == "svg" else render_png(charts)
