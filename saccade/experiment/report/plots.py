"""Pictures of runs: accuracy, steps, rotation error, evidence over steps, confusion.

In: a run folder, or a comparison of several. Out: paths of SVG files (PNG with matplotlib) in its `plots`
folder.

    draw_run(folder, progress)           # [runs/first/plots/accuracy.svg, ...]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from saccade.experiment.engine.episode import EpisodeRow, Trace
from saccade.experiment.errors import RunError, explain
from saccade.experiment.progress import Progress
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report import metrics
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.chart_png import PictureError
from saccade.experiment.report.charts import Bars, Chart, Grid, Histogram, Lines
from saccade.experiment.report.compare import Comparison, judged_rows
from saccade.files import atomic
from saccade.files.npz import NPZ_BYTES, read_npz
from saccade.files.reading import read_bytes, reading

TRACED_EPISODES = 8  # more lines than this cannot be told apart
GRID_NAMES = 500  # a grid of more names than this cannot be read, and takes the square of their number
MOST_STEPS = 1_000_000  # of an episode, as eval.max_steps


def accuracy(rows: Sequence[EpisodeRow]) -> Bars:
    """Correct % per object, the worst first."""
    figures = sorted(metrics.by_object(rows).items(), key=lambda item: (item[1].correct, item[0]))
    names = tuple(name for name, _ in figures)
    values = tuple(each.correct for _, each in figures)
    return Bars("correct % (line: mean)", names, values, limit=100.0, mark=metrics.measure(rows).correct)


def steps(rows: Sequence[EpisodeRow]) -> Histogram:
    matched = tuple(float(row.steps) for row in rows if row.ending == "match")
    others = tuple(float(row.steps) for row in rows if row.ending != "match")
    limit = max([*matched, *others, 1.0])
    return Histogram("steps per episode", "steps", (("match", matched), ("other", others)), limit)


def rotation_error(rows: Sequence[EpisodeRow]) -> Histogram:
    right = [row for row in rows if row.correct and math.isfinite(row.rotation_error)]
    plain = tuple(row.rotation_error for row in right if not row.symmetric)
    symmetric = tuple(row.rotation_error for row in right if row.symmetric)
    series = (("no symmetry", plain), ("up to symmetry", symmetric))
    return Histogram("rotation error of correct episodes", "degrees", series, 180.0, 36)


def confusion(rows: Sequence[EpisodeRow]) -> Grid:
    counts = metrics.confusion(rows)
    shown = tuple(sorted({pair[0] for pair in counts}))
    reported = (*shown, *sorted({pair[1] for pair in counts} - set(shown)))
    totals = {name: sum(counts[(name, other)] for other in reported) for name in shown}
    shares = tuple(tuple(counts[(name, other)] / totals[name] for other in reported) for name in shown)
    numbers = tuple(tuple(counts[(name, other)] for other in reported) for name in shown)
    return Grid("shown (down) and reported (across), episodes", shown, reported, shares, numbers)


def learning(rows: Sequence[EpisodeRow]) -> Lines:
    values = tuple(each.correct for each in metrics.by_epoch(rows).values())
    return Lines("correct %, epoch by epoch", "epoch", ((values, 0),), limit=100.0, y="correct %")


def evidence(folder: RunFolder, rows: Sequence[EpisodeRow]) -> Lines | None:
    """Best object and second one over the steps of the first traced episodes; None without traces."""
    lines: list[tuple[tuple[float, ...], int]] = []
    for row in rows:
        path = folder.trace_path(row.id)
        if len(lines) >= 2 * TRACED_EPISODES or not path.exists():
            continue
        trace = read_trace(path)
        for colour, name in enumerate(("best_evidence", "second_evidence")):
            if name in trace:
                lines.append((tuple(map(float, trace[name])), colour))
    labels = ("best object", "second")
    return (
        Lines("evidence of the first episodes", "step", tuple(lines), y="evidence", labels=labels)
        if lines
        else None
    )


def read_trace(path: Path) -> Trace:
    """The arrays of a trace, of which those that are drawn have a number for each step."""
    with reading(path, RunError, "delete it, and the rest is drawn without it") as place:
        trace = read_npz(read_bytes(path, NPZ_BYTES))
        for name in ("best_evidence", "second_evidence"):
            place.where = f"array {name}"
            values = trace.get(name, np.zeros(0))
            if values.ndim != 1 or values.dtype.kind not in "iuf" or len(values) > MOST_STEPS:
                raise ValueError(f"it has shape {values.shape} and type {values.dtype}, not a number a step")
        return trace


def charts_of(folder: RunFolder) -> dict[str, Chart]:
    """Everything that the rows and traces of a run have something for."""
    rows = judged_rows(folder)
    if not rows:
        return {}
    charts: dict[str, Chart] = {
        "accuracy": accuracy(rows),
        "steps": steps(rows),
        "rotation_error": rotation_error(rows),
    }
    if len({row.object for row in rows} | {row.detected for row in rows}) <= GRID_NAMES:
        charts["confusion"] = confusion(rows)
    if folder.config.train.mode == "unsupervised":
        charts["learning"] = learning([row for row in rows if row.phase == "train"] or rows)
    traced = evidence(folder, rows)
    if traced is not None:
        charts["evidence"] = traced
    return charts


def save(charts: Sequence[Chart], path: Path) -> Path:
    atomic.write_bytes(path, render(charts, path.suffix[1:]))
    return path


def draw_run(folder: RunFolder, progress: Progress) -> list[Path]:
    """Draw a run into its folder; a missing library is noted once and ends nothing."""
    suffix = folder.config.recording.picture
    try:
        return [
            save([chart], folder.plots_path / f"{name}.{suffix}") for name, chart in charts_of(folder).items()
        ]
    except PictureError as error:
        progress.note(f"no pictures: {error}")
        return []
    except OSError as error:
        raise explain(error, "pictures", folder.path) from None


def draw_comparison(comparison: Comparison, path: Path) -> Path:
    """Correct, steps, rotation error and seconds per episode of each run, side by side."""
    if path.suffix not in (".svg", ".png"):
        raise RunError(f"cannot draw {path}: name a file that ends in .svg or .png with --plot")
    columns = {
        "correct %": "correct",
        "match steps": "match_steps",
        "rotation error °": "rotation_error",
        "seconds per episode": "seconds_per_episode",
    }
    charts = [
        Bars(title, comparison.names, tuple(float(getattr(each, name)) for each in comparison.figures))
        for title, name in columns.items()
    ]
    try:
        return save(charts, path)
    except OSError as error:
        reason = error.strerror or error
        raise RunError(f"cannot write {path}: {reason}; choose another place with --plot") from None
