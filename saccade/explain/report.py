"""What the compiler made of a program: its kernels, why each is one, what they do beside the least possible.

    >>> print(explain(lambda: x.softmax(1).numpy()))        # or explain("script.py")
    computation 1 on cpu: 1 kernel, run once
      kernel, why it is one, its moves     time   bytes   GB/s    FLOP   GFLOP/s
      add_4096x4096                      8.1 ms   134 M   16.5    67 M       8.3
      asked for
      split 1 16 vector, bind 0 parallel
      least possible                              134 M           67 M

Bytes count every buffer a kernel touches once. The last line is the floor of the whole computation: inputs
read once, results written once, nothing computed twice. Of several runs the best times count. With
`ceilings=True`, as on the command line, a line more tells what the device was measured to reach: the rate of
a copy and of matrix products.
"""

from __future__ import annotations

import io
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runtime.watch.debug import Run, listening, rate, size_text, time_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from ..ceilings import Ceilings
    from ..runtime.recipe import Recipe
    from ..schedule.kernel_graph import KernelGraph


@dataclass
class Computation:
    """A computation and the times of its launches, the best of all its runs."""

    recipe: Recipe
    device: str
    seconds: tuple[float, ...]
    #: its kernels and the memory between them
    graph: KernelGraph
    runs: int = 1

    def add(self, run: Run) -> None:
        self.runs += 1
        self.seconds = tuple(map(min, self.seconds, run.seconds))

    def as_dict(self) -> dict[str, Any]:
        timed = len(self.seconds) == len(self.graph.items)
        told = self.graph.to_data()
        for number, kernel in enumerate(told["kernels"]):
            kernel["moves"] = list(self.recipe.steps[number].notes.moves)
            kernel["seconds"] = self.seconds[number] if timed else None
        floor = {"bytes": self.recipe.floor.nbytes, "flops": self.recipe.floor.operations}
        return {"device": self.device, "runs": self.runs, "least": floor, **told}


@dataclass
class Explanation:
    """Everything that ran, in the order it first did."""

    computations: list[Computation]
    #: what each device reaches, where that was asked for
    ceilings: dict[str, Ceilings] = field(default_factory=dict)

    @property
    def kernels(self) -> int:
        return sum(len(c.graph.items) for c in self.computations)

    def as_dict(self) -> dict[str, Any]:
        """Everything the tables say, for machines."""
        ceilings = {
            device: {"copy_bytes_per_second": c.copy, "flops_per_second": dict(c.products)}
            for device, c in self.ceilings.items()
        }
        return {"computations": [c.as_dict() for c in self.computations], "ceilings": ceilings}

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        if not self.computations:
            return "nothing was computed: a tensor is computed when it is realised or read"
        tables = [_table(n, c, self.ceilings.get(c.device)) for n, c in enumerate(self.computations, 1)]
        return Group(*tables)

    def __str__(self) -> str:
        from rich.console import Console

        text = io.StringIO()
        Console(file=text, width=160).print(self)
        return text.getvalue()


def explain(
    target: Callable[[], object] | str | Path, arguments: Sequence[str] = (), ceilings: bool = False
) -> Explanation:
    """Run a function without arguments, or a script with these, and tell what was computed; with `ceilings`,
    also what the devices reach at most, which takes about a second for each."""
    with listening() as runs:
        if callable(target):
            target()
        else:
            run_script(Path(target), arguments)
    made = Explanation(_computations(runs))
    if ceilings:
        from ..ceilings import ceilings as measured

        made.ceilings = {c.device: measured(c.device) for c in made.computations}
    return made


def _computations(runs: list[Run]) -> list[Computation]:
    """What ran, each computation once, with its kernels scheduled again: a recipe from a cache has forgotten
    them."""
    from ..tensor.programs.prepare import scheduled

    found: dict[int, Computation] = {}
    for run in runs:
        if id(run.recipe) in found:
            found[id(run.recipe)].add(run)
        else:
            graph = scheduled(run.form, run.device)
            found[id(run.recipe)] = Computation(run.recipe, run.device, run.seconds, graph)
    return list(found.values())


class ScriptError(ValueError):
    """The script that was given raised an exception."""


def run_script(script: Path, arguments: Sequence[str]) -> None:
    """Run a Python file as `python script.py arguments` would, in this process. What it raises is told as
    Python would, from the script on."""
    if not script.is_file():
        raise FileNotFoundError(f"there is no script {str(script)!r}: give the path of a Python file")
    before = sys.argv, sys.path[:]
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as ended:
        if ended.code not in (None, 0):
            print(f"{script} ended with {ended.code}", file=sys.stderr)
    except Exception as error:
        told = traceback.TracebackException.from_exception(error)
        own = [n for n, frame in enumerate(told.stack) if frame.filename == str(script)]
        told.stack = traceback.StackSummary.from_list(told.stack[own[0] if own else len(told.stack) :])
        print("".join(told.format()), end="", file=sys.stderr)
        raise ScriptError(f"{script} raised {type(error).__name__}, told above") from error
    finally:
        sys.argv, sys.path[:] = before


def _table(number: int, computation: Computation, most: Ceilings | None) -> Table:
    from rich.table import Table
    from rich.text import Text

    recipe, graph = computation.recipe, computation.graph
    count = f"{len(graph.items)} kernel{'' if len(graph.items) == 1 else 's'}"
    runs = "once" if computation.runs == 1 else f"{computation.runs} times"
    title = f"computation {number} on {computation.device}: {count}, run {runs}"
    if graph.parts is not None:
        title += f"\n{graph.parts}"
    table = Table(title=title, title_justify="left")
    right: dict[str, Any] = {"justify": "right", "no_wrap": True}
    table.add_column("kernel, why it is one, its moves, its memory", overflow="fold")
    for name in ("time", "bytes", "GB/s", "FLOP", "GFLOP/s"):
        table.add_column(name, **right)
    each = len(computation.seconds) == len(graph.items)
    for number, item in enumerate(graph.items):
        seconds, moves = computation.seconds[number] if each else 0.0, recipe.steps[number].notes.moves
        memory = [" ".join(buffer.name for buffer in some) for some in (item.reads, item.writes)]
        details = [item.reason, *([", ".join(moves)] if moves else []), " -> ".join(memory)]
        table.add_row(
            Text.assemble(item.name, "\n", ("\n".join(details), "dim")),
            time_text(seconds) if each else "",
            size_text(item.nbytes),
            rate(item.nbytes, seconds),
            size_text(item.operations),
            rate(item.operations, seconds),
        )
    moved, computed, total = graph.nbytes, graph.operations, sum(computation.seconds)
    table.add_section()
    table.add_row(
        "together",
        time_text(total),
        size_text(moved),
        rate(moved, total),
        size_text(computed),
        rate(computed, total),
    )
    floor = recipe.floor
    table.add_row("least possible", "", size_text(floor.nbytes), "", size_text(floor.operations), "")
    if graph.arena:
        table.add_row("memory between kernels", "", size_text(graph.arena), "", "", "")
    if most is not None and most.copy:
        products = "\n".join(f"{name} {flops * 1e-9:.0f}" for name, flops in most.products.items())
        table.add_row("measured ceiling", "", "", f"{most.copy * 1e-9:.1f}", "", products)
    return table
