"""How the cost of a step grows: `python -m bench.evidence --scale FILE.svg`.

From a case, the numbers of objects, of hypotheses per object and of modules are doubled three times, one
at a time; the CPU time of a step (all threads) is drawn over each, beside the line in proportion.
CPU time, because it says the same on a machine that others use. `exponents` are the slopes of the
fitted lines in logarithms: 1 is linear.

    in   EvidenceCase, the smallest sizes
    out  a picture, and the figures as one flat report
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence_data import make_workload
from bench.evidence_ours import EvidenceCase, Ours
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.charts import Lines

FACTORS = (1, 2, 4, 8)
AXES = ("objects", "hypotheses", "modules")


def cpu_ms(case: EvidenceCase) -> float:
    """CPU milliseconds of a step, the median after two for warming up."""
    engine = Ours(case, make_workload(case.objects, case.nodes, case.steps, case.seed))
    spent = [engine.step(t).cpu for t in range(case.steps)]
    return float(np.median(spent[2:]) * 1e3)


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of the costs over the sizes, both in logarithms.

    >>> exponent([1, 2, 4], [3.0, 6.0, 12.0])
    1.0
    """
    return round(float(np.polyfit(np.log(sizes), np.log(costs), 1)[0]), 3)


def chart_of(axis: str, sizes: Sequence[int], costs: Sequence[float]) -> Lines:
    proportional = tuple(costs[0] * size / sizes[0] for size in sizes)
    title = f"CPU ms a step over {axis} (grey: in proportion)"
    return Lines(title, axis, ((proportional, 1), (tuple(costs), 0)), places=tuple(map(float, sizes)))


def scale_to(case: EvidenceCase, picture: Path) -> dict[str, Any]:
    """Measure, draw, and report {axis: {size: milliseconds}} and the exponents."""
    costs: dict[str, dict[int, float]] = {}
    for axis in AXES:
        sizes = [getattr(case, axis) * factor for factor in FACTORS]
        costs[axis] = {size: round(cpu_ms(replace(case, **{axis: size})), 2) for size in sizes}
    charts = [chart_of(axis, list(found), list(found.values())) for axis, found in costs.items()]
    picture.write_bytes(render(charts, "svg"))
    exponents = {axis: exponent(list(found), list(found.values())) for axis, found in costs.items()}
    return {**case.__dict__, "cpu_ms_per_step": costs, "exponents": exponents, "picture": str(picture)}
