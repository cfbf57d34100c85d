"""What a program for every length costs beside one that knows it.

    SACCADE_THREADS=1 python -m bench.lengths [NAME ...]

    program              large   small
    softmax inner         0.97    0.91        seconds of the program that knows / of the one for every length

Both are `jit` of one function, the second with `dims=`. Figures are CPU time of one thread, of calls in
turns; medians. Large has a length of 700 beside axes of some hundred, small one of 100 beside axes of ten;
neither is near the power of two that its program is for, the worst case of a map that goes that far.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from saccade import Dim, Tensor, jit
from saccade.tensor.jit.trace import TraceError

Array = np.ndarray[Any, Any]
#: the length, and how long the other axes are
SIZES: Final = {"large": (700, 300), "small": (100, 12)}


@dataclass(frozen=True)
class Program:
    """A function of x, whose axes are "n", the length, or "m", another one; of half as many for products."""

    function: Callable[[Tensor], Tensor]
    axes: str = "mn"


def _attention(x: Tensor) -> Tensor:
    queries = x[:8] if x.ndim == 2 else x[:, :8]
    return (queries @ x.mT / 8).softmax(-1) @ x


def _weight(x: Tensor, axis: int, size: int = 64) -> Tensor:
    """A matrix whose rows are as many as an axis of x has."""
    return Tensor.linspace(-1, 1, x.shape[axis] * size).reshape(x.shape[axis], size)


PROGRAMS: Final[dict[str, Program]] = {
    "map inner": Program(lambda x: x * 2 + 1),
    "map outer": Program(lambda x: x * 2 + 1, "nm"),
    "map middle": Program(lambda x: x * 2 + 1, "4nm"),
    "map both": Program(lambda x: x * 2 + 1, "nn"),
    "broadcast column": Program(lambda x: x + x[:, :1]),
    "broadcast row": Program(lambda x: x + x[:1]),
    "pad inner": Program(lambda x: x.pad((3, 5))),
    "pad outer": Program(lambda x: x.pad((0, 0, 2, 1)), "nm"),
    "slice inner": Program(lambda x: x[:, 1:-1] * 2),
    "every other": Program(lambda x: x[:, ::2] + 1, "nm"),
    "differences": Program(lambda x: x[:, 1:] - x[:, :-1]),
    "transpose inner": Program(lambda x: x.T + 1),
    "transpose outer": Program(lambda x: x.T + 1, "nm"),
    "heads": Program(lambda x: x.permute(1, 0, 2) + 1, "n46"),
    "flip": Program(lambda x: x.flip(1) + 1),
    "cat inner": Program(lambda x: Tensor.cat([x, x * 2], 1)),
    "cat other": Program(lambda x: Tensor.cat([x, x * 2], 0)),
    "repeat": Program(lambda x: x.repeat(1, 2)),
    "softmax inner": Program(lambda x: x.softmax(1)),
    "softmax across": Program(lambda x: x.softmax(0)),
    "softmax outer": Program(lambda x: x.softmax(1), "nm"),
    "softmax columns": Program(lambda x: x.softmax(0), "nm"),
    "sum inner": Program(lambda x: x.sum(1)),
    "sum across": Program(lambda x: x.sum(0)),
    "max inner": Program(lambda x: x.amax(1)),
    "var inner": Program(lambda x: x.var(1)),
    "layer norm": Program(lambda x: (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt(), "nm"),
    "layer norm inner": Program(lambda x: (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt()),
    "matmul m": Program(lambda x: x @ _weight(x, 1), "nm"),
    "matmul n": Program(lambda x: _weight(x, 0).T @ x),
    "matmul k": Program(lambda x: x @ x.T),
    "attention": Program(_attention, "n6"),
    "attention heads": Program(_attention, "4n6"),
    "cumsum inner": Program(lambda x: x.cumsum(1)),
    "cumsum across": Program(lambda x: x.cumsum(0)),
    "embedding": Program(lambda x: Tensor.linspace(0, 1, 50 * 64).reshape(50, 64)[x.cast("int32") % 50], "n"),
    "gather rows": Program(lambda x: x[:, Tensor([3, 1, 2, 0])]),
    "conv1d": Program(
        lambda x: x.unsqueeze(0).conv1d(_weight(x, 0, 24).T.reshape(8, x.shape[0], 3), padding=1)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs whose names have one of these in them; all")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--sizes", nargs="*", default=list(SIZES))
    given = parser.parse_args()
    table = Table("program", *[f"{size} {what}" for size in given.sizes for what in ("µs", "ratio")])
    for name, program in PROGRAMS.items():
        if not given.names or any(part in name for part in given.names):
            row = []
            for size in given.sizes:
                try:
                    known, every = measure(program, *SIZES[size], given.dtype)
                    row += [f"{every * 1e6:.1f}", f"{known / every:.2f}"]
                except (TraceError, ValueError, AssertionError) as error:
                    row += ["", str(error)[:60]]
            table.add_row(name, *row)
    Console(width=100).print(table)


def shape_of(axes: str, n: int, m: int) -> tuple[int, ...]:
    named = {"n": n, "m": m, "6": 64, "4": 4}
    return tuple([named[axis] for axis in axes])


def measure(program: Program, n: int, m: int, dtype: str, least: float = 0.15) -> tuple[float, float]:
    """Seconds of a call of the program that knows its length, and of that for every length; both give the
    same."""
    rng = np.random.default_rng(0)
    x = (
        Tensor((rng.standard_normal(shape_of(program.axes, n, m)) * 3).astype(np.float32))
        .cast(dtype)
        .realize()
    )
    dim = Dim("n", 2, 4096)
    known = jit(lambda x: program.function(x))
    every = jit(
        lambda x: program.function(x),
        dims={"x": {k: dim for k, axis in enumerate(program.axes) if axis == "n"}},
    )
    one, other = known(x).cast("float32").numpy(), every(x).cast("float32").numpy()
    tolerance = 2e-4 if dtype == "float32" else 3e-2
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * 30)
    count, times = 1, (list[float](), list[float]())
    functions: tuple[Callable[[Tensor], Tensor], ...] = (known, every)
    while _seconds(known, x, count) < 0.004:
        count *= 2
    began = time.process_time()
    while len(times[0]) < 5 or (time.process_time() - began < least and len(times[0]) < 40):
        for function, found in zip(functions, times, strict=True):
            found.append(_seconds(function, x, count) / count)
    return statistics.median(times[0]), statistics.median(times[1])


def _seconds(function: Callable[[Tensor], Tensor], x: Tensor, count: int) -> float:
    began = time.process_time()
    for _ in range(count):
        function(x)
    return time.process_time() - began


if __name__ == "__main__":
    main()
