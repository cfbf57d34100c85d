"""The command line: `saccade run`, `train`, `eval`, `resume`, `show`, `compare`, `plots`, `objects`, and the
tools around.

In: arguments. Out: what a person reads (or one JSON object with --json) and an exit code:

| code | meaning |
|---|---|
| 0 | done |
| 1 | it could not be done; the message says why |
| 2 | the request itself is wrong: unknown preset, key or option, impossible value |
| 130, 143 | stopped with Ctrl-C, with SIGTERM; the run folder is whole and the message says how to go on |
| 141 | nobody reads the output any more |

Everything heavy is imported by the command that needs it, so that `saccade --help` answers at once.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.commands import benchmark, kernels, llm, monty, objects, tools, viz
from saccade.cli.common import WRONG_REQUEST, console_for, fail, print_json, reporting, tell_note, working_on
from saccade.cli.flags import Json, Quiet
from saccade.cli.options import Backend, Batch, Device, Learning, Mixed, Processes, Ray, Recognising, taking

if TYPE_CHECKING:
    from rich.console import Console

    from saccade.experiment.config.settings import ExperimentConfig
    from saccade.experiment.engine.episode import Engine
    from saccade.experiment.progress import Progress
    from saccade.experiment.record.record import RunFolder

app = typer.Typer(
    name="saccade",
    epilog="Examples:  saccade run  ·  saccade run all_surface_noise --batch 64  ·  saccade resume RUN\n\n"
    "Exit codes:  0 done  ·  1 it could not be done  ·  2 the request is wrong  ·  130 stopped with Ctrl-C"
    "  ·  143 with SIGTERM",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from saccade.version import saccade_version

        typer.echo(f"saccade {saccade_version()}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Learn objects by moving a sensor over them, and recognise them again."""
    try:
        for name in ("config", "watch.debug"):  # which read the environment
            import_module(f"saccade.runtime.{name}")
    except ValueError as error:
        fail(str(error), WRONG_REQUEST, json_output=False)


# --- from options to a run -------------------------------------------------------------------------------


def _new_folder(out: Path | None, config: ExperimentConfig) -> RunFolder:
    """The folder of a new run: `out`, or the first of runs/NAME-1, runs/NAME-2, ... that does not exist."""
    from saccade.experiment.errors import FolderTaken
    from saccade.experiment.record.record import RunFolder

    if out is not None:
        return RunFolder.create(working_on(out), config)
    for number in itertools.count(1):
        path = Path("runs") / f"{config.name}-{number}"
        if not path.exists():
            with contextlib.suppress(FolderTaken):  # by another run that began at the same moment
                return RunFolder.create(working_on(path), config)
    raise AssertionError("there is always another number")


@contextlib.contextmanager
def _progress(console: Console, silent: bool) -> Iterator[Progress]:
    from saccade.experiment.progress import Notes, terminal_progress

    if silent:
        yield Notes(tell_note)
        return
    with terminal_progress(console) as bars:
        yield bars


def _engine(
    config: ExperimentConfig, ray: str | None, processes: int | None, models: Path | None = None
) -> tuple[Engine, list[str]]:
    """The engine of a config and the names of its objects; what either lacks is an error here. models: what
    it recognises with, if it learns nothing."""
    from saccade.experiment.recognise.profile import interval

    interval()
    if ray is not None:
        from saccade.experiment.engine.build import check_device
        from saccade.experiment.engine.objects import object_names
        from saccade.experiment.ray_backend import RayEngine

        check_device(config)
        return RayEngine(config, ray), object_names(config)
    from saccade.experiment.starting import engine_here

    return engine_here(config, processes, models)


def _carry_out(folder: RunFolder, engine: Engine, names: list[str], json_output: bool, quiet: bool) -> None:
    """Run or continue what is in `folder`, then show what came of it."""
    from saccade.experiment.report.plots import draw_run
    from saccade.experiment.report.report import summary_table
    from saccade.experiment.run import execute

    console = console_for(json_output)
    with _progress(console, quiet or json_output) as progress:
        summary = execute(folder, engine, names, progress, draw_run)
    alike = _told_alike(folder, json_output)
    if json_output:
        print_json({"run": str(folder.path), **summary, **alike})
        return
    console.print(summary_table(summary, console.width))
    if not quiet:
        console.print(f"run folder  {folder.path}", highlight=False)
        pictures = sorted(folder.plots_path.glob("*.*")) if folder.plots_path.exists() else []
        if pictures:
            console.print(
                f"pictures    {folder.plots_path} ({', '.join(path.name for path in pictures)})",
                highlight=False,
            )


