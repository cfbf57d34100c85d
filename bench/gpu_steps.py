"""Where the time of a step of the cortex goes: before the launch, waiting for the GPU, after it.

python -m bench.gpu_check steps

The same step again and again, dispatch and gather and nothing in between, with one module and with sixteen;
and the device time alone of every step of a walk, each repeated back to back.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from bench.evidence_data import make_workload
from bench.evidence_ours import EvidenceCase, Ours
from bench.gpu_timing import attempt
from saccade.cortex.modules.group import GroupInput
from saccade.runtime.device import Device

#: the percept of the walk that is repeated, and how often
AT, REPEATS = 8, 400
#: the percept of a walk from which on steps are calls on memory that is known
BOUND_FROM = 4


def run_steps() -> None:
    for modules in (1, 16):
        attempt(f"a step of {modules} module(s)", partial(_step, modules))
        attempt("  on the device, over a walk", partial(_walk, modules))


def _step(modules: int) -> str:
    case = EvidenceCase(modules=modules, device="cuda", steps=AT + 2)
    engine = Ours(case, make_workload(case.objects, case.nodes, case.steps, case.seed))
    for t in range(AT):
        engine.step(t, look=False)
    given = [GroupInput(engine.batch(AT))]
    backend, groups, clock = engine.backend, engine.groups, time.perf_counter
    for _ in range(REPEATS // 4):
        backend.gather(backend.dispatch(groups, given))
    whole, parts = [], []
    for _ in range(REPEATS):
        start = clock()
        backend.gather(backend.dispatch(groups, given))
        whole.append(clock() - start)
    for _ in range(REPEATS):
        start = clock()
        pending = backend.dispatch(groups, given)
        queued = clock()
        pending.launched[0].report.numpy()
        there = clock()
        backend.gather(pending)
        parts.append((queued - start, there - queued, clock() - there))
    dispatch, wait, gather = np.median(parts, axis=0) * 1e6
    fastest, median = (float(np.percentile(whole, percent)) * 1e6 for percent in (1, 50))
    return (
        f"fastest {fastest:.1f} us, median {median:.1f}; dispatch {dispatch:.1f}, wait {wait:.1f}, "
        f"gather {gather:.1f}; graph on the device {_graph_us(engine):.1f}"
    )


def _walk(modules: int, steps: int = 20) -> str:
    """Device time of the steps of a walk, from the first that is one bound call on."""
    case = EvidenceCase(modules=modules, device="cuda", steps=steps)
    engine = Ours(case, make_workload(case.objects, case.nodes, case.steps, case.seed))
    found = []
    for t in range(steps):
        engine.step(t, look=False)
        if t >= BOUND_FROM:
            found.append(_graph_us(engine, 20))
    return f"median {np.median(found):.1f} us, from {min(found):.1f} to {max(found):.1f}"


def _graph_us(engine: Ours, repeats: int = 100) -> float:
    """Device time of the call that was made last, inputs and results included."""
    queue: Any = Device["cuda"].queue
    loop = engine.bank.program("plain step", False)._loop
    assert loop is not None
    known = next(known for known, _ in loop.calls.values() if known.into is loop.latest)
    queue.synchronize()
    begin = queue.record(timing=True)
    for _ in range(repeats):
        known.bound.run()
    end = queue.record(timing=True)
    end.wait()
    return float(end.seconds_since(begin)) / repeats * 1e6
