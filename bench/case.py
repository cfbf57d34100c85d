"""What a benchmark case is.

In: nothing but NumPy. Out: a `Case`, which names its inputs, its work, one program per contender and its
target.

    Case(
        name="sum",
        title="sum, 16M float32",
        inputs=lambda rng, quick: (rng.random(1 << 24, dtype=np.float32),),
        work=lambda arrays: Work(reads=arrays[0].nbytes, writes=4),
        programs={"saccade": lambda x: x.sum(), "numpy": np.sum, ...},
        target=Target(ratio=0.9),
    )

A program takes its library's own arrays, one per input, and returns one of them or a tuple of them. The entry
of each contender is the way its own users would write it; ours is always the naive expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Arrays = tuple[Array, ...]
# Programs run on torch, jax, tinygrad or saccade arrays; no type is common to them.
Program = Callable[..., Any]

OURS = "saccade"
PEERS = ("numpy", "scipy", "torch", "torch.compile", "jax", "tinygrad")


@dataclass(frozen=True)
class Work:
    """What a case must do at least: bytes in, bytes out, arithmetic; and items where they say more."""

    reads: int
    writes: int
    flops: int = 0
    items: int = 0
    item: str = ""

    def rate(self, seconds: float) -> tuple[float, str]:
        """How fast that was, in the unit a reader of this case expects.

        >>> Work(reads=6_000_000_000, writes=2_000_000_000).rate(2.0)
        (4.0, 'GB/s')
        """
        if self.items:
            return self.items / seconds / 1e6, f"M {self.item}/s"
        if self.flops:
            return self.flops / seconds / 1e9, "GFLOP/s"
        return (self.reads + self.writes) / seconds / 1e9, "GB/s"


@dataclass(frozen=True)
class Target:
    """What our time must satisfy: `ratio` is the best peer's time over ours, `seconds` a bound on ours.

    `against` limits the peers that the ratio counts, for a target that names one.
    """

    ratio: float | None = None
    seconds: float | None = None
    against: tuple[str, ...] = PEERS


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    inputs: Callable[[np.random.Generator, bool], Arrays]
    work: Callable[[Arrays], Work]
    programs: Mapping[str, Program]
    target: Target
    tolerance: float = 1e-3
    # Calls between two waits: 1 times a call and its result, more times what a call costs when results are
    # not read.
    batch: int = 1

    def make_inputs(self, quick: bool) -> Arrays:
        """The same arrays in every process."""
        return self.inputs(np.random.default_rng(20240229), quick)
