"""`saccade kernels`: a data set of kernels is written, replayed, and compared with another."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.common import console_for, of_source_tree, print_json, reporting
from saccade.cli.flags import Json

if TYPE_CHECKING:
    from saccade.fuzz.kernels.replay import Replay
    from saccade.graph.kernels.kernel import Kernel
    from saccade.tensor.programs.form import Form


class Part(StrEnum):
    """What a data set is made of."""

    COMMON = "common"
    MODELS = "models"
    CORTEX = "cortex"


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    kernels = typer.Typer(
        help="A data set of kernels: what a change of the compiler did to them, and that they still work.",
        epilog="Example:  saccade kernels dump before  ·  (change the compiler)  ·  saccade kernels dump "
        "after  ·  saccade kernels compare before after  ·  saccade kernels check after",
        no_args_is_help=True,
    )
    kernels.command("dump", epilog="Example:  saccade kernels dump before --part common")(dump)
    kernels.command("check", epilog="Example:  saccade kernels check before --sample 50")(check)
    kernels.command("compare", epilog="Example:  saccade kernels compare before after")(compare)
    app.add_typer(kernels, name="kernels")


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where `saccade kernels dump` wrote.")]


def dump(
    folder: Annotated[Path, typer.Argument(help="Where to write; it is made.")] = Path("kernels"),
    part: Annotated[
        list[Part] | None, typer.Option(help="Only these programs; repeat it for more. All: two minutes.")
    ] = None,
    script: Annotated[
        Path | None, typer.Option(help="What this script computes, instead of our programs.")
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only so many, smaller ones.")] = None,
    compressed: Annotated[bool, typer.Option(help="Write kernels.txt.gz.")] = False,
    json_output: Json = False,
) -> None:
    """Write every different kernel of the common programs, the models and the cortex as text.

    Each program is scheduled for a CPU and for a GPU. The file says which program has which kernels, and is
    the same bytes for the same compiler."""
    with reporting(json_output):
        from saccade.fuzz.kernels.dataset import DataSet

        if script is not None and part:
            raise ValueError("--script is instead of our programs: leave out --part")
        found = _of_script(script) if script is not None else _of_ours(part or list(Part))
        made = DataSet.of(found)
        if not made.kernels:
            raise ValueError("nothing was computed: a tensor is computed when it is realised or read")
        if sample is not None:
            made = made.sample(sample)
        path = made.write(folder, compressed)
        programs = len({program.name for program in made.programs})
        if json_output:
            print_json({"file": str(path), "programs": programs, "kernels": len(made.kernels)})
            return
        typer.echo(f"{len(made.kernels)} kernels of {programs} programs in {path}")


def _of_ours(parts: list[Part]) -> Iterator[tuple[str, Form]]:
    module = of_source_tree("bench.kernel_programs", "the collection of programs")
    yield from module.programs(parts, lambda text: typer.echo(f"{text} ...", err=True))


def _of_script(script: Path) -> list[tuple[str, Form]]:
    from contextlib import redirect_stdout

    from saccade.explain.report import run_script
    from saccade.graph.rewriting.passes import Watch, watch
    from saccade.tensor.programs.realize import computed

    before = set(computed())
    with watch(Watch()), redirect_stdout(sys.stderr):  # one line, or one JSON object, is ours
        run_script(script, [])
    new = [form for form, device in computed() if (form, device) not in before]
    return [(f"{script.name} {number}", form) for number, form in enumerate(dict.fromkeys(new), 1)]


def check(
    folder: Folder,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Only so many kernels, from all over the data set.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    json_output: Json = False,
) -> None:
    """Replay a data set: is each kernel still a kernel that works?

    Each is read and verified, its indices are proved in bounds (with z3), it is lowered for the CPU and for
    three generations of GPUs (compiled for one of them where NVRTC is installed), compiled for a platform
    that this is not, and it runs on the CPU, and as x86-64 and as arm64 where unicorn is installed, on
    random numbers beside the interpreter."""
    with reporting(json_output):
        from saccade.fuzz.kernels.dataset import DataSet, spread_out
        from saccade.fuzz.kernels.platforms import EMULATED, has_emulator
        from saccade.fuzz.kernels.replay import has_nvrtc, has_prover

        data = DataSet.read(folder)
        chosen = spread_out(list(data.kernels), sample or len(data.kernels))
        replays = _replayed([data.kernels[digest] for digest in chosen], jobs)
        failed = [each for each in replays if each.problems]
        counts = {
            "kernels": len(replays),
            "proved": sum(each.proved for each in replays),
            "ran": sum(each.ran for each in replays),
            "compiled": sum(each.compiled for each in replays),
            **{name: sum(name in each.emulated for each in replays) for name in EMULATED},
        }
        if json_output:
            print_json({**counts, "failed": [asdict(each) for each in failed]})
        else:
            for each in failed:
                typer.echo(str(each))
            if not has_prover():
                typer.echo("without z3 no bounds were proved: pip install saccade[prove]", err=True)
            if not has_nvrtc():
                typer.echo("without NVRTC nothing was compiled for GPUs: pip install saccade[cuda]", err=True)
            if not has_emulator():
                typer.echo("without unicorn nothing ran as x86-64 or arm64: pip install unicorn", err=True)
            typer.echo(
                f"{counts['kernels'] - len(failed)} of {counts['kernels']} kernels are as they should be; "
                f"{counts['proved']} proved in bounds, {counts['ran']} ran as the interpreter, "
                f"{counts['compiled']} compiled for a GPU, "
                + ", ".join(f"{counts[name]} ran as {name}" for name in EMULATED)
            )
        if failed:
            raise typer.Exit(1)


def _replayed(kernels: list[Kernel], jobs: int) -> list[Replay]:
    """What was found out about each kernel, in order."""
    from rich.progress import track

    from saccade.graph.kernels.text import text_of

    texts = [text_of(kernel) for kernel in kernels]
    console = console_for(True)
    if jobs == 1 or len(texts) < 2 * jobs:
        return list(track(map(_replay, texts), "replaying", len(texts), console=console, transient=True))
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        found = pool.map(_replay, texts, chunksize=4)
        return list(track(found, "replaying", len(texts), console=console, transient=True))


def _replay(text: str) -> Replay:
    from saccade.fuzz.kernels.replay import replay
    from saccade.graph.kernels.text import kernel_from

    return replay(kernel_from(text))


def compare(
    before: Folder,
    after: Annotated[Path, typer.Argument(metavar="FOLDER", help="The other one.")],
    json_output: Json = False,
) -> None:
    """Tell which kernels appeared, vanished or changed. A report: that there are some is no failure."""
    with reporting(json_output):
        from collections import Counter

        from rich.markup import escape
        from rich.table import Table

        from saccade.fuzz.kernels.changes import changes
        from saccade.fuzz.kernels.dataset import DataSet

        first, second = DataSet.read(before), DataSet.read(after)
        found = changes(first, second)
        if json_output:
            print_json({"changes": [asdict(each) for each in found]})
            return
        table = Table()
        for column in ("program", "machine", "kernel", "", "how"):
            table.add_column(column, overflow="fold")
        for each in found:
            row = (each.program, each.machine, each.kernel or "(all)", each.what, each.told)
            table.add_row(*map(escape, row))
        if found:
            console_for(False).print(table)
        counts = Counter(each.what for each in found if each.kernel)
        told = ", ".join(f"{counts[what]} {what}" for what in ("changed", "appeared", "vanished"))
        typer.echo(f"{len(first.kernels)} kernels and {len(second.kernels)}; in programs of both {told}")
