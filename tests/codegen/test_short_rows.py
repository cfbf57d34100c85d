"""Maps of short rows that no wide vector divides are straight code, and give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.compile import source_for
from saccade.codegen.cpu.heuristic import optimise
from saccade.graph.kernels.kernel import PARALLEL, UNROLL, VECTOR, Kernel, range_size
from saccade.runtime.config import settings
from saccade.runtime.cpu.machine import AVX512, NEON, PIECES_PER_THREAD, Registers, assuming
from tests.codegen.kernels import kernels_of


def shaped_for(result: Tensor, registers: Registers = NEON) -> Kernel:
    with assuming(registers):
        return optimise(kernels_of(result)[0])


def sizes(kernel: Kernel, kind: str) -> list[int]:
    return [range_size(r) for r in kernel.order if r.arg.kind == kind]


def heads(x: Tensor, count: int) -> Tensor:
    rows, width = x.shape
    return x.reshape(rows, count, width // count).permute(1, 0, 2).contiguous()


@pytest.mark.parametrize(("width", "steps"), [(40, 10), (65, 17), (33, 9)])
def test_a_short_row_is_straight_code(width: int, steps: int) -> None:
    kernel = shaped_for(heads(Tensor(np.zeros((300, 8 * width), "float32")), 8))
    assert (sizes(kernel, VECTOR), sizes(kernel, UNROLL)) == ([4], [steps])


def test_other_rows_are_loops() -> None:
    def zeros(*shape: int) -> Tensor:
        return Tensor(np.zeros(shape, "float32"))

    for result in (
        heads(zeros(300, 8 * 64), 8),  # wide vectors divide it
        heads(zeros(300, 8 * 200), 8),  # too long
        zeros(300, 65, 1).exp() * zeros(300, 1, 65),  # too much code
    ):
        assert sizes(shaped_for(result), UNROLL) == []
    assert sizes(shaped_for(heads(zeros(300, 8 * 40), 8), AVX512), UNROLL) == []


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint8"])
@pytest.mark.parametrize("width", [5, 17, 33, 40, 65, 127, 129])
def test_results(width: int, dtype: str, rng: np.random.Generator) -> None:
    x = rng.integers(0, 9, (33, 8 * width)).astype(dtype)
    wanted = x.reshape(33, 8, width).transpose(1, 0, 2)
    np.testing.assert_array_equal(heads(Tensor(x), 8).numpy(), wanted)
    a, b = x[:, :width], x[:, width : 2 * width]
    made = Tensor(a).unsqueeze(2) * Tensor(b).unsqueeze(1)
    np.testing.assert_array_equal(made.numpy(), a[:, :, None] * b[:, None, :])


def test_a_map_in_place_stores_nothing_twice(rng: np.random.Generator) -> None:
    x = rng.integers(0, 9, (300, 65)).astype("float32")
    held = Tensor(x.copy())
    held[:] = held * 2 + 1
    np.testing.assert_array_equal(held.numpy(), x * 2 + 1)


def test_outer_loops_are_merged_until_there_are_enough_for_the_threads() -> None:
    """Rows of a merged loop are found by division."""
    kernel = shaped_for(Tensor(np.zeros((3, 333, 8, 48), "float32")).permute(0, 2, 1, 3).contiguous())
    enough = PIECES_PER_THREAD * settings.threads <= 24
    assert sizes(kernel, PARALLEL) == [24 if enough else 24 * 333]


@pytest.mark.parametrize("width", [17, 33, 777])
def test_the_last_vector_of_a_row_is_apart_from_its_loop(width: int, rng: np.random.Generator) -> None:
    a, b = (rng.standard_normal(n).astype(np.float32) for n in (5, width))
    column, row = Tensor(a.reshape(5, 1)), Tensor(b.reshape(1, width))
    np.testing.assert_array_equal((column + row).numpy(), a[:, None] + b)
    (kernel,) = kernels_of(column + row)
    assert "smin" not in source_for(kernel, "cpu").text


@pytest.mark.parametrize("size", [33, 1001, 100_003, 1_000_003])
def test_the_last_vector_of_a_flat_map(size: int, rng: np.random.Generator) -> None:
    """Threads share the loop: the one that has its end stores what is apart."""
    x = rng.standard_normal(size).astype(np.float32)
    np.testing.assert_array_equal((Tensor(x) * 2).numpy(), x * 2)


def test_wide_vectors_are_stored_from_the_first_register_on() -> None:
    """Processors that see lines of memory filled in order need not read them first."""
    # a length of its own: a kernel that was shaped for this machine is not shaped anew
    x = Tensor(np.zeros((5, 1), np.float32)) + Tensor(np.zeros((1, 775), np.float32))
    (kernel,) = kernels_of(x)
    with assuming(NEON):
        text = source_for(kernel, "cpu").text
    assert "store <4 x float>" in text
    assert "store <16 x float>" not in text


@pytest.mark.parametrize("width", [5, 6, 19])
def test_what_a_row_keeps_is_whole_where_its_last_vector_is_stored(
    width: int, rng: np.random.Generator
) -> None:
    """The exponentials of a row are kept on the way: of these all lanes count."""
    a, b = rng.integers(-3, 4, (16, 8)).astype(np.int32), rng.standard_normal(width).astype(np.float32)
    ours = (Tensor(a).reshape(16, 8, 1).cast("float32") * Tensor(b) + 1).softmax(-1).numpy()
    exponentials = np.exp(a[:, :, None] * b.astype(np.float64) + 1)
    np.testing.assert_allclose(ours, exponentials / exponentials.sum(-1, keepdims=True), rtol=2e-6)


@pytest.mark.parametrize(("registers", "lanes"), [(AVX512, 32), (NEON, 16)])
def test_functions_of_two_registers_take_turns(registers: Registers, lanes: int) -> None:
    """What waits for one is done for the other. A short row's end would be computed twice for it."""
    rows = Tensor(np.zeros((300, 4096), "float32"))
    assert sizes(shaped_for(rows.exp(), registers), VECTOR) == [lanes]
    assert sizes(
        shaped_for(Tensor(np.zeros((300, 17, 33), "float32")).transpose(0, 1).exp(), registers), VECTOR
    ) == [16]
