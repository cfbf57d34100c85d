"""What the sweep compares: a program written once for us and for torch, and its inputs at three shapes.

    Program("sum of rows", lambda n, d: (normal(n, d),), lambda t, x: x.sum(1),
            sizes=((4096, 1024), (1024, 4096), (1001, 777)))

`t` has the names of torch and torch.nn.functional, or ours. The first size is the rows or the batch. A GPU
gets `grows` times as many of them, because a card is not busy with what keeps two cores busy. The last of
the three shapes is odd, and stays odd. Inputs are only described here, so that a program can also be planned
for a card that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

Call = Callable[..., Any]
Size = tuple[int, ...]

#: what a result may differ by, of its largest value
TOLERANCE: Final = {
    "float64": 1e-8, "float32": 2e-3, "float16": 2e-2, "bfloat16": 6e-2, "complex64": 2e-3,
    "bool": 0.0, "int8": 0.0, "uint8": 0.0, "int16": 0.0, "int32": 0.0, "int64": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Input:
    """An array to draw. `kind` is normal, uniform, even (see there), below (integers), whole (integers in the
    dtype of the case), bytes, zeros, mask or ordered (sorted integers); floats become the dtype of the case
    unless they are `wide` or it is one of integers."""

    kind: str
    shape: Size
    most: int = 0
    scale: float = 1.0
    wide: bool = False

    def dtype(self, of_case: str) -> str:
        if self.kind in ("below", "ordered"):
            return "int64"
        if self.kind in ("mask", "bytes"):
            return {"mask": "bool", "bytes": "int8"}[self.kind]
        if self.kind == "whole":
            return of_case
        return "float32" if self.wide or not of_case.startswith(("float", "bfloat", "complex")) else of_case


def normal(*shape: int, scale: float = 1.0, wide: bool = False) -> Input:
    return Input("normal", shape, scale=scale, wide=wide)


def uniform(*shape: int, wide: bool = False) -> Input:
    """Between 0 and 1."""
    return Input("uniform", shape, wide=wide)


def even(*shape: int) -> Input:
    """Uniform, and the same at k and -k of the first axis: a filter of real pictures. Of a spectrum that no
    real picture has, transforms back differ: cuFFT's in two dimensions may read half of a column, and take
    the other half for its conjugate."""
    return Input("even", shape)


def zeros(*shape: int) -> Input:
    return Input("zeros", shape)


def below(most: int, *shape: int) -> Input:
    return Input("below", shape, most)


def ordered(most: int, *shape: int) -> Input:
    return Input("ordered", shape, most)


def whole(most: int, *shape: int) -> Input:
    """Of both signs if the dtype of the case has them."""
    return Input("whole", shape, most)


def small_bytes(*shape: int) -> Input:
    return Input("bytes", shape, 9)


def mask(*shape: int) -> Input:
    return Input("mask", shape)


@dataclass(frozen=True)
class Program:
    """`peer` is torch's where it is written otherwise. `loose` multiplies the tolerance: of sums that cancel,
    of roots near zero."""

    name: str
    inputs: Callable[..., tuple[Input, ...]]
    call: Call
    sizes: tuple[Size, Size, Size]
    dtypes: tuple[str, ...] = ("float32", "bfloat16")
    peer: Call | None = None
    grows: int = 16
    loose: float = 1.0
    family: str = ""


@dataclass(frozen=True)
class Case:
    """A program at one of its shapes in one of its types, on a kind of device."""

    program: Program
    size: Size
    dtype: str
    #: which of the three shapes: torch.compile is timed at the first only
    shape: int

    @property
    def key(self) -> str:
        return f"{self.program.name}, {'x'.join(map(str, self.size))}, {self.dtype}"

    @property
    def tolerance(self) -> float:
        return TOLERANCE[self.dtype] * self.program.loose

    def inputs(self) -> tuple[Input, ...]:
        return self.program.inputs(*self.size)


def cases_of(programs: Sequence[Program], device: str) -> Iterator[Case]:
    """All of them; neighbours in the list are of one program."""
    for program in programs:
        for dtype in program.dtypes:
            for number, size in enumerate(program.sizes):
                grown = _grown(size, program.grows) if device == "cuda" else size
                yield Case(program, grown, dtype, number)


def _grown(size: Size, times: int) -> Size:
    first = size[0] * times
    return (first + (size[0] % 2 if times > 1 else 0), *size[1:])
