"""What each pass of the compiler did to a program: time, steps and nodes, as a table.

    >>> print(explain_passes("script.py"))
    pass                           time   steps   nodes
    a computation on cpu        14.1 ms
      simplify                  0.21 ms       3   19 -> 12
      ...

Caches are left aside, so that every pass runs. `--json` has each step too: the rule, where it is written, the
line of the script that made the node, and what was exchanged for what.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..graph.origin import tracking
from ..graph.rewriting.passes import PassRun, Step, Watch, watch
from ..graph.verify import describe
from ..runtime.watch.debug import time_text
from .report import run_script

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass
class Passes:
    """Every pass that ran, in order."""

    runs: list[PassRun]

    def as_dict(self) -> dict[str, Any]:
        """Everything there is to tell, for machines."""
        return {"passes": [_as_dict(run) for run in self.runs]}

    def __rich__(self) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        if not self.runs:
            return "nothing was compiled: a tensor is compiled when it is realised or read"
        table = Table()
        table.add_column("pass", no_wrap=True)
        for name in ("time", "steps", "nodes"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("rules that fired, and how often", overflow="fold")
        for run in self.runs:
            nodes = f"{run.nodes_before} -> {run.nodes_after}" if run.source else ""
            steps = str(len(run.steps)) if run.source else ""
            label = Text("  " * run.depth + run.name, style="" if run.depth else "bold")
            table.add_row(label, time_text(run.seconds), steps, nodes, Text(_fired(run.steps), "dim"))
        return table

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=160).print(self)
        return text.getvalue()


def explain_passes(target: Callable[[], object] | str | Path, arguments: Sequence[str] = ()) -> Passes:
    """Run a function without arguments, or a script with these, and tell what the passes did."""
    with watch(Watch(record=True)) as seen, tracking():
        if callable(target):
            target()
        else:
            run_script(Path(target), arguments)
    return Passes(seen.passes)


def _fired(steps: list[Step]) -> str:
    """Each rule once, with the times it fired and the script's lines it changed."""
    counts: dict[str, tuple[int, dict[str, None]]] = {}
    for step in steps:
        number, lines = counts.get(step.rule, (0, {}))
        counts[step.rule] = (number + 1, lines | ({step.line: None} if step.line else {}))
    return "\n".join(
        f"{number} x {rule}"
        + (f"   ({', '.join(list(lines)[:4])}{' ...' if len(lines) > 4 else ''})" if lines else "")
        for rule, (number, lines) in counts.items()
    )


def _as_dict(run: PassRun) -> dict[str, Any]:
    steps = [
        {
            "rule": step.rule,
            "source": step.source,
            "line": step.line,
            "before": describe(step.before),
            "after": describe(step.after),
        }
        for step in run.steps
    ]
    return {
        "name": run.name,
        "depth": run.depth,
        "source": run.source,
        "seconds": run.seconds,
        "nodes_before": run.nodes_before,
        "nodes_after": run.nodes_after,
        "steps": steps,
    }
