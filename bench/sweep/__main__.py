"""Programs of real models beside torch: `python -m bench.sweep [PART OF A NAME ...]`.

    python -m bench.sweep --part 3/12 --state sweep.jsonl      # a twelfth; all twelve make one table
    python -m bench.sweep --device cuda --state sweep.jsonl    # what is in the file is not measured again
    python -m bench.sweep --report --state sweep.jsonl --plot sweep.svg
    python -m bench.sweep --check                             # estimates beside measurements, too
    python -m bench.sweep --suspects                          # kernels that would starve a card; needs none

First several processes compile what the cases need into the caches on disk. Then one times case after case,
ours and torch's in turns, results checked first. A case below its figure is measured again, alone, in five
rounds. What crashes, hangs or is wrong is a row like any other.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.sweep import report
from bench.sweep.crew import Crew
from bench.sweep.families import PROGRAMS
from bench.sweep.program import Case, cases_of

#: below these, a case is measured again
FIGURES = {"cpu": 0.9, "cuda": 0.95}


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.sweep", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of names or families; none: all")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--part", default="1/1", help="as 3/12: the third of twelve parts")
    parser.add_argument(
        "--state", type=Path, help="a file of JSON lines that results are kept in and taken from"
    )
    parser.add_argument("--dtype", action="append", help="only cases in this type; may be given again")
    parser.add_argument(
        "--shape", type=int, action="append", choices=(1, 2, 3), help="only this one of the three; 3 is odd"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile ahead")
    parser.add_argument("--threads", type=int, default=1, help="of both sides on the CPU")
    parser.add_argument("--seconds", type=float, default=0.02, help="of a side in a round")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one case may take")
    parser.add_argument("--eager", action="store_true", help="no torch.compile")
    parser.add_argument("--report", action="store_true", help="measure nothing, only tell what the state has")
    parser.add_argument(
        "--check", action="store_true", help="compare estimates with measured times of kernels"
    )
    parser.add_argument("--plot", type=Path, help="write an SVG of all ratios")
    parser.add_argument(
        "--suspects", action="store_true", help="list kernels that leave a GPU idle; no card needed"
    )
    return parser.parse_args(arguments)


def chosen(options: argparse.Namespace) -> list[Case]:
    """Those of this part: every n-th, so that each part has all families."""
    some = [
        p for p in PROGRAMS
        if not options.names or any(n.lower() in f"{p.family} {p.name}".lower() for n in options.names)
    ]  # fmt: skip
    every = list(cases_of(some, options.device))
    every = [c for c in every if not options.dtype or c.dtype in options.dtype]
    every = [c for c in every if not options.shape or c.shape + 1 in options.shape]
    number, _, count = options.part.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise SystemExit(f"--part {options.part!r} is no part: write 3/12 for the third of twelve")
    return every[int(number) - 1 :: int(count)]


class State:
    """Rows by case, in a file that grows as they come; of two lines about a case the later counts."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                row = json.loads(line)
                self.rows[row.pop("case")] = row

    def put(self, key: str, row: dict[str, Any]) -> None:
        self.rows[key] = row
        if self.path is not None:
            with self.path.open("a") as file:
                print(json.dumps({"case": key, **row}), file=file)


def measure(cases: Sequence[Case], options: argparse.Namespace, state: State) -> None:
    by_key = {case.key: case for case in cases}
    todo = [key for key in by_key if key not in state.rows]
    start = time.perf_counter()
    if options.jobs > 1:
        with Crew(min(options.jobs, len(todo)), options.device, options.threads, options.limit) as crew:
            for number, _ in enumerate(crew.all({"do": "warm", "compile": not options.eager}, todo), 1):
                print(f"\rcompiling {number} of {len(todo)}", end="", file=sys.stderr, flush=True)
        print(f", {time.perf_counter() - start:.0f} s", file=sys.stderr)
    figure = FIGURES[options.device]
    request = {
        "do": "time", "compile": not options.eager, "rounds": 3, "seconds": options.seconds,
        "blame": options.check,
    }  # fmt: skip
    with Crew(1, options.device, options.threads, options.limit) as crew:
        for key, row in crew.all(request, todo):
            tell(key, row, by_key[key], state)
        poor = [k for k in todo if (report.ratio_of(state.rows[k]) or 1.0) < figure]
        for key, row in crew.all(request | {"rounds": 5, "blame": True}, poor):
            tell(key, row | {"again": True}, by_key[key], state)
    print(f"{len(todo)} cases in {time.perf_counter() - start:.0f} s", file=sys.stderr)


def tell(key: str, row: dict[str, Any], case: Case, state: State) -> None:
    state.put(key, row | {"family": case.program.family})
    print(report.table({key: row}).splitlines()[-1], flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    options = options_of(arguments)
    cases = chosen(options)
    if options.suspects:
        from bench.sweep.suspects import tell_suspects

        return tell_suspects(cases)
    state = State(options.state)
    if not options.report:
        measure(cases, options, state)
    rows = state.rows
    if options.report:
        print(report.table(rows))
    figure = FIGURES[options.device]
    print(report.summary(rows, figure))
    print("the worst, and what is to blame:")
    print(report.worst(rows))
    if options.plot:
        options.plot.write_text(
            report.plot(rows, f"torch's time over ours, {len(rows)} cases, {options.device}")
        )
    failed = any("error" in row for row in rows.values())
    if options.check:
        far = report.misjudged(rows)
        for key, times in far.items():
            print(f"estimate off: measured {times:.2g} times the estimate: {key}")
        failed = failed or bool(far)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
