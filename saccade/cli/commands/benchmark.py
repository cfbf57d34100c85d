"""`saccade benchmark monty`: the twin of each experiment of Monty's benchmark, by its name.

In: a folder of scans. Out: run folders, and one table of ours, theirs and the difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.common import console_for, print_json, reporting, tell_note, working_on
from saccade.cli.flags import Json, Quiet
from saccade.cli.options import Backend, Batch, Device, Mixed

if TYPE_CHECKING:
    from saccade.experiment.config.settings import ExperimentConfig
    from saccade.experiment.report.benchmark import Execute, Prepare

app = typer.Typer(no_args_is_help=True, help="Benchmarks of others, by their names.")


@app.callback()
def benchmark() -> None:
    """Benchmarks of others, by their names."""


@app.command(epilog="Example:  saccade benchmark monty --objects ycb --only randrot_noise_77obj_surf_agent")
def monty(
    objects: Annotated[
        Path | None, typer.Option(help="Folder of YCB scans, NAME/textured.obj or NAME.obj (required).")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only the experiment of this name; may be given several times.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where the runs are kept; the same folder goes on.")] = Path(
        "runs/monty"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the evaluations.")] = 0,
    scale: Annotated[float, typer.Option(help="Metres a unit of the scans, e.g. 0.001: millimetres.")] = 1.0,
    traces: Annotated[
        bool, typer.Option("--traces", help="Record every step, for `saccade show OUT/NAME --errors`.")
    ] = False,
    list_experiments: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    device: Device = None,
    batch: Batch = None,
    backend: Backend = None,
    mixed: Mixed = False,
    json_output: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run Monty's experiments by their names and compare with what was published of them."""
    from saccade.experiment.config.sections import ConfigError
    from saccade.experiment.report.benchmark import Placement, benchmark_table, run_all, without_table
    from saccade.experiment.report.monty_twins import TWINS, WITHOUT, twin

    with reporting(json_output):
        chosen = [twin(name) for name in only] if only else list(TWINS)
        if list_experiments:
            if json_output:
                print_json({"experiments": [each.name for each in chosen], "without": WITHOUT})
                return
            for each in chosen:
                typer.echo(f"{each.name:<48}{each.objects}, saccade's {each.preset}")
            console_for(False).print(without_table())
            return
        if objects is None:
            raise ConfigError("benchmark monty needs --objects DIR, a folder with the scans of its objects")
        console = console_for(json_output)
        placement = Placement(device, batch, backend, mixed)
        lines = []
        where, prepare = working_on(out), _preparing(quiet)
        for line in run_all(chosen, objects.resolve(), where, seed, placement, prepare, traces, scale):
            lines.append(line)
            if not json_output:
                console.print(benchmark_table([line]))
        if json_output:
            told = [
                {
                    "experiment": line.twin.name,
                    "episodes": line.results["episodes"],
                    **{name: figures for name, *figures in line.figures},
                    "seconds": line.seconds,
                }
                for line in lines
            ]
            print_json({"out": str(out), "experiments": told, "without": WITHOUT})
            return
        if len(lines) > 1:  # else it was just told
            console.print(benchmark_table(lines))
        console.print(without_table())


def _preparing(quiet: bool) -> Prepare:
    """What makes ready to run a run folder, with a note for each that begins."""
    from saccade.experiment.progress import Notes
    from saccade.experiment.recognise.profile import interval
    from saccade.experiment.run import execute, first_models
    from saccade.experiment.starting import engine_here

    interval()  # what is wrong with it is told before a folder is made

    def prepare(path: Path, config: ExperimentConfig) -> Execute:
        if not quiet:
            tell_note(f"{path.name} ...")
        learns = config.train.mode != "none"
        engine, names = engine_here(config, models=None if learns else first_models(config))
        return lambda folder: execute(folder, engine, names, Notes(tell_note))

    return prepare
