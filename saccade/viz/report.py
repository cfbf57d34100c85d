"""A run as one HTML file that needs nothing else: table, plots, confusion with counts, worst episodes.

    write_report(RunFolder.open(Path("runs/first")), None)      # runs/first/report.html

In: a run folder, finished or not. Out: a file without scripts and without addresses of others, which can be
mailed and printed. Plots are those of `saccade plots`, as SVG in the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np

from saccade.experiment.engine.episode import EpisodeRow
from saccade.experiment.errors import RunError, explain
from saccade.experiment.record.record import RunFolder
from saccade.experiment.report import metrics
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.charts import Lines
from saccade.experiment.report.compare import judged_rows
from saccade.experiment.report.plots import charts_of, read_trace
from saccade.experiment.report.report import COLUMNS, cells, number
from saccade.experiment.run import summarise
from saccade.files import atomic
from saccade.viz.picture import episode_picture
from saccade.viz.views.minds import RunView

#: Episodes that are told one by one, those of them with a picture, and the curves of a picture.
MOST_EPISODES: Final = 50
MOST_PICTURES: Final = 12
MOST_CURVES: Final = 5
#: A matrix of more objects than this is too wide for a page; its mistakes are listed instead.
MOST_NAMES: Final = 60

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #606873; --line: #e1e5ea;
  --bad: #b4501c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14171b; --quiet: #9aa4b0;
  --line: #2c323a; --bad: #e58a52; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1080px;
  margin: 0 auto; padding: 24px 16px 60px; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 18px; margin: 36px 0 10px; }
p.quiet, small { color: var(--quiet); } .wrong { color: var(--bad); font-weight: 600; }
div.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: var(--quiet); font-weight: 600; }
table.confusion td { text-align: center; min-width: 26px; padding: 4px 6px; }
table.confusion th.up { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(440px, 100%), 1fr)); gap: 16px; }
.plots figure, figure { margin: 0; border: 1px solid var(--line); border-radius: 8px; padding: 10px;
  background: #fff; }
svg { max-width: 100%; height: auto; }
"""


def write_report(folder: RunFolder, out: Path | None) -> Path:
    """Write the report of a run: into its folder, or where it is asked for."""
    path = out or folder.path / "report.html"
    text = report(folder)
    try:
        atomic.write_bytes(path, text.encode("utf-8", "replace"))
    except OSError as error:
        if out is not None:
            raise RunError(f"cannot write {path}: {error.strerror or error}; choose another --out") from None
        raise explain(error, "report", folder.path) from None
    return path


def report(folder: RunFolder) -> str:
    """The whole page."""
    rows = judged_rows(folder)
    summary = folder.summary() or {"complete": False, **summarise(folder.config, folder.rows())}
    parts = [
        f"<h1>{escape(str(summary['name']))}</h1>",
        f'<p class="quiet">{escape(_about(folder, rows, bool(summary["complete"])))}</p>',
        "<h2>Results</h2>",
        _table(COLUMNS, _figures(summary)),
    ]
    if rows:
        parts += ["<h2>Objects</h2>", _objects(rows), "<h2>Taken for</h2>", _confusion(rows)]
        parts += ["<h2>Plots</h2>", _plots(folder), "<h2>Worst episodes</h2>", *_worst(folder, rows)]
    else:
        parts.append("<p>No episode that asked for an object has ended yet.</p>")
    title = escape(f"{summary['name']}: report")
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"{head}{view}<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"


def essentials(folder: RunFolder) -> dict[str, Any]:
    """The same for machines and terminals: figures, mistakes by how often they were made, worst episodes."""
    rows = judged_rows(folder)
    summary = folder.summary() or {"complete": False, **summarise(folder.config, folder.rows())}
    mistakes = [
        {"shown": shown, "reported": reported, "times": times}
        for (shown, reported), times in metrics.confusion(rows).most_common()
        if any(
            row.object == shown and (row.detected or "none") == reported and not row.correct for row in rows
        )
    ]
    told = ("id", "object", "detected", "ending", "correct", "steps", "rotation_error")
    worst = [{name: getattr(row, name) for name in told} for row in worst_first(rows)[:MOST_EPISODES]]
    return {**summary, "mistakes": mistakes, "worst": worst}


def worst_first(rows: Iterable[EpisodeRow]) -> list[EpisodeRow]:
    """Wrong ones, then those whose pose is off most, then the longest."""

    def badness(row: EpisodeRow) -> tuple[bool, float, int, str]:
        off = row.rotation_error if math.isfinite(row.rotation_error) else 0.0
        return (row.correct, -off, -row.steps, row.id)

    return sorted(rows, key=badness)


def _about(folder: RunFolder, rows: Sequence[EpisodeRow], complete: bool) -> str:
    wrong = sum(not row.correct for row in rows)
    state = "complete" if complete else "not complete"
    return f"{folder.path.name}: {len(rows)} episodes, {wrong} wrong; the run is {state}"


def _figures(summary: dict[str, Any]) -> list[list[str]]:
    lines = []
    for phase, figures in summary["results"].items():
        timing = summary["timing"].get(phase, {})
        lines.append(cells(f"{summary['name']}: {phase}", {**figures, **timing}))
    return lines


