"""What the scheduler asks before it fuses: the form a kernel gets on a device, and how long that takes.

    CudaTarget(GPU).form(kernel)       # "matrix units", "register tiles", "thin", "attention", "plain loops"
    CudaTarget(GPU).seconds(kernel)    # a launch, the bytes it moves, its products at the rate of that form

The answers come from the recognisers that codegen uses itself, so both agree. A kernel without a large
product has no form to lose: "no product".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from functools import lru_cache
from math import prod
from typing import Protocol

from ..graph import dtypes
from ..graph.forms import ATTENTION, LEAST_SUM, LEAST_WORK, MATRIX, NO_PRODUCT, PLAIN, THIN, TILED
from ..graph.kernels.kernel import Kernel, range_size
from ..graph.monoid import ADD, SOFTMAX
from ..graph.node import Node, is_const, own_ranges
from ..graph.ops import Op
from ..graph.rules.symbolic import coefficient_of
from .cpu.products.lane_dots import lanes_for_dots
from .cpu.products.products import untiled_products
from .cpu.quotients import split_quotients
from .moves.analysis import bytes_moved, direct_loads, times
from .moves.capacity import moved_like
from .moves.moves import operands


class Rates(Protocol):
    """What the estimate needs to know of a machine (`schedule.cost.Machine`): the cost of a launch, of a byte
    moved and of a multiplication in each form, in units of so many seconds."""

    @property
    def launch(self) -> float: ...
    @property
    def memory_byte(self) -> float: ...
    @property
    def multiply(self) -> Mapping[str, float]: ...
    @property
    def unit(self) -> float: ...


def multiplications(fold: Node) -> int:
    return times(fold) * prod(map(range_size, own_ranges(fold)))


def large_products(kernel: Kernel) -> list[Node]:
    """The folds that sum products of two factors and are long and many enough to need a form of their own."""
    return [n for n in kernel.nodes if n.op is Op.FOLD and _is_large(n)]


def _is_large(fold: Node) -> bool:
    factors = operands(fold)
    if fold.arg != ADD or len(factors) != 2 or factors[0] is factors[1]:
        return False
    length = prod(map(range_size, own_ranges(fold)))
    return (
        length >= LEAST_SUM
        and multiplications(fold) >= LEAST_WORK
        and all(direct_loads((f,)) for f in factors)
    )


class _Target(ABC):
    """The estimate that targets share: a launch, and the longer of moving bytes and multiplying."""

    def __init__(self, machine: Rates) -> None:
        self.machine = machine

    def attends(self, kernel: Kernel) -> bool:
        return False

    def by_warps(self, kernel: Kernel) -> bool:
        return False

    def by_threads(self, kernel: Kernel) -> bool:
        return False

    def ends_groups(self, kernel: Kernel, size: int) -> bool:
        return False

    @abstractmethod
    def form(self, kernel: Kernel) -> str:
        """How codegen writes the products of a kernel."""

    def seconds(self, kernel: Kernel) -> float:
        machine = self.machine
        moving = bytes_moved(kernel) * machine.memory_byte
        form = self.form(kernel)
        each = machine.multiply.get(form, 0.0)
        multiplying = sum(map(multiplications, large_products(kernel))) * each if each else 0.0
        return (machine.launch + max(moving, multiplying)) * machine.unit


class CpuTarget(_Target):
    """Products are tiles of registers, wherever each factor has a loop of its own to tile, or dot
    instructions whose lanes are rows. As a kernel of their own those took 6.0 ms, not 1.6, for 1536 x 576 in
    Q8_0 and 128 columns."""

    def form(self, kernel: Kernel) -> str:
        if not large_products(kernel):
            return NO_PRODUCT
        kernel = split_quotients(moved_like(kernel))
        large = large_products(kernel)
        if lanes_for_dots(kernel) is not kernel:
            return TILED
        if any(map(_is_torn, large)):
            return PLAIN
        untiled = untiled_products(kernel)
        return PLAIN if any(f in untiled for f in large) else TILED


def _is_torn(fold: Node) -> bool:
    """Has what is made of a product's results left no loop to its factors alone? Results side by side (a
    transposed convolution) have one loop that both factors divide; padding around results masks factors that
    do not follow the padded loops. The product stored, and moved then, has them again."""
    parts = [direct_loads((factor,)) for factor in operands(fold)]
    masked = any(len(load.src) == 3 and load.src[2].ranges - load.src[1].ranges for p in parts for load in p)
    return masked or any(all(_divides(p, r) for p in parts) for r in fold.ranges)


def _divides(loads: Collection[Node], r: Node) -> bool:
    """Is there a quotient or a remainder of this loop in the places of loads?"""
    return any(coefficient_of(load.src[1], r) is None for load in loads)


class CudaTarget(_Target):
    """Products are the whole kernel, or plain loops of a thread."""

    def attends(self, kernel: Kernel) -> bool:
        from .cuda.templates.attention.match import attention_of
        from .cuda.templates.recomputed.match import recomputed_of

        return attention_of(kernel) is not None or recomputed_of(kernel) is not None

    def by_warps(self, kernel: Kernel) -> bool:
        from .cuda.source import is_by_warps

        return is_by_warps(kernel)

    def by_threads(self, kernel: Kernel) -> bool:
        from .cuda.source import is_by_threads

        return is_by_threads(kernel)

    def ends_groups(self, kernel: Kernel, size: int) -> bool:
        from .cuda.source import ends_groups

        return ends_groups(kernel, size)

    def form(self, kernel: Kernel) -> str:
        return _cuda_form(kernel) if large_products(kernel) else NO_PRODUCT


@lru_cache(maxsize=256)
def _cuda_form(kernel: Kernel) -> str:
    """The form that `gpu.laid_out` finds for a kernel with a large product."""
    from .cuda.schemes.heuristic import without_cheap_tiles
    from .cuda.schemes.thin import thin_of
    from .cuda.templates.attention.match import attention_of
    from .cuda.templates.product.match import contraction_of
    from .cuda.templates.recomputed.match import recomputed_of

    plain = without_cheap_tiles(kernel)
    attention = attention_of(plain)
    if attention is not None and attention.scores.types[0] is dtypes.float32:
        return TILED
    if _sums_rows(plain) or attention is not None or recomputed_of(plain) is not None:
        return ATTENTION
    product = contraction_of(plain)
    if product is not None:
        return TILED if product.types[0] in (dtypes.float32, dtypes.float64) else MATRIX
    thin = thin_of(plain)
    if thin is None:
        return PLAIN
    # a factor whose loads follow every loop, as behind a mask, is not read once but for every result; one of
    # windows is read again where they overlap, from the nearest cache
    overlaps = prod(map(range_size, own_ranges(thin.fold))) if thin.thin else 1
    return THIN if times(thin.large) <= thin.large.src[0].arg.size * overlaps else PLAIN


def _sums_rows(kernel: Kernel) -> bool:
    """Is it the logsumexp of rows of scores alone? The kernel of the mean will store that."""
    folds = [n for n in kernel.nodes if n.op is Op.FOLD and n.arg == SOFTMAX]
    return bool(folds) and all(is_const(n.src[1], 1.0) for n in folds)
