"""Parts that were stacked are straight code, each computed once, and give what NumPy gives."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cuda.schemes.flat import choose_flat, flat
from saccade.codegen.cuda.source import gpu_code
from saccade.codegen.linear.code import Instruction
from saccade.codegen.moves.analysis import MOST_PARTS, part_axes
from saccade.graph.kernels.kernel import UNROLL, VECTOR, Kernel, range_size
from saccade.runtime.cpu.machine import AVX512, NEON, assuming
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from saccade.tensor.programs.realize import without_copies
from tests.codegen.kernels import kernels_of


def parts_of(x: Tensor, count: int, axis: int = 1) -> Tensor:
    """Each part in its own way: (count, rows, n) or (rows, count, n)."""
    return Tensor.stack([x * (k + 2) + k if k % 2 else x - k for k in range(count)], axis).relu()


def unrolled(kernel: Kernel) -> int:
    return prod(range_size(r) for r in kernel.order if r.arg.kind == UNROLL)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("count", [2, 3, 8, MOST_PARTS])
def test_parts_are_straight_code(count: int, axis: int) -> None:
    (kernel,) = kernels_of(parts_of(Tensor(np.zeros((300, 64), "float32")), count, axis))
    assert [range_size(r) for r in part_axes(kernel)] == [count]
    assert unrolled(optimise(kernel)) == count


def parts_of_a_thread(kernel: Kernel) -> int:
    """Points that a thread of a GPU writes out, by those of its vectors."""
    move = choose_flat(kernel)
    return unrolled(flat(kernel, move).kernel) // (move.width * move.repeat)


def test_a_thread_has_all_parts_of_a_place() -> None:
    (kernel,) = kernels_of(parts_of(Tensor(np.zeros((3000, 64), "float32")), 4))
    assert parts_of_a_thread(kernel) == 4
    (many,) = kernels_of(parts_of(Tensor.zeros(1 << 16, 64), 2))  # so many that others would be repeated
    assert parts_of_a_thread(many) == 2
    (few,) = kernels_of(parts_of(Tensor(np.zeros((3, 64), "float32")), 4))
    assert parts_of_a_thread(few) == 1  # threads are worth more


def test_a_few_parts_of_a_thread_are_vectors() -> None:
    a, b = (Tensor.zeros(1 << 14, 64, dtype="bfloat16") + k for k in range(2))
    (stacked,) = kernels_of(Tensor.stack((a, b), 1))
    assert choose_flat(stacked).width == 8
    (many,) = kernels_of(parts_of(Tensor.zeros(1 << 14, 64), 8))
    assert choose_flat(many).width == 1


@pytest.mark.parametrize(("columns", "width"), [((64, 32, 8), 8), ((64, 32, 4), 4), ((64, 33), 1)])
def test_joined_rows_are_vectors_where_none_goes_over_a_seam(columns: tuple[int, ...], width: int) -> None:
    rows = [Tensor(np.zeros((1 << 14, n), "float32")).cast("bfloat16").realize() for n in columns]
    (kernel,) = kernels_of(Tensor.cat(rows, 1))
    assert choose_flat(kernel).width == width


def test_other_loops_stay() -> None:
    x = Tensor(np.zeros((300, 64), "float32"))
    some = (Tensor.arange(8) < 3).reshape(8, 1, 1)._choose(x, x.exp())  # two kinds for eight places
    for result in (parts_of(x, MOST_PARTS + 1), some):
        for kernel in kernels_of(result):
            assert part_axes(kernel) == []


def test_long_copies_are_made_one_after_the_other() -> None:
    """Each kernel writes its pages from one end to the other."""

    def stack(width: int) -> list[Kernel]:
        return kernels_of(Tensor.stack([Tensor(np.full((300, width), k, "float32")) for k in range(2)], 1))

    assert [unrolled(optimise(kernel)) for kernel in stack(64)] == [2]
    assert all(unrolled(optimise(kernel)) == 1 for kernel in stack(777))


def test_lanes_leave_room_for_the_parts() -> None:
    (kernel,) = kernels_of(parts_of(Tensor(np.zeros((300, 640), "float32")), 16))
    for registers in (NEON, AVX512):
        with assuming(registers):
            made = optimise(kernel)
        (lanes,) = [range_size(r) for r in made.order if r.arg.kind == VECTOR]
        assert lanes * 4 >= registers.bytes
        assert 16 * lanes * 4 <= max(registers.bytes * registers.count // 2, 16 * registers.bytes)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize(("rows", "n", "count"), [(1, 1, 2), (5, 7, 3), (33, 17, 9), (4, 130, 16), (0, 4, 2)])
def test_results(rows: int, n: int, count: int, dtype: str, rng: np.random.Generator) -> None:
    a = rng.integers(-4, 5, (rows, n)).astype(dtype)
    x = Tensor(a)
    for axis in range(3):
        made = Tensor.stack([x * k + (x - k) * x for k in range(count)], axis).numpy()
        np.testing.assert_array_equal(made, np.stack([a * k + (a - k) * a for k in range(count)], axis))


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("columns", [33, 64])
def test_parts_that_take_turns_in_a_row_are_straight_code(count: int, columns: int) -> None:
    """Pairs of a row, as complex numbers, of which no loop of their own is left."""
    x = np.random.default_rng(0).standard_normal((20, columns)).astype(np.float32)
    made = parts_of(Tensor(x), count, 2).reshape(20, columns * count)
    (kernel,) = kernels_of(made)
    shaped = optimise(kernel)
    assert unrolled(shaped) == count
    assert any(r.arg.kind == VECTOR for r in shaped.order)
    wanted = np.maximum(np.stack([x * (k + 2) + k if k % 2 else x - k for k in range(count)], 2), 0)
    np.testing.assert_allclose(made.numpy(), wanted.reshape(20, -1), rtol=1e-6)


@pytest.mark.usefixtures("gpu_by_default")
def test_both_parts_of_a_product_of_complex_numbers_are_one_thread_s() -> None:
    """Each needs what the other reads: it is read once, and its sines are made once."""
    rng = np.random.default_rng(0)
    x, angle = rng.random((64, 64, 64), np.float32), rng.random((64, 32), np.float32)
    turned = turned_pairs(Tensor(x), Tensor(angle))
    form, _ = canonical(without_copies([turned.node]))
    (item,) = schedule(*graph_of(form), machine=GPU).items
    body = gpu_code(item.kernel).body
    stores = [i for i in body.items if isinstance(i, Instruction) and i.kind == "store"]
    assert [store.args[1].width for store in stores] == [2]
    pairs = x.view(np.complex64) * np.exp(1j * angle)
    np.testing.assert_allclose(
        turned.numpy(), pairs.astype(np.complex64).view(np.float32), rtol=1e-5, atol=1e-6
    )


def turned_pairs(x: Tensor, angle: Tensor) -> Tensor:
    even, odd = x[..., ::2], x[..., 1::2]
    real, imaginary = even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()
    return Tensor.stack([real, imaginary], -1).reshape(x.shape)