def _told_alike(folder: RunFolder, json_output: bool) -> dict[str, list[tuple[str, str]]]:
    """Objects that nothing tells apart: a note for each pair, or an entry for JSON where there are some."""
    from saccade.experiment.report.blame import not_told_apart

    pairs = not_told_apart(folder)
    if json_output:
        return {"not_told_apart": pairs} if pairs else {}
    for one, other in pairs:
        tell_note(f"nothing tells {one!r} from {other!r}: their models are of one thing")
    return {}


def _start(config: ExperimentConfig, options: Learning) -> None:
    from saccade.experiment.config.config import with_absolute_paths
    from saccade.experiment.plan.plan import check_counts, eval_units, plan_train
    from saccade.experiment.processes import ProcessEngine
    from saccade.experiment.run import first_models

    # What is not there is reported before a run folder is made.
    models = first_models(config)
    learned = models if config.train.mode == "none" else None
    engine, names = _engine(config, options.ray, options.processes, learned)
    check_counts(config, names)
    if models is not None:
        engine.load_memory(models)
    if isinstance(engine, ProcessEngine):
        engine.check(eval_units(config, names), config.batch, plan_train(config, names))
    kept = with_absolute_paths(config)
    with _new_folder(options.out, kept) as folder:
        _carry_out(folder, engine, names, options.json_output, options.quiet)


# --- experiments -------------------------------------------------------------------------------------------


@app.command(epilog="Examples:  saccade run  ·  saccade run all_surface_noise --batch 64 -s eval.epochs=1")
@taking(Recognising)
def run(
    options: Recognising,
    preset: Annotated[str, typer.Argument(help="Name of a preset; --list shows all.")] = "default",
    list_presets: Annotated[bool, typer.Option("--list", help="List the presets.")] = False,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the config as TOML and stop.")
    ] = False,
) -> None:
    """Learn objects, recognise them, show the results and leave a run folder."""
    with reporting(options.json_output):
        if list_presets:
            _list_presets(options.json_output)
            return
        chosen = options.configured(preset)
        if print_config:
            from saccade.experiment.config.config import dumps
            from saccade.experiment.config.sections import to_dict

            if options.json_output:
                print_json(to_dict(chosen))
            else:
                typer.echo(dumps(chosen), nl=False)
            return
        _start(chosen, options)


def _list_presets(json_output: bool) -> None:
    from saccade.experiment.config.presets import presets

    table = {name: about for name, (_, about) in presets().items()}
    if json_output:
        print_json(table)
        return
    for name, about in table.items():
        typer.echo(f"{name:<34}{about}")


@app.command(epilog="Example:  saccade train all_surface_noise --out models-of-all")
@taking(Learning)
def train(
    options: Learning,
    preset: Annotated[
        str, typer.Argument(help="Preset whose objects and sensors are used; run --list shows all.")
    ] = "default",
) -> None:
    """Only learn: a run folder with models that `saccade eval --models` can use."""
    with reporting(options.json_output):
        _start(options.configured(preset, ["eval.mode=none"]), options)


@app.command("eval", epilog="Example:  saccade eval all_surface_noise --models models-of-all --batch 64")
@taking(Recognising)
def evaluate(
    options: Recognising,
    preset: Annotated[
        str, typer.Argument(help="Preset whose evaluation is run; run --list shows all.")
    ] = "default",
    models: Annotated[Path | None, typer.Option(help="Run folder with the models (required).")] = None,
) -> None:
    """Only recognise, with models learned before."""
    from saccade.experiment.config.sections import ConfigError

    with reporting(options.json_output):
        if models is None:
            raise ConfigError(
                "eval needs --models RUN, the folder of a run that learned; `saccade train` makes one"
            )
        fixed = ["train.mode=none", f"train.models={models.resolve()}"]
        _start(options.configured(preset, fixed), options)


RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


@app.command(epilog="Example:  saccade resume runs/default-1 --batch 16")
def resume(
    run: RunArgument,
    batch: Batch = None,
    device: Device = None,
    backend: Backend = None,
    ray: Ray = None,
    processes: Processes = None,
    mixed: Mixed = False,
    json_output: Json = False,
    quiet: Quiet = False,
) -> None:
    """Continue a run that was stopped, with the same final results as if it never had been."""
    from saccade.experiment.resume import reopen

    with (
        reporting(json_output),
        reopen(working_on(run), batch, device, backend, mixed, note=tell_note) as folder,
    ):
        engine, names = _engine(folder.config, ray, processes)
        _carry_out(folder, engine, names, json_output, quiet)


