"""The commands around experiments: devices, bench, cache, check, explain. Each imports what it needs when it
is called.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.commands.precision import check_precision
from saccade.cli.commands.soak import check_soak
from saccade.cli.common import console_for, of_source_tree, print_json, reporting
from saccade.cli.flags import Json

if TYPE_CHECKING:
    from rich.table import Table

    from saccade.tensor.programs.searching import Finding

# What is not known here goes on to the script.
SCRIPT = {"allow_extra_args": True, "ignore_unknown_options": True}
# A benchmark has its own --help.
PASS_ON = {**SCRIPT, "help_option_names": []}


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    app.command(epilog="Examples:  saccade devices  ·  saccade devices --measure --json")(devices)
    app.command(context_settings=PASS_ON, epilog="Example:  saccade bench evidence --objects 77 --json")(
        bench
    )
    app.command(context_settings=SCRIPT, epilog="Example:  saccade explain my_script.py")(explain)
    app.command(context_settings=SCRIPT, epilog="Example:  saccade search my_script.py --seconds 30")(search)
    cache = typer.Typer(help="What is kept on disk between processes.", no_args_is_help=True)
    cache.command("show")(cache_show)
    cache.command("clear")(cache_clear)
    app.add_typer(cache, name="cache")
    check = typer.Typer(
        help="Prove, measure or fuzz what the compiler relies on and what it makes.", no_args_is_help=True
    )
    check.command("rules", epilog='Example:  saccade check rules "x % 1 -> 0"')(check_rules)
    check.command("bounds", context_settings=SCRIPT, epilog="Example:  saccade check bounds my_script.py")(
        check_bounds
    )
    check.command(
        "precision", context_settings=SCRIPT, epilog="Example:  saccade check precision my_script.py --json"
    )(check_precision)
    check.command("fuzz")(check_fuzz)
    check.command(
        "soak", epilog="Examples:  saccade check soak --minutes 60  ·  saccade check soak --only files"
    )(check_soak)
    app.add_typer(check, name="check")


def devices(
    measure: Annotated[
        bool, typer.Option(help="Measure how fast each copies and multiplies, a second or two each.")
    ] = False,
    json_output: Json = False,
) -> None:
    """The devices that programs can run on, and what the others lack."""
    from rich.markup import escape
    from rich.table import Table

    from saccade.runtime.device import Device

    with reporting(json_output):
        found = Device.list()
        rates = _rates([each.name for each in found if each.usable]) if measure else {}
        if json_output:
            listed = [
                {"name": each.name, "usable": each.usable, "about": each.about, "missing": each.missing}
                | ({"measured": rates[each.name]} if each.name in rates else {})
                for each in found
            ]
            print_json({"default": Device.default, "devices": listed})
            return
        table = Table()
        for column in ("device", "usable", "what it is, or what is missing"):
            table.add_column(column)
        for each in found:
            name = f"{each.name} (default)" if each.name == Device.default else each.name
            told = [each.missing or each.about]
            told += [f"{key} {rate:.1f}" for key, rate in rates.get(each.name, {}).items()]
            table.add_row(name, "yes" if each.usable else "no", escape("\n".join(told)))
        console_for(False).print(table)


def _rates(devices: list[str]) -> dict[str, dict[str, float]]:
    """What was measured of the devices that compute."""
    from saccade.ceilings import ceilings

    found = {}
    for name in devices:
        if name.partition(":")[0] in ("cpu", "cuda"):
            seen = ceilings(name)
            products = {f"{dtype} products, GFLOP/s": rate / 1e9 for dtype, rate in seen.products.items()}
            found[name] = {"copy, GB/s": seen.copy / 1e9, **products}
    return found


def _own_benchmarks() -> dict[str, str]:
    """The benchmarks with a command line of their own."""
    others: dict[str, str] = getattr(of_source_tree("bench", "the benchmark"), "OTHERS", {})
    return others


def bench(
    context: typer.Context, name: Annotated[str | None, typer.Argument(help="Benchmark; none: all.")] = None
) -> None:
    """Measure against peers in the same run; what follows NAME goes to that benchmark (try --help)."""
    with reporting(False):
        if name in _own_benchmarks():
            found = of_source_tree(f"bench.{name}", f"benchmark {name}")
            raise typer.Exit(int(found.main(context.args) or 0))
        first = [] if name is None else [name] if name.startswith("-") else ["--case", name]
        found = of_source_tree("bench.__main__", "the benchmark")
        raise typer.Exit(int(found.main([*first, *context.args]) or 0))


def explain(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A Python script; what follows it is passed on to it.")],
    passes: Annotated[
        bool,
        typer.Option(
            "--passes", help="Instead, what each pass of the compiler did: time, steps, nodes, rules."
        ),
    ] = False,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory",
            help="Instead, live bytes, their peak, who made them, what backward keeps; with "
            "SACCADE_DEVICE=null without the hardware.",
        ),
    ] = False,
    json_output: Json = False,
) -> None:
    """Run a script and tell what the compiler made of it: kernels, why each is one, their moves, time, bytes
    and FLOPs beside the least possible."""
    with reporting(json_output):
        from contextlib import redirect_stdout

        from saccade.explain import explain as explained
        from saccade.explain.memory import MemoryExplanation, explain_memory
        from saccade.explain.passes import Passes, explain_passes
        from saccade.explain.report import Explanation

        if memory and passes:
            raise ValueError("--memory and --passes are two questions: ask one at a time")
        # what the script itself prints must not come between a machine and its JSON
        with redirect_stdout(sys.stderr if json_output else sys.stdout):
            found: Explanation | Passes | MemoryExplanation
            if passes:
                found = explain_passes(script, context.args)
            elif memory:
                found = explain_memory(script, context.args)
            else:
                found = explained(script, context.args, ceilings=True)
        if json_output:
            print_json(found.as_dict())
        else:
            console_for(False).print(found)


def search(
    context: typer.Context,
    script: Annotated[Path | None, typer.Argument(help="A Python script.")] = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each computation it realises.")] = 10.0,
    export: Annotated[Path | None, typer.Option(help="Write all results for the device to FILE.")] = None,
    import_from: Annotated[
        Path | None, typer.Option("--import", help="Use the results that FILE has for this machine.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="Of which results are written; the default one.")] = None,
    json_output: Json = False,
) -> None:
    """Run a script and search for faster kernels of what it computes; later runs use what was found.

    Results are for one kind of processor or card. Write them to a file and import them on another machine of
    the kind."""
    with reporting(json_output):
        if script is None and export is None and import_from is None:
            raise ValueError("name a script to search, --export FILE or --import FILE")
        told: list[str] = []
        if import_from is not None:
            told.append(_import_results(import_from))
        found = [] if script is None else _search_script(script, context.args, seconds, json_output)
        if export is not None:
            told.append(_export_results(export, device))
        if json_output:
            print_json(
                {"kernels": [f._asdict() | {"moves": json.loads(f.moves)} for f in found], "told": told}
            )
            return
        if found:
            console_for(False).print(_table_of(found))
        for line in told:
            typer.echo(line)


def _search_script(script: Path, arguments: list[str], seconds: float, quiet: bool) -> list[Finding]:
    from contextlib import redirect_stdout

    from saccade.explain.report import run_script
    from saccade.tensor.programs.searching import searching

    # what the script itself prints must not come between a machine and its JSON
    with searching(seconds) as made, redirect_stdout(sys.stderr if quiet else sys.stdout):
        run_script(script, arguments)
    return made.found


def _table_of(found: list[Finding]) -> Table:
    """What a search found, a row for each kernel."""
    from rich.markup import escape
    from rich.table import Table

    from saccade.codegen.moves.text import from_json, words_of

    table = Table()
    for column in ("kernel", "heuristic, us", "found, us", "gain", "candidates", "moves"):
        text = column in ("kernel", "moves")
        table.add_column(column, justify="left" if text else "right", overflow="fold")
    for each in found:
        gain = f"{each.before / each.after:.2f}" if each.after else ""
        tried = f"{each.tried}, {each.failed} failed" if each.failed else str(each.tried)
        moves = escape("; ".join(map(words_of, from_json(each.moves))))
        table.add_row(each.name, f"{each.before * 1e6:.1f}", f"{each.after * 1e6:.1f}", gain, tried, moves)
    return table


def _import_results(path: Path) -> str:
    from saccade.runtime.cache.searched import import_file, target_of
    from saccade.runtime.device import Device

    usable = [each.name for each in Device.list() if each.usable]
    targets = [target_of(name) for name in usable if name.partition(":")[0] in ("cpu", "cuda")]
    target, count = import_file(path, targets)
    return f"{count} results for {target}"


def _export_results(path: Path, device: str | None) -> str:
    from saccade.runtime.cache.searched import target_of, write_file
    from saccade.runtime.device import Device

    target = target_of(Device.canonical(device))
    return f"{write_file(path, target)} results for {target} in {path}"


def check_rules(
    law: Annotated[
        str | None, typer.Argument(help='A rule to try on its own, such as "(a*c+b)//c -> a+b//c if c > 0".')
    ] = None,
    json_output: Json = False,
) -> None:
    """Prove every law of the simplifier, or try a new one, with z3: on integers, words, floats, masks."""
    with reporting(json_output):
        from saccade.graph.proofs.prove import check_rules as prove_all
        from saccade.graph.proofs.prove import prove_text

        results = prove_all() if law is None else [prove_text(law)]
        failed = [r for r in results if not r.proved]
        if json_output:
            proved = len(results) - len(failed)
            print_json({"laws": len(results), "proved": proved, "failed": list(map(str, failed))})
        else:
            for result in failed if law is None else results:
                typer.echo(str(result))
            seconds = sum(r.seconds for r in results)
            typer.echo(f"{len(results) - len(failed)} of {len(results)} laws proved in {seconds:.1f} s")
        if failed:
            raise typer.Exit(1)


def check_bounds(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A Python script; what follows it is passed on to it.")],
    json_output: Json = False,
) -> None:
    """Run a script and prove, with z3, that its kernels never leave their memory."""
    with reporting(json_output):
        from contextlib import redirect_stdout

        from saccade.explain.report import run_script
        from saccade.fuzz.bounds import computed, prove_since
        from saccade.graph.rewriting.passes import Watch, watch

        before = computed()
        # recorded, each computation is compiled for its own numbers and lengths
        with watch(Watch()), redirect_stdout(sys.stderr if json_output else sys.stdout):
            run_script(script, context.args)
        proofs = list(prove_since(before))
        problems = [proof for proof in proofs if proof.problem]
        accesses = sum(proof.accesses for proof in proofs)
        if json_output:
            print_json({"kernels": len(proofs), "accesses": accesses, "failed": list(map(str, problems))})
        else:
            for proof in proofs:
                typer.echo(str(proof))
            proved = f"{len(proofs) - len(problems)} of {len(proofs)} kernels"
            typer.echo(f"{proved} stay inside their memory, {accesses} accesses in all")
        if problems:
            raise typer.Exit(1)


def check_fuzz(
    programs: Annotated[int, typer.Option(min=1, help="Random programs to try.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first; the next has the next.")] = 0,
    device: Annotated[str, typer.Option(help="cpu, interpreter, cuda, ...")] = "cpu",
) -> None:
    """Compare random programs with the oracle: on the CPU with the heuristic's moves and with random legal
    ones, on other devices as they run there.
    """
    with reporting(False):
        from saccade.fuzz import main
        from saccade.runtime.device import Device

        raise typer.Exit(main(programs, seed, Device.usable(device)))


def cache_show(json_output: Json = False) -> None:
    """Where the cache is, how large it is and how large it may become."""
    from saccade.runtime.cache.cache import shared_cache
    from saccade.runtime.config import settings

    with reporting(json_output):
        stats = shared_cache().stats()
        if json_output:
            told = {"folder": str(settings.cache), "entries": stats.entries, "bytes": stats.nbytes}
            print_json({**told, "problem": stats.problem})
            return
        if stats.problem is not None:
            typer.echo(stats.problem)
            return
        where = "memory only (SACCADE_CACHE=off)" if settings.cache is None else str(settings.cache)
        limit = settings.cache_bytes / 1e6
        typer.echo(f"{where}: {stats.entries} entries, {stats.nbytes / 1e6:.1f} MB of at most {limit:.0f} MB")


def cache_clear(json_output: Json = False) -> None:
    """Delete what is cached; it is made again when needed."""
    from saccade.runtime.cache.cache import shared_cache

    with reporting(json_output):
        removed = shared_cache().clear()
        if json_output:
            print_json({"removed": removed})
            return
        typer.echo(f"removed {removed} entries")
