"""What a device was seen to do at most: bytes a second of a copy, operations a second of matrix products.

    >>> found = ceilings("cpu")
    >>> found.copy, found.products["float32"]
    (21e9, 78e9)

They stand beside what kernels reach (`saccade explain`), so they are measured with kernels of our own, timed
by the device: a rate that no program of ours comes close to would tell nothing about a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from .runtime.device import Device
from .runtime.watch.debug import listening
from .tensor import Tensor

_RUNS: Final = 5


@dataclass(frozen=True)
class Ceilings:
    """Bytes read plus written a second, and operations a second by the dtype of the factors."""

    copy: float
    products: dict[str, float]


@cache
def ceilings(device: str) -> Ceilings:
    """Measured once in a process, in about a second; devices that run nothing have none (0)."""
    gpu = device.startswith("cuda")
    # far larger than the caches; large enough that all processors of a GPU are busy
    count, side = (1 << 28, 8192) if gpu else (1 << 24, 1024)
    numbers = Tensor.rand(count, device=device).realize()
    copy = _rate(8.0 * count, device, numbers.clone)
    products = {}
    for dtype in ("float32", "float16") if gpu else ("float32",):
        factor = Tensor.rand(side, side, device=device).cast(dtype).realize()
        products[dtype] = _rate(2.0 * side**3, device, partial(factor.matmul, factor))
    return Ceilings(copy, products)


def _rate(amount: float, device: str, program: Callable[[], Tensor]) -> float:
    program().realize()
    with listening() as runs:
        for _ in range(_RUNS):
            program().realize()
    seconds = min(sum(r.seconds) for r in runs if r.device == Device.canonical(device))
    return amount / seconds if seconds > 0 else 0.0
