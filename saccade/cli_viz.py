"""The commands that show: `saccade viz` programs, `saccade view` runs, `saccade report` a run on one page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saccade.cli_common import Json, print_json, reporting, tell_note

if TYPE_CHECKING:
    from saccade.viz.server import Opened

SCRIPT = {"allow_extra_args": True, "ignore_unknown_options": True}

NoOpen = Annotated[bool, typer.Option("--no-open", help="Print the address and open no browser.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    app.command(
        context_settings=SCRIPT,
        epilog="Examples:  saccade viz train.py --epochs 1  ·  saccade viz train.saccade  ·  "
        "saccade viz train.saccade --view kernels --json",
    )(viz)
    app.command(epilog="Examples:  saccade view runs/default-1  ·  saccade view runs/default-1 --json")(view)
    app.command(epilog="Example:  saccade report runs/default-1 --out report.html")(report)


def viz(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="A Python script, or a recording (.saccade).")],
    out: Annotated[Path | None, typer.Option(help="Where the recording of a script goes.")] = None,
    no_open: NoOpen = False,
    port: Port = 0,
    view: Annotated[
        str, typer.Option(help="With --json: summary, rewrites, graph, steps, kernels, source, memory, ...")
    ] = "summary",
    computation: Annotated[int, typer.Option(min=0, help="Which computation --view is of.")] = 0,
    number: Annotated[int, typer.Option(min=0, help="Which pass, kernel or chunk --view is of.")] = 0,
    json_output: Json = False,
) -> None:
    """Record a script and show it on a page: rewrites, kernels, memory, time. Or open recordings.

    Options come before the script; what follows it is passed on to it. Several recordings open side by side.
    """
    with reporting(json_output):
        from saccade.viz.views import Recording

        paths = [target, *map(Path, context.args)]
        if target.suffix == ".py":
            paths = [_recorded(target, context.args, out, json_output)]
        opened: dict[str, Opened] = {str(place): Recording(path) for place, path in enumerate(paths)}
        if json_output:
            from saccade.viz.server import view_of

            places = {"computation": computation, "pass": number, "kernel": number, "number": number}
            print_json(view_of(opened["0"], view, {key: str(value) for key, value in places.items()}))
            return
        show(opened, port, no_open)


def _recorded(script: Path, arguments: Sequence[str], out: Path | None, quiet: bool) -> Path:
    """Run a script as `python script.py` would, recorded; what it raises is told, and what was recorded is
    shown all the same."""
    from saccade.explain import ScriptError, run_script
    from saccade.viz.record import default_path, record

    path = out or default_path(script.name)
    program = " ".join([script.name, *arguments])
    with record(path, program) as recorder, redirect_stdout(sys.stderr if quiet else sys.stdout):
        try:
            run_script(script, arguments)
        except ScriptError as error:
            tell_note(f"{error}; what was recorded before is shown")
        recorder.measure_ceilings()
    if not quiet:
        typer.echo(f"recording  {path}")
    return path


def show(opened: dict[str, Opened], port: int, no_open: bool, place: str = "") -> None:
    """Serve what is opened until Ctrl-C."""
    import webbrowser

    from saccade.viz.server import HOST, listen, make_app, new_token, require_extra, serve

    require_extra()
    listening, token = listen(port), new_token()
    chosen = listening.getsockname()[1]
    address = f"http://{HOST}:{chosen}/{token}/{place}"
    app = make_app(opened, token, chosen)
    typer.echo(f"page       {address}   (Ctrl-C ends it)")
    sys.stdout.flush()
    if not no_open:
        webbrowser.open(address)
    serve(app, listening)


def view(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder; --traces recorded its steps.")],
    others: Annotated[list[Path] | None, typer.Argument(metavar="[RUN...]", help="More runs.")] = None,
    no_open: NoOpen = False,
    port: Port = 0,
    episode: Annotated[str, typer.Option(help="Show this episode; with --json, its steps.")] = "",
    json_output: Json = False,
) -> None:
    """Replay the episodes of a run in 3D, the wrong ones first: object, sensor path, what was believed."""
    with reporting(json_output):
        from saccade.viz.minds import RunView

        paths = [run, *(others or [])]
        opened: dict[str, Opened] = {str(place): RunView(path) for place, path in enumerate(paths)}
        if json_output:
            first = RunView(run)
            print_json(first.episode(episode) if episode else {**first.summary(), **first.episodes()})
            return
        show(opened, port, no_open, f"#/0/minds/{episode}" if episode else "")


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    out: Annotated[
        Path | None, typer.Option(help="Where the page goes; default report.html in the run.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Write a run as one HTML file: table, plots, confusion with counts, worst episodes."""
    with reporting(json_output):
        from saccade.experiment.record import RunFolder
        from saccade.viz.report import essentials, write_report

        folder = RunFolder.open(run)
        path = write_report(folder, out)
        told = essentials(folder)
        if json_output:
            print_json({"report": str(path), **told})
            return
        _print_essentials(told)
        typer.echo(f"report  {path}")


def _print_essentials(told: dict[str, Any]) -> None:
    """What the page begins with, for a terminal."""
    from rich.table import Table

    from saccade.cli_common import console_for
    from saccade.experiment.report import plain, summary_table

    console = console_for(False)
    console.print(summary_table(told, console.width))
    if told["mistakes"]:
        table = Table(title="taken for", title_justify="left")
        for column in ("shown", "reported", "times"):
            table.add_column(column, justify="right" if column == "times" else "left")
        for each in told["mistakes"][:20]:
            table.add_row(plain(each["shown"]), plain(each["reported"]), str(each["times"]))
        console.print(table)
