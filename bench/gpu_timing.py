"""How the GPU checks print and time: lines that stand alone, medians of device times.

attempt("softmax", lambda: f"{device_ms(run):.3f} ms")
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from saccade.runtime.device import Device

RNG = np.random.default_rng(0)
#: milliseconds of work between two events
BATCH_MS = 4.0
#: calls between two events at least
LEAST_CALLS = 3


def attempt(name: str, work: Callable[[], str]) -> None:
    """Print a line for a case, or the error it met."""
    try:
        print(f"{name:34s} {work()}", flush=True)
    except Exception as error:  # noqa: BLE001 (a failure is a result here)
        text = f"{type(error).__name__}: {error}".replace("\n", " | ")
        print(f"{name:34s} FAILED {text[:600]}", flush=True)


def floats(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return RNG.standard_normal(shape).astype(dtype)


def between_events(is_ours: bool, run: Callable[[], object], calls: int) -> float:
    """Seconds of device time of one of so many calls in a row, ours or torch's. Another call goes before the
    first event: the device is at work, as in a loop of training steps, while Python prepares the next."""
    run()
    if is_ours:
        queue: Any = Device["cuda"].queue
        begin = queue.record(timing=True)
        for _ in range(calls):
            run()
        finish = queue.record(timing=True)
        finish.wait()
        return float(finish.seconds_since(begin)) / calls
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(calls):
        run()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) * 1e-3 / calls


def device_ms(run: Callable[[], object], repeats: int = 10) -> float:
    """The median device time of a call, in milliseconds, after some to warm up."""
    return _median(lambda calls: between_events(True, run, calls) * 1e3, repeats)


def torch_ms(run: Callable[[], object], repeats: int = 10) -> float:
    return _median(lambda calls: between_events(False, run, calls) * 1e3, repeats)


def _median(once: Callable[[int], float], repeats: int) -> float:
    for _ in range(3):
        one = once(1)
    calls = max(LEAST_CALLS, min(50, round(BATCH_MS / max(one, 1e-3))))
    once(calls)
    return statistics.median(once(calls) for _ in range(repeats))
