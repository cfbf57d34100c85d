"""The command line: `saccade run`, `train`, `eval`, `resume`, `show`, `compare`, `plots`, `objects`, and the
tools around.

In: arguments. Out: what a person reads (or one JSON object with --json) and an exit code:

| code | meaning |
|---|---|
| 0 | done |
| 1 | it could not be done; the message says why |
| 2 | the request itself is wrong: unknown preset, key or option, impossible value |
| 130 | stopped with Ctrl-C; the run folder is whole and the message says how to go on |

Everything heavy is imported by the command that needs it, so that `saccade --help` answers at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade import cli_tools
from saccade.cli_common import INTERRUPTED, Json, Quiet, console_for, fail, print_json, reporting

if TYPE_CHECKING:
    from rich.console import Console

    from saccade.experiment.config import ExperimentConfig
    from saccade.experiment.episode import Engine
    from saccade.experiment.progress import Progress
    from saccade.experiment.record import RunFolder

app = typer.Typer(
    name="saccade",
    help="Learn objects by moving a sensor over them, and recognise them again.",
    epilog="Examples:  saccade run  ·  saccade run all_surface_noise --batch 64  ·  saccade resume RUN",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
)

Set = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE", help="Change a setting, e.g. noise.location=0.002."),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Run folder to make; default runs/NAME-NUMBER.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of everything random.")]
Batch = Annotated[int | None, typer.Option(help="Episodes side by side as rows of one program.")]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda, ...")]
Backend = Annotated[str | None, typer.Option(help="How modules run: sequential, threads, streams, stacked.")]
Objects = Annotated[
    Path | None, typer.Option("--objects", help="Folder of meshes instead of the built-in objects.")
]
Images = Annotated[
    Path | None, typer.Option("--images", help="Folder of pictures to move over instead of objects.")
]
Episodes = Annotated[int | None, typer.Option(help="Recognise only so many episodes.")]
Config = Annotated[
    Path | None, typer.Option("--config", "-c", help="TOML file with settings over the preset's.")
]
Traces = Annotated[bool, typer.Option("--traces", help="Record every step of every episode.")]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Spread over a Ray cluster; 'local' starts one."),
]
Modules = Annotated[int | None, typer.Option(help="Learning modules, each with a sensor.")]
Agent = Annotated[str | None, typer.Option(help="distant or surface.")]
Noise = Annotated[
    bool | None, typer.Option("--noise/--no-noise", help="The benchmark's sensor noise, or none.")
]


# --- from options to a run -------------------------------------------------------------------------------


def _next_folder(name: str) -> Path:
    """runs/NAME-1, runs/NAME-2, ...: the first that does not exist."""
    number = 1
    while (path := Path("runs") / f"{name}-{number}").exists():
        number += 1
    return path


def _settings(**named: object) -> list[str]:
    """Named options as overrides; those that were not given are left out."""
    from saccade.experiment.toml import format_value

    keys = {
        "modules": "module.count",
        "agent": "world.agent",
        "objects": "objects.folder",
        "images": "objects.images",
        "episodes": "eval.episodes",
        "traces": "recording.traces",
    }
    chosen = {
        keys.get(name, name): value
        for name, value in named.items()
        if value is not None and value is not False
    }
    if "objects.images" in chosen:
        chosen = {"world.kind": "image", **chosen}
    values = {key: str(value) if isinstance(value, Path) else value for key, value in chosen.items()}
    return [f"{key}={format_value(value)}" for key, value in values.items()]


def _configured(
    preset: str, config: Path | None, noise: bool | None, settings: list[str]
) -> ExperimentConfig:
    """Preset, then file, then named options, then --set: the later wins."""
    import dataclasses

    from saccade.experiment import config as configs
    from saccade.experiment.presets import NOISE
    from saccade.experiment.presets import preset as find_preset

    chosen = find_preset(preset)
    if config is not None:
        chosen = configs.load(config, chosen)
    if noise is not None:
        chosen = dataclasses.replace(chosen, noise=NOISE if noise else configs.NoiseConfig())
    return configs.override(chosen, settings)


@contextlib.contextmanager
def _progress(console: Console, silent: bool) -> Iterator[Progress]:
    from saccade.experiment.progress import Silent, terminal_progress

    if silent:
        yield Silent()
        return
    with terminal_progress(console) as bars:
        yield bars


def _engine(config: ExperimentConfig, ray: str | None) -> tuple[Engine, list[str]]:
    """The engine of a config and the names of its objects."""
    from saccade.experiment.engine import make_engine
    from saccade.experiment.objects import object_names

    if ray is not None:
        from saccade.experiment.ray_backend import RayEngine

        return RayEngine(config, ray), object_names(config)
    return make_engine(config), object_names(config)


def _carry_out(folder: RunFolder, ray: str | None, json_output: bool, quiet: bool) -> None:
    """Run or continue what is in `folder`, then show what came of it."""
    from saccade.experiment.plots import draw_run
    from saccade.experiment.report import summary_table
    from saccade.experiment.run import execute

    console = console_for(json_output)
    try:
        with folder, _progress(console, quiet or json_output) as progress:
            engine, names = _engine(folder.config, ray)
            summary = execute(folder, engine, names, progress, draw_run)
    except KeyboardInterrupt:
        message = (
            f"stopped; everything recorded is in {folder.path}. Go on with: saccade resume {folder.path}"
        )
        fail(message, INTERRUPTED, json_output)
    if json_output:
        print_json({"run": str(folder.path), **summary})
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


def _start(
    config: ExperimentConfig, out: Path | None, ray: str | None, json_output: bool, quiet: bool
) -> None:
    from saccade.experiment.build import check_device
    from saccade.experiment.objects import object_names
    from saccade.experiment.record import RunFolder
    from saccade.experiment.run import models_path

    # What is not there is reported before a run folder is made.
    object_names(config)
    check_device(config)
    if config.train.models:
        models_path(Path(config.train.models))
    folder = RunFolder.create(out or _next_folder(config.name), config)
    _carry_out(folder, ray, json_output, quiet)


# --- experiments -------------------------------------------------------------------------------------------


@app.command(epilog="Examples:  saccade run  ·  saccade run all_surface_noise --batch 64 -s eval.epochs=1")
def run(
    preset: Annotated[str, typer.Argument(help="Name of a preset; --list shows all.")] = "default",
    objects: Objects = None,
    images: Images = None,
    agent: Agent = None,
    modules: Modules = None,
    noise: Noise = None,
    seed: Seed = None,
    batch: Batch = None,
    device: Device = None,
    backend: Backend = None,
    episodes: Episodes = None,
    config: Config = None,
    settings: Set = None,
    out: Out = None,
    traces: Traces = False,
    ray: Ray = None,
    list_presets: Annotated[bool, typer.Option("--list", help="List the presets.")] = False,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the config as TOML and stop.")
    ] = False,
    json_output: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn objects, recognise them, show the results and leave a run folder."""
    with reporting(json_output):
        if list_presets:
            _list_presets(json_output)
            return
        named = _settings(
            objects=objects,
            images=images,
            agent=agent,
            modules=modules,
            seed=seed,
            batch=batch,
            device=device,
            backend=backend,
            episodes=episodes,
            traces=traces,
        )
        chosen = _configured(preset, config, noise, [*named, *(settings or [])])
        if print_config:
            from saccade.experiment.config import dumps

            typer.echo(dumps(chosen), nl=False)
            return
        _start(chosen, out, ray, json_output, quiet)