def _table(heads: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Cells are text."""
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _objects(rows: Sequence[EpisodeRow]) -> str:
    heads = ("object", "episodes", "correct %", "match steps", "rotation error °")
    worst = sorted(metrics.by_object(rows).items(), key=lambda item: (item[1].correct, item[0]))
    lines = [
        (name, str(m.episodes), number(m.correct), number(m.match_steps), number(m.rotation_error))
        for name, m in worst
    ]
    return _table(heads, lines)


def _confusion(rows: Sequence[EpisodeRow]) -> str:
    """How often each object was taken for which, as a matrix; of many objects the mistakes alone."""
    counts = metrics.confusion(rows)
    shown = sorted({pair[0] for pair in counts})
    reported = [*shown, *sorted({pair[1] for pair in counts} - set(shown))]
    if len(reported) > MOST_NAMES:
        mistakes = [(a, b, str(times)) for (a, b), times in counts.most_common() if a != b][:200]
        return _table(("shown", "reported", "times"), mistakes)
    heads = "".join(f'<th class="up" scope="col">{escape(name)}</th>' for name in reported)
    lines = []
    for name in shown:
        total = sum(counts[(name, other)] for other in reported)
        line = "".join(_cell(counts[(name, other)], total, name == other) for other in reported)
        lines.append(f'<tr><th scope="row">{escape(name)}</th>{line}</tr>')
    scale = '<p class="quiet">shown down, reported across; a darker cell is a larger share of its row</p>'
    head, body = f"<thead><tr><td></td>{heads}</tr></thead>", f"<tbody>{''.join(lines)}</tbody>"
    return f'{scale}<div class="wide"><table class="confusion">{head}{body}</table></div>'


def _cell(count: int, total: int, right: bool) -> str:
    if not count:
        return "<td></td>"
    colour = "47,109,176" if right else "200,100,42"
    return f'<td style="background:rgba({colour},{0.15 + 0.65 * count / total:.2f})">{count}</td>'


def _plots(folder: RunFolder) -> str:
    charts = {name: chart for name, chart in charts_of(folder).items() if name != "confusion"}
    pictures = [f"<figure>{_svg(render([chart], 'svg'))}</figure>" for chart in charts.values()]
    return f'<div class="plots">{"".join(pictures)}</div>'


def _svg(picture: bytes) -> str:
    return picture.decode("utf-8")


def _worst(folder: RunFolder, rows: Sequence[EpisodeRow]) -> list[str]:
    chosen = worst_first(rows)[:MOST_EPISODES]
    heads = ("episode", "object", "reported", "ending", "steps", "rotation error °")
    lines = [
        (
            row.id,
            row.object,
            row.detected or "nothing",
            row.ending,
            str(row.steps),
            number(row.rotation_error),
        )
        for row in chosen
    ]
    parts = [_table(heads, lines)]
    traced = [row for row in chosen if folder.trace_path(row.id).exists()][:MOST_PICTURES]
    if not traced:
        parts.append('<p class="quiet">Run with --traces to see the evidence of these episodes here.</p>')
        return parts
    run = RunView(folder.path)
    figures = [part for row in traced for part in (_picture(run, row), _evidence(folder, row))]
    parts.append(f'<div class="plots" style="margin-top:16px">{"".join(figures)}</div>')
    return parts


def _picture(run: RunView, row: EpisodeRow) -> str:
    """The object, where the sensors were, and what was believed at the end."""
    try:
        return f"<figure>{episode_picture(run, row.id)}</figure>"
    except (RunError, KeyError, ValueError, OSError) as error:
        return f'<figure><p style="color:#606873">{escape(row.id)}: {escape(str(error))}</p></figure>'


def _evidence(folder: RunFolder, row: EpisodeRow) -> str:
    """The evidence of the object that was shown, of the one reported and of the strongest others."""
    try:
        trace = read_trace(folder.trace_path(row.id))
        values, names = np.asarray(trace["object_evidence"], np.float64), [str(n) for n in trace["objects"]]
        if values.ndim != 2 or values.shape[1] != len(names):
            raise ValueError("its arrays do not fit")
    except (RunError, KeyError, ValueError) as error:
        return f'<figure><p style="color:#606873">{escape(row.id)}: {escape(str(error))}</p></figure>'
    finite = np.where(np.isfinite(values), values, -np.inf)
    order = sorted(range(len(names)), key=lambda n: -finite[:, n].max(initial=-np.inf))
    first = [n for n in (names.index(x) if x in names else -1 for x in (row.object, row.detected)) if n >= 0]
    drawn = list(dict.fromkeys([*first, *order]))[:MOST_CURVES]
    lines = tuple((tuple(map(float, values[:, n])), place) for place, n in enumerate(drawn))
    verdict = "recognised" if row.correct else f"taken for {row.detected or 'nothing'}"
    title = f"{row.id}: {row.object}, {verdict}"
    chart = Lines(title, "step", lines, labels=tuple(names[n] for n in drawn), y="evidence")
    return f"<figure>{_svg(render([chart], 'svg'))}</figure>"
