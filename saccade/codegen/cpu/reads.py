"""What a register tile of a sum of products reads for each step of the sum, in instructions.

A tile of `unroll` x `vectors` sums takes `vectors` of one factor and `unroll` single elements of the other,
the lone factors. How these come is a matter of the processor:

    ByLane       NEON: several come in one register, and a multiplication takes one from its lane
    Broadcast    x86: each is loaded into all lanes, on the ports of loads; taking one out of a register
                 would cost a shuffle on a port that multiplies
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

#: loads for each multiplication that cost nothing: both have two ports
LOAD = 0.5
#: what a lone factor costs that comes with others, in one register
SHARED = 0.3
#: instructions in the time a line takes from the second cache: where the processor sees it coming, as a panel
#: (512 cubed on a Cascade Lake: 3.4 ms with 6 x 4 vectors, 2.3 with 9 x 3 or 12 x 2), and where it does not
NEXT_LINE, FAR_LINE = 2.5, 4.0


class Reads(Protocol):
    """The reads of one choice of axes, for any size of the tile."""

    @property
    def most_unrolled(self) -> int: ...

    def registers(self, vectors: int, unroll: int) -> int:
        """Vector registers that a tile needs."""
        ...

    def cost(self, vectors: int, unroll: int) -> float:
        """Instructions for each multiplication of vectors."""
        ...


@dataclass(frozen=True)
class ByLane:
    """Lone factors that are neighbours, along u or along the sum, come together. A sum of anything but
    products needs each in all lanes, and registers for what is between its elements and the sum."""

    along_u: bool
    along_sum: bool
    multiplies: bool
    most_unrolled: int = 8

    def _together(self, unroll: int) -> bool:
        return self.along_sum or (self.along_u and unroll in (2, 4, 8))

    def registers(self, vectors: int, unroll: int) -> int:
        lone = unroll if self._together(unroll) else 1
        return unroll * vectors + vectors + lone + 1 + (0 if self.multiplies else vectors + unroll)

    def cost(self, vectors: int, unroll: int) -> float:
        lone = SHARED if self._together(unroll) and self.multiplies else 1.0
        products = unroll * vectors
        return (products + unroll * lone + vectors * LOAD + latency(products)) / products


@dataclass(frozen=True)
class Broadcast:
    """Every lone factor is a load. `lines`: cache lines that come from the second cache for each step of the
    sum, one for each row or one for all. `panel`: bytes of a vector's panel, from the second cache too where
    it does not fit half of the first."""

    multiplies: bool
    line_each: bool
    line: bool
    panel: int
    cache: int
    most_unrolled: int = 30

    def registers(self, vectors: int, unroll: int) -> int:
        return unroll * vectors + vectors + 1 + (0 if self.multiplies else vectors)

    def cost(self, vectors: int, unroll: int) -> float:
        products = unroll * vectors
        vector = LOAD if vectors * self.panel <= self.cache // 2 else NEXT_LINE
        lines = FAR_LINE * (unroll if self.line_each else 1) if self.line else 0.0
        return (products + unroll * LOAD + vectors * vector + lines + latency(products)) / products


def latency(products: int) -> float:
    """Fewer than eight independent sums wait for each other."""
    return max(0.0, 8.0 - products)
