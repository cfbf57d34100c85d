"""`saccade check precision`: the errors of what a script computes, bounded, measured and blamed on ops."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saccade.cli.common import console_for, print_json, reporting
from saccade.cli.flags import Json

if TYPE_CHECKING:
    from rich.table import Table

    from saccade.fuzz.errors import ComputationError, OutputError


def check_precision(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A Python script; what follows it is passed on to it.")],
    json_output: Json = False,
) -> None:
    """Run a script and tell how precise its results are.

    Every result a script realises is computed a second time, from the same inputs, in float64, and each op
    says how far its own rounding may take it. Three figures come of that:

    bound: the most the error can be, whatever the order of summation. It grows with the length of sums, with
    large terms that cancel, and with the steps of the dtype. Errors in practice are far smaller; of a deep
    network it says little, since it multiplies from layer to layer.

    measured: the error there is, also in ulp, the distance between neighbours of the dtype. Around 1 is as
    good as the dtype allows.

    blamed on: what part of the bound would go if that op alone were computed in float64: where a wider dtype
    or another formula helps.

    Where rounding decides a comparison, a floor or an argmax, elements behind it are unknown, and the op that
    is undecided is named. Inputs count as exact, also those that an earlier computation of the script made.
    An error beyond its bound is a bug of the compiler, and ends with 1.
    """
    with reporting(json_output):
        from contextlib import redirect_stdout

        from saccade.explain.report import run_script
        from saccade.fuzz.errors import Recorder
        from saccade.graph.rewriting.passes import Watch, watch
        from saccade.runtime.watch.debug import observing

        recorder = Recorder()
        # what the script itself prints must not come between a machine and its JSON
        with watch(Watch()), observing(recorder), redirect_stdout(sys.stderr if json_output else sys.stdout):
            run_script(script, context.args)
        if not recorder.found:
            raise ValueError("nothing was computed: a tensor is computed when it is realised or read")
        with console_for(True).status("evaluating in float64"):
            found = list(recorder.measured())
        measured = [output for computation in found for output in computation.outputs]
        if not measured:
            raise ValueError(f"no result could be evaluated: {found[0].problem}")
        if json_output:
            print_json({"computations": [c.as_dict() for c in found], "dtypes": by_dtype(measured)})
        else:
            console = console_for(False)
            for number, computation in enumerate(found, 1):
                console.print(_table(number, computation))
            console.print(_summary(by_dtype(measured)))
        wrong = sum(output.wrong for output in measured)
        if wrong:
            typer.echo(f"{wrong} elements are outside their bounds: a bug of the compiler", err=True)
            raise typer.Exit(1)


def by_dtype(outputs: list[OutputError]) -> dict[str, dict[str, Any]]:
    """The worst of all results of each dtype: errors relative to the largest value, and in ulp."""
    found: dict[str, dict[str, Any]] = {}
    for output in outputs:
        scale = output.largest or 1.0
        worst = found.setdefault(
            output.dtype.name, {"outputs": 0, "bound": 0.0, "measured": 0.0, "ulps": 0.0, "unknown": 0}
        )
        worst["outputs"] += 1
        worst["unknown"] += output.unknown
        worst["bound"] = max(worst["bound"], output.bound / scale)
        worst["measured"] = max(worst["measured"], output.measured / scale)
        worst["ulps"] = max(worst["ulps"], output.ulps)
    return found


def _table(number: int, computation: ComputationError) -> Table | str:
    from rich.markup import escape
    from rich.table import Table

    runs = "once" if computation.runs == 1 else f"{computation.runs} times, the first measured"
    title = f"computation {number} on {computation.device}, run {runs}"
    if computation.problem:
        return f"{title}: not evaluated, {escape(computation.problem)}"
    table = Table(title=title, title_justify="left")
    table.add_column("result", overflow="fold")
    for name in ("largest", "bound", "measured", "ulp"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("blamed on", overflow="fold")
    for output in computation.outputs:
        blame = [f"{share:.0%} {op}" for op, share in output.blame[:4]]
        if output.unknown:
            told = f"{output.unknown} of {output.elements} unknown"
            blame.append(f"{told}: {', '.join(output.undecided)} may go either way")
        if output.wrong:
            blame.append(f"{output.wrong} of {output.elements} OUTSIDE THEIR BOUNDS")
        exact = not output.dtype.is_float
        table.add_row(
            escape(f"{output.dtype.name}{list(output.shape)}"),
            f"{output.largest:.3g}",
            "exact" if exact else f"{output.bound:.2g}",
            f"{output.measured:.2g}",
            "" if exact else f"{output.ulps:.2g}",
            escape("\n".join(blame)),
        )
    return table


def _summary(dtypes: dict[str, dict[str, Any]]) -> Table:
    from rich.table import Table

    table = Table(title="worst of each dtype, relative to the largest value", title_justify="left")
    table.add_column("dtype")
    for name in ("results", "bound", "measured", "ulp", "unknown elements"):
        table.add_column(name, justify="right")
    for name, worst in dtypes.items():
        figures = [f"{worst[key]:.2g}" for key in ("bound", "measured", "ulps")]
        table.add_row(name, str(worst["outputs"]), *figures, str(worst["unknown"]))
    return table
