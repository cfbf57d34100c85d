"""What one small call costs: `python -m bench.calls`, eager, warm, beside torch where it is installed.

    add       `x + 1` of ten elements
    number    `(x * float(i)).sum()` with another `i` in every call, more than with the same one
    index     `x[i]`
    store     `x[i] = 1`
    length    `(x[:n] * 2).sum()`: another length in every call

A call computes (`realize`) and waits for nothing else. The values go round, so that none is the one before
it, and what they had to compile is compiled before the clock starts. Rounds go through all calls, with
repeated and with changing values; the figure is the fastest hundred calls of all rounds, in microseconds a
call, as whoever else works on the machine only adds. The run exits with 1 if `add` takes over 20, or a
changing value over 30 more than a repeated one, or anything was compiled.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

Call = Callable[[int], Any]

ADD_LIMIT, MORE_LIMIT = 20.0, 30.0  # microseconds
VALUES = 100  # different ones, in turn


@dataclass(frozen=True)
class Cost:
    """Microseconds a call with one value, with changing ones, and the programs compiled while timing."""

    name: str
    contender: str
    repeated: float
    changing: float
    compiled: int = 0

    @property
    def more(self) -> float:
        return self.changing - self.repeated


def calls_of(array: Callable[[Any], Any], run: Callable[[Any], Any]) -> dict[str, Call]:
    """The calls in the words that both libraries share."""
    ten, rows, line = (array(np.ones(shape, np.float32)) for shape in (10, (VALUES + 1, 16), 8 * VALUES))

    def store(i: int) -> Any:
        rows[i] = 1.0
        return run(rows)

    return {
        "add": lambda i: run(ten + 1),
        "number": lambda i: run((ten * float(i)).sum()),
        "index": lambda i: run(rows[i]),
        "store": store,
        "length": lambda i: run((line[: 500 + i] * 2).sum()),
    }


def microseconds(call: Call, values: Sequence[int]) -> float:
    """A call's, in the fastest of some runs of `VALUES` calls: others who work on this machine only add."""
    runs = []
    for first in range(0, len(values), VALUES):
        run = values[first : first + VALUES]
        start = time.perf_counter()
        for value in run:
            call(value)
        runs.append((time.perf_counter() - start) / len(run) * 1e6)
    return min(runs)


def costs_of(calls: dict[str, Call], contender: str, rounds: int, compiled: Callable[[], int]) -> list[Cost]:
    """Of all calls, round by round: a machine that is slow for a second is so for all of them."""
    values = [1 + i % VALUES for i in range(1, 4 * VALUES + 1)]
    same = [values[7]] * len(values)
    made: dict[str, int] = {}
    for call in calls.values():
        for value in (*values, *same, *values):
            call(value)
    fastest = dict.fromkeys(calls, (math.inf, math.inf))
    for _ in range(rounds):
        for name, call in calls.items():
            before = compiled()
            repeated, changing = fastest[name]
            repeated = min(repeated, microseconds(call, same))
            fastest[name] = repeated, min(changing, microseconds(call, values))
            made[name] = made.get(name, 0) + compiled() - before
    return [Cost(name, contender, *fastest[name], made[name]) for name in calls]


@contextmanager
def counted() -> Iterator[Callable[[], int]]:
    """How many programs our compiler has made so far."""
    from saccade.tensor.programs import realize as module

    make, number = module.make_executable, 0

    def counting(*arguments: Any) -> Any:
        nonlocal number
        number += 1
        return make(*arguments)

    with patch.object(module, "make_executable", counting):
        yield lambda: number


def ours(rounds: int) -> list[Cost]:
    from saccade import Tensor

    with counted() as compiled:
        calls = calls_of(Tensor, lambda x: x.realize())
        return costs_of(calls, "saccade", rounds, compiled)


def torchs(rounds: int) -> list[Cost]:
    import torch

    calls = calls_of(torch.from_numpy, lambda x: x)
    return costs_of(calls, "torch", rounds, lambda: 0)


def table_of(costs: Sequence[Cost]) -> Table:
    table = Table("call", "contender", "repeated, us", "changing, us", "more, us", "compiled")
    for c in costs:
        table.add_row(
            c.name, c.contender, f"{c.repeated:.1f}", f"{c.changing:.1f}", f"{c.more:+.1f}", str(c.compiled)
        )
    return table


def too_slow(c: Cost) -> bool:
    limit = c.repeated > ADD_LIMIT if c.name == "add" else c.more > MORE_LIMIT
    return c.contender == "saccade" and (limit or c.compiled > 0)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.calls", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="the figures for a program to read")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least 1")
    costs = ours(options.rounds)
    if importlib.util.find_spec("torch"):
        costs += torchs(options.rounds)
    if options.json:
        print(json.dumps([asdict(c) | {"more": c.more} for c in costs], indent=2))
    else:
        Console().print(table_of(costs))
    return int(any(map(too_slow, costs)))


if __name__ == "__main__":
    sys.exit(main())
