"""Captured graphs: what is queued once becomes one launch, and graphs that nobody calls any more go back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cuda.bindings import driver

from .card import Card
from .errors import check


def captured(enqueue: Callable[[Any], None], names: str) -> Any:
    """What `enqueue` queues on the stream that it is given, as a graph ready for launching; `names` are those
    of its kernels."""
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
    doing = f"capturing kernels {names}"
    stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING), doing)
    try:
        check(driver.cuStreamBeginCapture(stream, mode), doing)
        try:
            enqueue(stream)
        except BaseException:
            status, part = driver.cuStreamEndCapture(stream)
            if status == driver.CUresult.CUDA_SUCCESS:
                driver.cuGraphDestroy(part)
            raise
        graph = check(driver.cuStreamEndCapture(stream), doing)
    finally:
        driver.cuStreamDestroy(stream)
    try:
        return check(driver.cuGraphInstantiate(graph, 0), f"preparing the graph of kernels {names}")
    finally:
        driver.cuGraphDestroy(graph)


def is_capturing(stream: Any) -> bool:
    """Whether what is queued becomes part of a graph: meanwhile nothing can be given back."""
    status, capturing = driver.cuStreamIsCapturing(stream)
    return bool(status) or capturing != driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE


def bury(device: Card) -> None:
    """Give back the graphs that nobody calls any more, when what is queued now is over."""
    while device.worn:
        execution, *kept = device.worn.pop()

        def release(execution: Any = execution, kept: Any = kept) -> None:
            driver.cuGraphExecDestroy(execution)

        device.debts.owe(release)
