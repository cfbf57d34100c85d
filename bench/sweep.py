"""Common programs beside torch: `python -m bench.sweep [PART OF A NAME ...]`.

In: the programs of `bench.cases.sweep`. Out: a line for each with both times and torch's over ours, and the
worst first at the end.

Both live in one process with one thread each and take turns; a time is the least processor time of many
calls. So other work on the machine disturbs little, and what is compared is the code, not the thread pools.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.cases.sweep import COMMON, Common, Draw
from bench.contenders import each

ROUNDS = 3


def least(call: Callable[[], object], seconds: float) -> float:
    """The least processor time of a call, of at least three and as many as fit."""
    best, calls, end = float("inf"), 0, time.perf_counter() + seconds
    while calls < 3 or time.perf_counter() < end:
        start = time.process_time()
        call()
        best, calls = min(best, time.process_time() - start), calls + 1
    return best


def difference(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """Of the largest result; infinite where shapes differ."""
    worst = 0.0
    for ours, peer in zip(found, wanted, strict=True):
        a, b = np.asarray(ours, np.float64), np.asarray(peer, np.float64)
        if a.shape != b.shape:
            return float("inf")
        worst = max(
            worst, float(np.abs(a - b).max(initial=0.0)) / max(float(np.abs(b).max(initial=0.0)), 1e-30)
        )
    return worst


def compare(case: Common, seconds: float) -> tuple[float, float, float]:
    """Our time, torch's, and how far results differ."""
    import torch

    from saccade import Tensor, jit

    arrays = case.inputs(Draw())
    ours, theirs = [Tensor(a) for a in arrays], [torch.from_numpy(a) for a in arrays]
    compiled, peer = jit(case.ours), case.peer or case.ours

    def run() -> list[Any]:
        return [t.numpy() for t in each(compiled(*ours))]

    def run_peer() -> tuple[Any, ...]:
        with torch.inference_mode():
            return each(peer(*theirs))

    run()
    off = difference(run(), [t.numpy() for t in run_peer()])
    mine = other = float("inf")
    for _ in range(ROUNDS):
        mine, other = min(mine, least(run, seconds)), min(other, least(run_peer, seconds))
    return mine, other, off


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.sweep", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="parts of names; none: all")
    parser.add_argument("--seconds", type=float, default=0.15, help="for each of both, three times")
    options = parser.parse_args(arguments)
    chosen = [c for c in COMMON if not options.names or any(n in c.name for n in options.names)]
    import torch

    torch.set_num_threads(1)
    ratios: dict[str, float] = {}
    wrong = []
    for case in chosen:
        mine, other, off = compare(case, options.seconds)
        ratios[case.name] = other / mine
        note = "" if off <= case.tolerance else f"  WRONG by {off:.2g}"
        wrong += [case.name] if note else []
        print(
            f"| {case.name} | {mine * 1e3:.2f} | {other * 1e3:.2f} | {other / mine:.2f} |{note}", flush=True
        )
    for name, ratio in sorted(ratios.items(), key=lambda item: item[1])[:10]:
        print(f"{ratio:.2f} {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = os.environ["SACCADE_THREADS"] = "1"
    sys.exit(main())
