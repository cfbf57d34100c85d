"""The commands that show: `saccade viz` programs, `saccade view` runs, `saccade report` a run on one page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saccade.cli.common import print_json, reporting, tell_note
from saccade.cli.flags import Json

if TYPE_CHECKING:
    from saccade.viz.server import Opened
    from saccade.viz.views.minds import RunView

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
    live: Annotated[bool, typer.Option("--live", help="Open the page before the script runs.")] = False,
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
        from saccade.viz.views.recording import Recording

        paths = [target, *map(Path, context.args)]
        if live and target.suffix == ".py" and not json_output:
            _show_live(target, context.args, out, port, no_open)
            return
        if target.suffix == ".py":
            paths = [_recorded(target, context.args, out, json_output)]
        opened: dict[str, Opened] = {str(place): Recording(path) for place, path in enumerate(paths)}
        if json_output:
            from saccade.viz.server import view_of

            places = {"computation": computation, "pass": number, "kernel": number, "number": number}
            print_json(view_of(opened["0"], view, {key: str(value) for key, value in places.items()}))
            return
        show(opened, port, no_open)


def _show_live(script: Path, arguments: Sequence[str], out: Path | None, port: int, no_open: bool) -> None:
    """Serve the recording from before the script begins until Ctrl-C."""
    from threading import Thread

    from saccade.viz.server import require_extra
    from saccade.viz.views.recording import Recording

    require_extra()  # before anything runs
    serving: list[Thread] = []

    def begun(path: Path) -> None:
        opened: dict[str, Opened] = {"0": Recording(path)}
        serving.append(Thread(target=show, args=(opened, port, no_open), daemon=True))
        serving[0].start()

    _recorded(script, arguments, out, False, begun)
    while serving[0].is_alive():
        serving[0].join(1.0)  # in turns, so that Ctrl-C is heard


def _recorded(
    script: Path,
    arguments: Sequence[str],
    out: Path | None,
    quiet: bool,
    begun: Callable[[Path], None] = lambda path: None,
) -> Path:
    """Run a script as `python script.py` would, recorded; what it raises is told, and what was recorded is
    shown all the same. `begun` is told where the recording is when it has begun."""
    from saccade.explain.report import ScriptError, run_script
    from saccade.viz.record import default_path, record

    path = out or default_path(script.name)
    program = " ".join([script.name, *arguments])
    with record(path, program) as recorder, redirect_stdout(sys.stderr if quiet else sys.stdout):
        begun(path)
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

    from saccade.http_server import listen, serve
    from saccade.viz.server import HOST, make_app, new_token, require_extra

    require_extra()
    listening, token = listen(HOST, port), new_token()
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
    name: Annotated[
        str, typer.Option("--view", help="With --json: episodes, episode, cloud, model or mesh.")
    ] = "",
    step: Annotated[int, typer.Option(min=0, help="Which step a cloud is of.")] = 0,
    module: Annotated[int, typer.Option(min=0, help="Which module a cloud or a model is of.")] = 0,
    of: Annotated[str, typer.Option("--object", help="What a model or a mesh is of.")] = "",
    rerun: Annotated[Path | None, typer.Option(help="Write --episode for rerun's viewer, here.")] = None,
    json_output: Json = False,
) -> None:
    """Replay the episodes of a run in 3D, the wrong ones first: object, sensor path, what was believed.

    A run that goes on is followed: episodes are listed as they end.
    """
    with reporting(json_output):
        from saccade.viz.views.minds import RunView

        if rerun is not None:
            _export(RunView(run), episode, rerun)
            return
        paths = [run, *(others or [])]
        opened: dict[str, Opened] = {str(place): RunView(path) for place, path in enumerate(paths)}
        if json_output:
            places = {"id": episode, "step": str(step), "module": str(module), "object": of}
            print_json(_view_of_run(RunView(run), name or ("episode" if episode else ""), places))
            return
        show(opened, port, no_open, f"#/0/minds/{episode}" if episode else "")


def _view_of_run(run: RunView, name: str, places: dict[str, str]) -> Any:
    """A view of a run as plain data; what the page is given as bytes is told in lists."""
    from saccade.viz.server import view_of

    if not name:
        return {**run.summary(), **run.episodes()}
    if name == "cloud":
        return run.cloud_told(places["id"], int(places["step"]), int(places["module"]))
    return view_of(run, name, places)


def _export(run: RunView, episode: str, path: Path) -> None:
    from saccade.viz.rerun_export import export_episode

    if not episode:
        raise typer.BadParameter("--rerun writes one episode: name it with --episode")
    export_episode(run, episode, path)
    typer.echo(f"rerun  {path}")


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    out: Annotated[
        Path | None, typer.Option(help="Where the page goes; default report.html in the run.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Write a run as one HTML file: table, plots, confusion with counts, worst episodes."""
    with reporting(json_output):
        from saccade.experiment.record.record import RunFolder
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

    from saccade.cli.common import console_for
    from saccade.experiment.report.report import plain, summary_table

    console = console_for(False)
    console.print(summary_table(told, console.width))
    if told["mistakes"]:
        table = Table(title="taken for", title_justify="left")
        for column in ("shown", "reported", "times"):
            table.add_column(column, justify="right" if column == "times" else "left")
        for each in told["mistakes"][:20]:
            table.add_row(plain(each["shown"]), plain(each["reported"]), str(each["times"]))
        console.print(table)
