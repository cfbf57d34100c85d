"""The commands around experiments: devices, bench, cache, check, explain. Each imports what it needs when it
is called.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Annotated

import typer

from saccade.cli_common import Json, console_for, print_json, reporting

# What is not known here goes on to the script.
SCRIPT = {"allow_extra_args": True, "ignore_unknown_options": True}
# A benchmark has its own --help.
PASS_ON = {**SCRIPT, "help_option_names": []}


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    app.command()(devices)
    app.command(context_settings=PASS_ON, epilog="Example:  saccade bench evidence --objects 77 --json")(
        bench
    )
    app.command(context_settings=SCRIPT, epilog="Example:  saccade explain my_script.py")(explain)
    app.command(context_settings=SCRIPT, epilog="Example:  saccade search my_script.py --seconds 30")(search)
    cache = typer.Typer(help="What is kept on disk between processes.", no_args_is_help=True)
    cache.command("show")(cache_show)
    cache.command("clear")(cache_clear)
    app.add_typer(cache, name="cache")
    check = typer.Typer(help="Prove or fuzz what the compiler relies on.", no_args_is_help=True)
    check.command("rules", epilog='Example:  saccade check rules "x % 1 -> 0"')(check_rules)
    check.command("bounds", context_settings=SCRIPT, epilog="Example:  saccade check bounds my_script.py")(
        check_bounds
    )
    check.command("fuzz")(check_fuzz)
    app.add_typer(check, name="check")


def devices(json_output: Json = False) -> None:
    """The devices that programs can run on, and what the others lack."""
    from rich.markup import escape
    from rich.table import Table

    from saccade.runtime.device import Device

    with reporting(json_output):
        found = Device.list()
        if json_output:
            listed = [
                {"name": each.name, "usable": each.usable, "about": each.about, "missing": each.missing}
                for each in found
            ]
            print_json({"default": Device.default, "devices": listed})
            return
        table = Table()
        for column in ("device", "usable", "what it is, or what is missing"):
            table.add_column(column)
        for each in found:
            name = f"{each.name} (default)" if each.name == Device.default else each.name
            table.add_row(name, "yes" if each.usable else "no", escape(each.missing or each.about))
        console_for(False).print(table)


def _delegate(module: str, arguments: list[str], what: str) -> int:
    """Call `main(arguments)` of a module that may not be part of this installation."""
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
            raise
        raise ImportError(f"{what} is not part of this installation; run it from the source tree") from None
    return int(found.main(arguments) or 0)


def bench(
    context: typer.Context, name: Annotated[str | None, typer.Argument(help="Benchmark; none: all.")] = None
) -> None:
    """Measure against peers in the same run; what follows NAME goes to that benchmark (try --help)."""
    with reporting(False):
        # The benchmark is a folder of the source tree beside the package.
        root = Path(__file__).resolve().parent.parent
        if (root / "bench" / "__main__.py").exists() and str(root) not in sys.path:
            sys.path.insert(0, str(root))
        if name is not None and importlib.util.find_spec(f"bench.{name}") is not None:
            raise typer.Exit(_delegate(f"bench.{name}", context.args, f"benchmark {name}"))
        first = [] if name is None else [name] if name.startswith("-") else ["--case", name]
        raise typer.Exit(_delegate("bench.__main__", [*first, *context.args], "the benchmark"))


def explain(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A Python script; what follows it is passed on to it.")],
    json_output: Json = False,
) -> None:
    """Run a script and tell what the compiler made of it: kernels, why each is one, their moves, time, bytes
    and FLOPs beside the least possible."""
    with reporting(json_output):
        from contextlib import redirect_stdout

        from saccade.explain import explain as explained

        # what the script itself prints must not come between a machine and its JSON
        with redirect_stdout(sys.stderr if json_output else sys.stdout):
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
) -> None:
    """Run a script and search for faster kernels of what it computes; later runs use what was found.

    Results are for one kind of processor or card. Write them to a file and import them on another machine of
    the kind."""
    with reporting(False):
        if script is None and export is None and import_from is None:
            raise ValueError("name a script to search, --export FILE or --import FILE")
        if import_from is not None:
            _import_results(import_from)
        if script is not None:
            _search_script(script, context.args, seconds)
        if export is not None:
            _export_results(export, device)


def _search_script(script: Path, arguments: list[str], seconds: float) -> None:
    from saccade.explain import run_script
    from saccade.tensor.searching import searching

    with searching(seconds) as made:
        run_script(script, arguments)
    for found in made.found:
        gain = f"{found.before * 1e6:.1f} -> {found.after * 1e6:.1f} us"
        failed = f", {len(found.failures)} failed" if found.failures else ""
        typer.echo(f"{found.name}: {gain}, {found.tried} candidates{failed}: {found.move}")


def _import_results(path: Path) -> None:
    from saccade.runtime.device import Device
    from saccade.runtime.searched import import_file, target_of

    usable = [each.name for each in Device.list() if each.usable]
    targets = [target_of(name) for name in usable if name.partition(":")[0] in ("cpu", "cuda")]
    target, count = import_file(path, targets)
    typer.echo(f"{count} results for {target}")


def _export_results(path: Path, device: str | None) -> None:
    from saccade.runtime.device import Device
    from saccade.runtime.searched import target_of, write_file

    target = target_of(Device.canonical(device))
    typer.echo(f"{write_file(path, target)} results for {target} in {path}")


def check_rules(
    law: Annotated[
        str | None, typer.Argument(help='A rule to try on its own, such as "(a*c+b)//c -> a+b//c if c > 0".')
    ] = None,
    json_output: Json = False,
) -> None:
    """Prove every integer rewrite rule, or try a new one, with z3."""
    with reporting(json_output):
        from saccade.graph.prove import check_rules as prove_all
        from saccade.graph.prove import prove_text

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

        from saccade.explain import run_script
        from saccade.fuzz.bounds import computed, prove_since

        before = computed()
        with redirect_stdout(sys.stderr if json_output else sys.stdout):
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
) -> None:
    """Compare random programs, with the heuristic's moves and with random legal ones, with the oracle."""
    with reporting(False):
        from saccade.fuzz import main

        raise typer.Exit(main(programs, seed))


def cache_show(json_output: Json = False) -> None:
    """Where the cache is, how large it is and how large it may become."""
    from saccade.runtime.cache import shared_cache
    from saccade.runtime.config import settings

    with reporting(json_output):
        stats = shared_cache().stats()
        if json_output:
            print_json({"folder": str(settings.cache), "entries": stats.entries, "bytes": stats.nbytes})
            return
        where = "memory only (SACCADE_CACHE=off)" if settings.cache is None else str(settings.cache)
        limit = settings.cache_bytes / 1e6
        typer.echo(f"{where}: {stats.entries} entries, {stats.nbytes / 1e6:.1f} MB of at most {limit:.0f} MB")


def cache_clear(json_output: Json = False) -> None:
    """Delete what is cached; it is made again when needed."""
    from saccade.runtime.cache import shared_cache

    with reporting(json_output):
        removed = shared_cache().clear()
        if json_output:
            print_json({"removed": removed})
            return
        typer.echo(f"removed {removed} entries")
