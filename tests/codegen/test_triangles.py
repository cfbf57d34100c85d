"""Loops of products begin and end where a mask does, in tiles of registers of any size."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.codegen.compile import cpu_source, optimised
from saccade.codegen.linear.ends import Ends
from saccade.codegen.linear.triangles import mask_ends
from saccade.graph import dtypes
from saccade.graph.constants import anything
from saccade.graph.kernels import kernel as terms
from saccade.graph.kernels.kernel import Kernel, loop
from saccade.graph.kernels.masks import masks_of, without_masks
from saccade.graph.monoid import ADD
from saccade.graph.node import Node, const, own_ranges
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import simplify
from saccade.runtime.cpu.machine import AVX2, AVX512, NEON, Registers, assuming
from saccade.runtime.device import Device
from saccade.runtime.interpreter.interpreter import run_kernel
from saccade.runtime.plan import Plan
from saccade.runtime.program import Launch

SIZES = [(96, 64), (50, 33), (131, 48), (64, 7)]


def product(n: int, width: int, across: bool, shift: int = 1) -> Kernel:
    """out[i, d] = sum over j < i + shift of a[i, j] * b[j, d]; `across`, of a[j, i] where i < j + shift."""
    i, d, j = loop(0, n), loop(1, width), loop(2, n)
    place, test = (j * n + i, i.alu(Op.LT, j + shift)) if across else (i * n + j, j.alu(Op.LT, i + shift))
    memories = [terms.param(slot, dtypes.float32, n * size) for slot, size in enumerate((width, n, width))]
    both = terms.load(memories[1], place).alu(Op.MUL, terms.load(memories[2], j * width + d))
    total = terms.fold(ADD, (test.where(both, const(0.0, dtypes.float32)),), (j,))
    params = tuple((m.dtype, m.arg.size) for m in memories)
    return Kernel(terms.sink((terms.store(memories[0], i * width + d, total),)), (i, d), params, (0,))


def scores(n: int, width: int) -> Kernel:
    """out[i, j] = sum over d of a[i, d] * b[j, d] where j <= i, anything elsewhere."""
    i, j, d = loop(0, n), loop(1, n), loop(2, width)
    memories = [terms.param(slot, dtypes.float32, n * size) for slot, size in enumerate((n, width, width))]
    both = terms.load(memories[1], i * width + d).alu(Op.MUL, terms.load(memories[2], j * width + d))
    part = j.alu(Op.LT, i + 1).where(terms.fold(ADD, (both,), (d,)), anything(dtypes.float32))
    params = tuple((m.dtype, m.arg.size) for m in memories)
    return Kernel(terms.sink((terms.store(memories[0], i * n + j, part),)), (i, j), params, (0,))


def run(kernel: Kernel, arrays: list[np.ndarray]) -> np.ndarray:
    (program,) = Device["cpu"].compile([cpu_source(kernel)])
    plan = Plan([Launch(program, tuple((slot, 0) for slot in range(len(arrays))))], len(arrays))
    plan([a.ctypes.data for a in arrays])
    return arrays[0]


def given(kernel: Kernel) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.integers(-4, 5, size).astype("float32") for _, size in kernel.params]


@pytest.mark.parametrize("registers", [AVX512, AVX2, NEON])
@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize(("n", "width"), SIZES)
@pytest.mark.parametrize("shift", [1, 0, -3, 5])
def test_sums_end_where_the_mask_does(
    n: int, width: int, across: bool, shift: int, registers: Registers
) -> None:
    kernel = product(n, width, across, shift)
    arrays, wanted = given(kernel), given(kernel)
    run_kernel(kernel, wanted)
    with assuming(registers):
        cpu_source.cache_clear()
        np.testing.assert_array_equal(run(kernel, arrays), wanted[0])
    cpu_source.cache_clear()


@pytest.mark.parametrize(("n", "width"), SIZES)
def test_what_is_left_out_is_not_read(n: int, width: int) -> None:
    """Numbers that are none, where the mask fails, reach no result."""
    kernel = product(n, width, across=False)
    arrays, wanted = given(kernel), given(kernel)
    run_kernel(kernel, wanted)
    whole = arrays[1].reshape(n, n)
    whole[~np.tri(n, dtype=bool)] = np.nan
    np.testing.assert_array_equal(run(kernel, arrays), wanted[0])


@pytest.mark.parametrize(("n", "width"), SIZES)
def test_results_are_there_where_the_mask_holds(n: int, width: int) -> None:
    kernel = scores(n, width)
    arrays = given(kernel)
    a, b = (x.reshape(n, width) for x in arrays[1:])
    below = np.tri(n, dtype=bool)
    np.testing.assert_array_equal(run(kernel, arrays).reshape(n, n)[below], (a @ b.T)[below])


@pytest.mark.parametrize("kernel", [product(256, 64, False), product(256, 64, True), scores(256, 64)])
def test_moves_are_those_of_the_whole_product(kernel: Kernel) -> None:
    assert optimised(kernel).moves == optimised(without_masks(kernel)).moves
    assert masks_of(optimised(kernel))


@pytest.mark.parametrize("across", [False, True])
def test_about_half_of_the_steps_are_left(across: bool) -> None:
    """Steps of the fold in all tiles of rows, of 256 for each."""
    with assuming(AVX512):
        kernel = optimised(product(256, 64, across))
    found = Ends()
    mask_ends(kernel, found)
    (fold,) = (n for n in kernel.nodes if n.op is Op.FOLD)
    (r,) = (r for r in own_ranges(fold) if r.arg.kind == "loop")
    limit = (found.begin if across else found.end)[r]
    (outer,) = limit.ranges
    limits = [_number(limit, outer, at) for at in range(int(outer.src[0].arg))]
    steps = [256 - n for n in limits] if across else limits
    assert max(steps) == 256
    assert 0.5 <= sum(steps) / (256 * len(steps)) <= 0.6


def _number(node: Node, r: Node, at: int) -> int:
    made = simplify(node.substitute({r: const(at, r.dtype)}))
    return int(made.arg)
