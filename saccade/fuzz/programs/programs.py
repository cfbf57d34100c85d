"""Random tensor programs: a seed gives the same program and the same data every time.

    program = draw(seed)
    program.roots          # nodes over PARAMs, as the scheduler takes them
    program.arrays()       # one array for each PARAM

A program starts with a few inputs and grows by drawing from `steps.STEPS`, each of which takes tensors
made so far and makes another. What the tensor front end refuses is not part of a program. Inputs are
small numbers with short fractions, so that most results are exact; some hold any normal float, some NaN,
infinities and the ends of their type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, Shape, make
from ...graph.ops import Op
from ...graph.param import Param
from ...runtime.memory.halves import WORDS, from_float32, storage_dtype
from ...tensor import Tensor

Array = NDArray[Any]

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 31, 33, 64, 97, 128)
TYPES = (
    *[dtypes.float32] * 8, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.int64, dtypes.int64,
    dtypes.int32, dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint8, dtypes.uint16, dtypes.uint32,
    dtypes.uint64, dtypes.bool_, dtypes.bool_, dtypes.float8_e4m3, dtypes.float8_e5m2,
)  # fmt: skip


@dataclass(frozen=True)
class Input:
    """Memory a program is given. `kind` is short, normal, special, or index (from 0 to `below` - 1)."""

    dtype: DType
    size: int
    kind: str = "short"
    below: int = 0

    def array(self, seed: int, slot: int) -> Array:
        random = np.random.default_rng((seed, slot))
        if self.kind == "index":
            return random.integers(0, max(self.below, 1), self.size).astype(self.dtype.name)
        if self.dtype.is_bool:
            return random.integers(0, 2, self.size).astype(np.bool_)
        if self.dtype.is_float:
            return self._floats(random)
        low = 0 if self.dtype.is_unsigned else -5
        values = random.integers(low, 8, self.size).astype(self.dtype.name)
        if self.kind == "special" and self.size:
            ends = np.array([self.dtype.min, self.dtype.max], self.dtype.name)
            values[random.integers(0, self.size, 3)] = random.choice(ends, 3)
        return values

    def _floats(self, random: np.random.Generator) -> Array:
        values = (
            random.standard_normal(self.size)
            if self.kind == "normal"
            else random.integers(-8, 9, self.size) / 4
        )
        if self.kind == "special" and self.size:
            values[random.integers(0, self.size, 4)] = random.choice([np.nan, np.inf, -np.inf, -0.0], 4)
        if self.dtype in WORDS:
            return from_float32(values.astype(np.float32), self.dtype)
        return values.astype(storage_dtype(self.dtype))


@dataclass(frozen=True)
class Program:
    """A graph over PARAMs, and what they hold."""

    seed: int
    roots: tuple[Node, ...]
    inputs: tuple[Input, ...]

    def arrays(self) -> list[Array]:
        return [given.array(self.seed, slot) for slot, given in enumerate(self.inputs)]


@dataclass
class Draft:
    """A program being drawn: `random` decides, `pool` holds the tensors there are."""

    random: Random
    most: int  # elements a tensor may have
    inputs: list[Input] = field(default_factory=list)
    pool: list[Tensor] = field(default_factory=list)

    def fresh(
        self, shape: Shape, dtype: DType | None = None, kind: str | None = None, below: int = 0
    ) -> Tensor:
        """A new input of this shape."""
        dtype = dtype or self.random.choice(TYPES)
        kind = kind or self.random.choices(("short", "normal", "special"), (12, 5, 1))[0]
        size = prod(shape)
        node = make(Op.PARAM, dtype, (), Param(len(self.inputs), size))
        self.inputs.append(Input(dtype, size, kind, below))
        return Tensor._of(node if shape == (size,) else make(Op.RESHAPE, dtype, (node,), shape))

    def indices(self, shape: Shape, below: int) -> Tensor:
        """Places below a bound: an input, or worked out, so that the compiler knows where they lie."""
        if below > 0 and self.random.random() < 0.4:
            return self.random.choice((
                lambda: self.fresh(shape, dtypes.int64, "index", 3 * below) % below,
                lambda: (Tensor.arange(prod(shape)) * 5 % below).reshape(shape),
                lambda: Tensor.full(shape, below - 1, dtype=dtypes.int64),
            ))()  # fmt: skip
        return self.fresh(shape, self.random.choice((dtypes.int64, dtypes.int32)), "index", below)

    def shape(self, least: int = 0, most: int = 4) -> Shape:
        """A random shape with no more elements than allowed."""
        chosen: list[int] = []
        for _ in range(self.random.randint(least, most)):
            room = self.most // max(prod(chosen), 1)
            fits = [n for n in LENGTHS if n <= room] or [1]
            chosen.append(0 if self.random.random() < 0.004 else self.random.choice(fits))
        return tuple(chosen)

    def any(self) -> Tensor:
        """A tensor of the pool, newer ones more often."""
        return self.pool[min(int(self.random.betavariate(2.5, 1) * len(self.pool)), len(self.pool) - 1)]

    def of_rank(self, least: int, most: int = 6) -> Tensor:
        """A tensor with at least so many axes, none of them empty: from the pool or new."""
        found = [t for t in self.pool if least <= t.ndim <= most and t.numel()]
        if found and self.random.random() < 0.85:
            return self.random.choice(found[-4:])
        return self.fresh(tuple(max(n, 1) for n in self.shape(least, min(most, max(least, 3)))))

    def number(self, least: int = 1, most: int = 6) -> Tensor:
        """A tensor that is no bool."""
        x = self.of_rank(least, most)
        return x.int() if x.dtype.is_bool else x

    def real(self, least: int = 0, most: int = 6) -> Tensor:
        """A float tensor."""
        x = self.of_rank(least, most)
        return x if x.dtype.is_float else x.float()

    def axis(self, x: Tensor) -> int:
        return self.random.randrange(x.ndim)

    def like(self, x: Tensor) -> Tensor:
        """Something that broadcasts with `x`: from the pool or new."""
        found = [t for t in self.pool if _broadcasts(t.shape, x.shape, self.most)]
        if found and self.random.random() < 0.6:
            return self.random.choice(found)
        kept = x.shape[self.random.randint(0, x.ndim) :]
        return self.fresh(tuple(1 if self.random.random() < 0.3 else n for n in kept), x.dtype)


def _broadcasts(a: Shape, b: Shape, most: int) -> bool:
    size = 1
    for back in range(1, max(len(a), len(b)) + 1):
        m, n = (a[-back] if back <= len(a) else 1), (b[-back] if back <= len(b) else 1)
        if m != n and 1 not in (m, n):
            return False
        size *= 0 if 0 in (m, n) else max(m, n)
    return size <= most
