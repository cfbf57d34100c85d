"""Transforms on a CPU: what a core stores, fetches and computes for the steps of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, fft
from saccade.codegen.compile import cpu_source, shaped
from saccade.codegen.cpu.prefetch import rows_to_fetch
from saccade.codegen.linear.code import Block, Instruction, Value
from saccade.codegen.linear.lower import Lowering
from saccade.codegen.numerics.decompose import decompose
from saccade.fft.butterfly import butterfly
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.ops import Op
from tests.codegen.kernels import kernels_of

#: four steps for every machine
STEPS = 13, 11, 7, 3


def kernel_of(rows: int, n: int, dtype: str = "complex64") -> Kernel:
    (kernel,) = kernels_of(fft.fft(Tensor(np.ones((rows, n), dtype))))
    return kernel


def tiles(kernel: Kernel) -> int:
    return sum(n.op is Op.STAGE for n in kernel.nodes)


def test_the_last_step_stores_the_results() -> None:
    assert tiles(kernel_of(4, prod(STEPS))) == len(STEPS) - 1


AFTERS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Any], Any]]] = {
    "scaled": (lambda z: z * 0.5, lambda z: z * 0.5),
    "absolute": (lambda z: z.abs(), np.abs),
    "one part": (lambda z: z.imag, np.imag),
    "both": (lambda z: z.real + z.imag, lambda z: z.real + z.imag),
}


@pytest.mark.parametrize("name", AFTERS)
def test_it_stores_what_is_made_of_them(name: str) -> None:
    ours, numpys = AFTERS[name]
    rng = np.random.default_rng(0)
    z = rng.standard_normal((3, 13 * 7)) + 1j * rng.standard_normal((3, 13 * 7))
    made = ours(fft.fft(Tensor(z)))
    (kernel,) = kernels_of(made)
    assert tiles(kernel) == 1
    np.testing.assert_allclose(made.numpy(), numpys(np.fft.fft(z)), atol=1e-12)


def test_two_tiles_serve_all_steps() -> None:
    """One is read while the other is written: they and what is read beside them stay in the first cache."""
    n = prod(STEPS)
    assert cpu_source(kernel_of(4, n)).scratch < 3 * n * 8


def test_the_next_row_is_fetched() -> None:
    assert rows_to_fetch(shaped(kernel_of(64, 128)))


def test_a_row_of_another_batch_is_not() -> None:
    """Rows that do not follow each other are not fetched ahead."""
    x = Tensor(np.ones((64, 256), "complex64"))
    (kernel,) = kernels_of(fft.fft(x[:, :128]))
    assert not rows_to_fetch(shaped(kernel))


def shuffled(block: Block) -> Iterator[Value]:
    for item in block.items:
        if not isinstance(item, Instruction):
            yield from shuffled(item.body)
        elif item.kind == "shuffle" and item.result is not None:
            yield item.result


def test_shuffles_are_of_registers() -> None:
    """Longer ones LLVM takes apart in twice as many, each with a vector of places of its own."""
    moved = shaped(kernel_of(64, 256))
    code = Lowering(replace(moved, sink=decompose(moved.sink))).code("steps")
    widths = [v.width * v.dtype.itemsize for v in shuffled(code.body)]
    assert widths
    assert max(widths) <= 64


def test_a_butterfly_adds_as_it_multiplies() -> None:
    points = [(Tensor.empty(1), Tensor.empty(1)) for _ in range(16)]
    made = butterfly(points)
    nodes = {n for re, im in made for part in (re, im) if part is not None for n in part.node.toposort()}
    work = [n for n in nodes if n.op in (Op.ADD, Op.SUB, Op.MUL, Op.FMA)]
    assert len(work) <= 150  # 168 with products apart


def test_spectra_of_real_numbers_are_packed_as_they_are_made() -> None:
    """Neither their parts nor the pairs on the way back are tiles of their own."""
    (kernel,) = kernels_of(fft.rfft(Tensor(np.ones((16, 2 * prod(STEPS)), "float32"))))
    assert tiles(kernel) == len(STEPS) + 1  # with the first of the ring at its end once more
    (kernel,) = kernels_of(fft.irfft(Tensor(np.ones((16, prod(STEPS) + 1), "complex64"))))
    assert tiles(kernel) == len(STEPS) + 1  # the pairs, and all steps


@pytest.mark.parametrize("n", [2, 6, 64, 66, 182])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_way_back_leaves_out_what_real_numbers_cannot_have(n: int, dtype: str) -> None:
    rng = np.random.default_rng(n)
    z = (rng.standard_normal((3, n // 2 + 1)) + 1j * rng.standard_normal((3, n // 2 + 1))).astype(dtype)
    want = np.fft.irfft(z.astype("complex128"), n)
    np.testing.assert_allclose(fft.irfft(Tensor(z), n).numpy(), want, atol=1e-6)


def test_tiles_of_columns_are_made_once() -> None:
    """The loop over columns is outside of those over the results of each."""
    kernels = kernels_of(fft.fft(Tensor(np.ones((16 * 16, 64), "complex64")), dim=0))
    for kernel in kernels:
        outside = {r for n in kernel.nodes if n.op is Op.STAGE for r in n.ranges}
        assert outside == set(kernel.order[: len(outside)])
