"""The command line of the benchmark; `bench/__init__.py` says how it measures."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bench import OTHERS
from bench.case import OURS, PEERS
from bench.cases import CASES
from bench.contenders import EAGER
from bench.report import Report, Timing, line, show
from bench.rounds import Settings, Stage, measure_case
from bench.startup import STARTUPS, measure_startup
from bench.structure import STRUCTURES, count_new_programs

NAMES = (*CASES, *STARTUPS, *STRUCTURES)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    cores = os.cpu_count() or 1
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Every figure as a ratio against peers in one run.",
        epilog="\n".join(
            [
                "others, each with its own --help (saccade bench NAME, or python -m bench.NAME):",
                *(f"  {name:<12}{about}" for name, about in OTHERS.items()),
            ]
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--case",
        action="append",
        choices=NAMES,
        metavar="NAME",
        help=f"one of {', '.join(NAMES)}; may be repeated",
    )
    parser.add_argument("--peers", help=f"comma-separated; default: {','.join(PEERS)}")
    parser.add_argument(
        "--quick", action="store_true", help="small inputs, few rounds: shows that everything runs"
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write the figures as JSON; - writes them to standard output",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=min(2, cores),
        help="threads (and cores) of every contender; default: 2",
    )
    parser.add_argument(
        "--peer-python", default=sys.executable, help="the interpreter whose environment holds the peers"
    )
    parser.add_argument("--eager", action="store_true", help="run our programs without jit")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    options = parser.parse_args(arguments)
    options.peers = PEERS if options.peers is None else tuple(filter(None, options.peers.split(",")))
    unknown = sorted(set(options.peers) - set(PEERS))
    if unknown:
        parser.error(f"unknown peers {', '.join(unknown)}: choose from {', '.join(PEERS)}")
    if options.eager:
        os.environ[EAGER] = "1"
    if not 1 <= options.threads <= cores:
        parser.error(f"--threads {options.threads}: this machine has 1 to {cores}")
    return options


def run(options: argparse.Namespace, console: Console) -> Report:
    settings = Settings(threads=options.threads, quick=options.quick, peer_python=options.peer_python)
    chosen = options.case or NAMES
    with Stage(settings) as stage, console.status("starting") as status:
        missing = [name for name in (OURS, *options.peers) if not stage.open(name)]
        names = list(stage.versions)
        report = Report(stage.machine(), settings.threads, settings.quick, stage.versions, missing)

        def add(row: Timing) -> None:
            report.timings.append(row)
            console.print(line(row), style="dim", highlight=False)

        for case in (CASES[name] for name in chosen if name in CASES):
            work = case.work(case.make_inputs(settings.quick))
            figures = measure_case(stage, case, status.update)
            add(Timing(case.name, case.title, case.target, figures, work, report.machine.floor(work)))
        # Fresh processes come last and alone: the workers above are idle, but their memory is not.
        stage.close()
        for startup in (STARTUPS[name] for name in chosen if name in STARTUPS):
            figures = measure_startup(startup, names, settings, status.update)
            add(Timing(startup.name, startup.title, startup.target, figures))
            if startup.name == "resnet18_warm" and OURS in figures:
                report.counts.append(count_new_programs(figures[OURS]))
        for name in (name for name in chosen if name in STRUCTURES):
            status.update(f"counting: {name}")
            report.counts += STRUCTURES[name](settings)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    to_stdout = options.json is not None and str(options.json) == "-"
    console = Console(stderr=to_stdout)
    if not console.is_terminal:
        console = Console(stderr=to_stdout, width=150)
    report = run(options, console)
    show(report, console)
    if options.json is not None:
        text = json.dumps(report.as_json(), indent=2)
        if to_stdout:
            print(text)
        else:
            options.json.write_text(text + "\n")
    return 1 if options.check and report.failed() else 0


if __name__ == "__main__":
    raise SystemExit(main())