@app.command(epilog="Examples:  saccade show runs/default-1  ·  saccade show runs/default-1 --json")
def show(
    run: RunArgument,
    errors: Annotated[
        bool, typer.Option("--errors", help="Why episodes went wrong; needs a run with --traces.")
    ] = False,
    json_output: Json = False,
) -> None:
    """Results of a run, finished or not, in all and per object."""
    from saccade.experiment.record.record import RunFolder
    from saccade.experiment.report.blame import accounts
    from saccade.experiment.report.report import error_lines, objects_table, summary_table
    from saccade.experiment.run import summarise

    with reporting(json_output):
        folder = RunFolder.open(run)
        summary = folder.summary() or {"complete": False, **summarise(folder.config, folder.rows())}
        blamed = list(accounts(folder)) if errors else []
        alike = _told_alike(folder, json_output)
        if json_output:
            told = {"errors": [each.told() for each in blamed]} if errors else {}
            print_json({"run": str(run), **summary, **alike, **told})
            return
        console = console_for(False)
        console.print(summary_table(summary, console.width))
        if errors:
            for line in error_lines(blamed) if blamed else ["no episode went wrong"]:
                console.print(line, highlight=False, soft_wrap=True)
            return
        per_object = objects_table(summary, "eval" if "eval" in summary["results"] else "train")
        if per_object.row_count:
            console.print(per_object)
        if not summary["complete"]:
            console.print(f"not complete; go on with: saccade resume {run}", highlight=False)


@app.command(epilog="Example:  saccade compare runs/default-1 runs/default-2 --plot comparison.svg")
def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN...", help="Run folders; the first is the yardstick.")
    ],
    plot: Annotated[
        Path | None, typer.Option(help="Where to draw; default comparison.svg in the last run's plots.")
    ] = None,
    json_output: Json = False,
) -> None:
    """Runs side by side: figures, which settings differ, and whether a difference could be luck."""
    from saccade.experiment.errors import RunError
    from saccade.experiment.record.record import RunFolder
    from saccade.experiment.report.compare import compare as compare_runs
    from saccade.experiment.report.plots import draw_comparison
    from saccade.experiment.report.report import comparison_tables

    with reporting(json_output):
        folders = [RunFolder.open(path) for path in runs]
        comparison = compare_runs(folders)
        picture: Path | None = None
        try:
            picture = draw_comparison(comparison, plot or folders[-1].plots_path / "comparison.svg")
        except RunError as error:
            if plot is not None:
                raise
            typer.echo(f"no picture: {error}", err=True)  # the runs may be another's, who lets us read them
        if json_output:
            print_json({**comparison.to_dict(), "plot": None if picture is None else str(picture)})
            return
        if comparison.mixed:
            tell_note(f"results may differ because of {', '.join(comparison.mixed)}, not of settings alone")
        console = console_for(False)
        for table in comparison_tables(comparison, console.width):
            console.print(table)
        if picture is not None:
            console.print(f"picture  {picture}", highlight=False)


@app.command(epilog="Example:  saccade plots runs/default-1 --format png")
def plots(
    run: RunArgument,
    picture: Annotated[str | None, typer.Option("--format", help="svg, or png (needs matplotlib).")] = None,
    json_output: Json = False,
) -> None:
    """Draw the pictures of a run (again)."""
    from saccade.experiment.config.config import override
    from saccade.experiment.errors import RunError
    from saccade.experiment.progress import Silent
    from saccade.experiment.record.record import RunFolder
    from saccade.experiment.report.plots import draw_run

    with reporting(json_output):
        folder, silent = RunFolder.open(run), Silent()
        folder.config = override(folder.config, [f"recording.picture={picture}"] if picture else [])
        paths = draw_run(folder, silent)
        if not paths:
            raise RunError(" ".join(silent.notes) or f"no pictures: {run} has no finished episodes yet")
        if json_output:
            print_json({"pictures": [str(path) for path in paths]})
            return
        for path in paths:
            typer.echo(str(path))


objects.add_to(app)
monty.add_to(app)
tools.add_to(app)
app.add_typer(benchmark.app, name="benchmark")
kernels.add_to(app)
llm.add_to(app)
viz.add_to(app)


def run_command(wanted: str) -> None:
    """Carry out what the arguments of this process ask for; `wanted` is the first. All commands but that one
    are dropped, if there is one of that name, before typer reads the signature of every command: that takes
    longer than to look for it."""
    names = [each.name or getattr(each.callback, "__name__", None) for each in app.registered_commands]
    if wanted in names:
        app.registered_commands = [app.registered_commands[names.index(wanted)]]
        app.registered_groups = []
    app()