def _list_presets(json_output: bool) -> None:
    from saccade.experiment.presets import presets

    table = {name: about for name, (_, about) in presets().items()}
    if json_output:
        print_json(table)
        return
    for name, about in table.items():
        typer.echo(f"{name:<34}{about}")


@app.command(epilog="Example:  saccade train all_surface_noise --out models-of-all")
def train(
    preset: Annotated[str, typer.Argument(help="Preset whose objects and sensors are used.")] = "default",
    objects: Objects = None,
    images: Images = None,
    agent: Agent = None,
    modules: Modules = None,
    seed: Seed = None,
    batch: Batch = None,
    device: Device = None,
    config: Config = None,
    settings: Set = None,
    out: Out = None,
    ray: Ray = None,
    json_output: Json = False,
    quiet: Quiet = False,
) -> None:
    """Only learn: a run folder with models that `saccade eval --models` can use."""
    with reporting(json_output):
        named = _settings(
            objects=objects,
            images=images,
            agent=agent,
            modules=modules,
            seed=seed,
            batch=batch,
            device=device,
        )
        chosen = _configured(preset, config, None, [*named, "eval.mode=none", *(settings or [])])
        _start(chosen, out, ray, json_output, quiet)


@app.command("eval", epilog="Example:  saccade eval all_surface_noise --models models-of-all --batch 64")
def evaluate(
    preset: Annotated[str, typer.Argument(help="Preset whose evaluation is run.")] = "default",
    models: Annotated[Path | None, typer.Option(help="Run folder with the models (required).")] = None,
    objects: Objects = None,
    images: Images = None,
    agent: Agent = None,
    modules: Modules = None,
    noise: Noise = None,
    seed: Seed = None,
    batch: Batch = None,
    device: Device = None,
    backend: Backend = None,
    episodes: Episodes = None,
    config: Config = None,
    settings: Set = None,
    out: Out = None,
    traces: Traces = False,
    ray: Ray = None,
    json_output: Json = False,
    quiet: Quiet = False,
) -> None:
    """Only recognise, with models learned before."""
    from saccade.experiment.config import ConfigError

    with reporting(json_output):
        if models is None:
            raise ConfigError(
                "eval needs --models RUN, the folder of a run that learned; `saccade train` makes one"
            )
        named = _settings(
            objects=objects,
            images=images,
            agent=agent,
            modules=modules,
            seed=seed,
            batch=batch,
            device=device,
            backend=backend,
            episodes=episodes,
            traces=traces,
        )
        fixed = ["train.mode=none", f"train.models={models.resolve()}"]
        chosen = _configured(preset, config, noise, [*named, *fixed, *(settings or [])])
        _start(chosen, out, ray, json_output, quiet)


RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]


@app.command(epilog="Example:  saccade resume runs/default-1 --batch 16")
def resume(
    run: RunArgument,
    batch: Batch = None,
    device: Device = None,
    backend: Backend = None,
    ray: Ray = None,
    json_output: Json = False,
    quiet: Quiet = False,
) -> None:
    """Continue a run that was stopped, with the same final results as if it never had been."""
    from saccade.experiment.resume import reopen

    with reporting(json_output):
        _carry_out(reopen(run, batch, device, backend), ray, json_output, quiet)


@app.command()
def show(run: RunArgument, json_output: Json = False) -> None:
    """Results of a run, finished or not, in all and per object."""
    from saccade.experiment.record import RunFolder
    from saccade.experiment.report import objects_table, summary_table
    from saccade.experiment.run import summarise

    with reporting(json_output):
        folder = RunFolder.open(run)
        summary = folder.summary() or {"complete": False, **summarise(folder.config, folder.rows())}
        if json_output:
            print_json({"run": str(run), **summary})
            return
        console = console_for(False)
        console.print(summary_table(summary, console.width))
        console.print(objects_table(summary, "eval" if "eval" in summary["results"] else "train"))
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
    from saccade.experiment.compare import compare as compare_runs
    from saccade.experiment.plots import draw_comparison
    from saccade.experiment.record import RunFolder
    from saccade.experiment.report import comparison_tables

    with reporting(json_output):
        folders = [RunFolder.open(path) for path in runs]
        comparison = compare_runs(folders)
        picture = draw_comparison(comparison, plot or folders[-1].plots_path / "comparison.svg")
        if json_output:
            print_json({**comparison.to_dict(), "plot": str(picture)})
            return
        console = console_for(False)
        for table in comparison_tables(comparison, console.width):
            console.print(table)
        console.print(f"picture  {picture}", highlight=False)


@app.command()
def plots(
    run: RunArgument,
    picture: Annotated[str | None, typer.Option("--format", help="svg, or png (needs matplotlib).")] = None,
    json_output: Json = False,
) -> None:
    """Draw the pictures of a run (again)."""
    from saccade.experiment.config import override
    from saccade.experiment.plots import draw_run
    from saccade.experiment.progress import Silent
    from saccade.experiment.record import RunFolder

    with reporting(json_output):
        folder, silent = RunFolder.open(run), Silent()
        folder.config = override(folder.config, [f"recording.picture={picture}"] if picture else [])
        paths = draw_run(folder, silent)
        for note in silent.notes:
            typer.echo(note, err=True)
        if json_output:
            print_json({"pictures": [str(path) for path in paths]})
            return
        for path in paths:
            typer.echo(str(path))


# --- what there is -----------------------------------------------------------------------------------------


@app.command("objects", epilog="Example:  saccade objects --objects meshes/ --set objects.scale=0.001")
def list_objects(objects: Objects = None, settings: Set = None, json_output: Json = False) -> None:
    """The objects a run would use: sizes, triangles, symmetry; problems of mesh files are named."""
    from rich.table import Table

    from saccade.experiment.objects import describe_objects

    with reporting(json_output):
        everything = ["objects.set=all", "objects.limit=0"]
        config = _configured(
            "default", None, None, [*everything, *_settings(objects=objects), *(settings or [])]
        )
        found = describe_objects(config)
        if json_output:
            print_json({"objects": found})
            return
        table = Table()
        for column in ("object", "size cm", "triangles", "symmetry"):
            table.add_column(column, justify="left" if column in ("object", "symmetry") else "right")
        for each in found:
            size = " × ".join(f"{100 * edge:.1f}" for edge in each["size"])
            table.add_row(each["name"], size, str(each["triangles"]), each["symmetry"])
        console_for(False).print(table)


cli_tools.add_to(app)


def main() -> None:
    """Entry point of the console script."""
    app()


if __name__ == "__main__":
    main()
