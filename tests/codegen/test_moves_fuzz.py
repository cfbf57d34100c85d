"""Random moves never change what a kernel computes: by the interpreter, and compiled for the CPU."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.moves.legal import IllegalMove
from saccade.codegen.moves.moves import Bind, Merge, Move, Order, Split, step
from saccade.graph.kernels.kernel import LOOP, PARALLEL, UNROLL, VECTOR, Kernel, is_register
from saccade.graph.ops import Op
from saccade.runtime.interpreter.interpreter import run_kernel
from tests.codegen.kernels import kernels_of, random_arrays, run_moved_on_cpu

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(0)
MATRIX = Tensor(RNG.normal(size=(17, 23)).astype(np.float32))
OTHER = Tensor(RNG.normal(size=(23, 11)).astype(np.float32))
INDEX = Tensor(RNG.integers(0, 17, (6, 23)))
IMAGE, WEIGHT = (Tensor(RNG.normal(size=s).astype(np.float32)) for s in ((2, 3, 9, 8), (4, 3, 3, 3)))

PROGRAMS: dict[str, Callable[[], Tensor]] = {
    "map": lambda: MATRIX.sin() * 2,
    "transposed sum": lambda: (MATRIX.transpose(0, 1) + 1).sum(1),
    "matmul": lambda: MATRIX @ OTHER,
    "softmax": lambda: MATRIX.softmax(1),
    "argmax": lambda: MATRIX.argmax(1),
    "top k": lambda: MATRIX.topk(3, 1)[0],
    "gather": lambda: MATRIX.gather(0, INDEX),
    "scatter": lambda: MATRIX.scatter_add(0, INDEX, MATRIX[:6]),
    "convolution": lambda: IMAGE.conv2d(WEIGHT, padding=1),
    "bfloat16": lambda: (MATRIX.cast("bfloat16") * 3).sum(0),
}


def random_move(kernel: Kernel, random: Random) -> Move:
    ranges, order = kernel.ranges(), [r.arg.number for r in kernel.order]
    axis = random.choice(ranges).arg.number
    # values are vectors along one axis only
    wide = () if any(r.arg.kind == VECTOR for r in ranges) else (VECTOR,)
    kind = random.randrange(4)
    if kind == 0:
        return Split(axis, random.choice((2, 3, 4, 8)), random.choice((LOOP, UNROLL, *wide)))
    if kind == 1:
        return Bind(axis, random.choice((PARALLEL, UNROLL, *wide)))
    if kind == 2 and len(order) > 1:
        first = random.randrange(len(order) - 1)
        return Merge(*order[first : first + 2])
    random.shuffle(order)
    return Order(tuple(order))


def shuffled(kernel: Kernel, random: Random) -> Kernel:
    """The kernel after some of the moves that are legal."""
    for _ in range(random.randrange(1, 6)):
        try:
            kernel = step(kernel, random_move(kernel, random))
        except IllegalMove:
            continue
    return kernel


def tiles_are_scalar(kernel: Kernel) -> bool:
    """Does no tile depend on a register axis? One that does has to be widened before it can be compiled."""
    tiles = [n for n in kernel.sink.toposort() if n.op is Op.STAGE]
    return not any(is_register(r) for tile in tiles for r in tile.ranges)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", PROGRAMS)
def test_moves_keep_the_meaning(name: str, seed: int) -> None:
    random = Random(f"{name} {seed}")
    for kernel in kernels_of(PROGRAMS[name]()):
        if not kernel.ranges():
            continue
        moved = shuffled(kernel, random)
        plain, interpreted, compiled = (random_arrays(kernel) for _ in range(3))
        run_kernel(kernel, plain)
        run_kernel(moved, interpreted)
        run_moved_on_cpu(moved if tiles_are_scalar(moved) else kernel, compiled)
        for slot in kernel.outputs:
            np.testing.assert_allclose(
                interpreted[slot], plain[slot], rtol=1e-5, atol=1e-5, err_msg=str(moved.moves)
            )
            np.testing.assert_allclose(
                compiled[slot], plain[slot], rtol=1e-5, atol=1e-5, err_msg=str(moved.moves)
            )
