"""How maps and rows are laid out on a GPU: vectors where memory lies side by side, else single elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, where
from saccade.codegen.cuda.search.moves import Card, Flat, Rows
from saccade.codegen.cuda.source import cuda_source, laid_out
from saccade.graph.kernels.kernel import Kernel
from saccade.nn import functional as F
from tests.codegen.cuda_emulator import emulated_gpu, needs_compiler
from tests.codegen.test_cuda_render import nvrtc_missing
from tests.schedule.test_long_totals import planned

Array = np.ndarray[Any, Any]


def large(*shape: int, dtype: str = "float32") -> Tensor:
    """A tensor of a card that has no memory: only its kernels are looked at."""
    return Tensor.empty(shape, dtype=dtype, device="null:cuda").realize()


def kernels(*made: Tensor) -> list[Kernel]:
    return [item.kernel for item in planned(*made)[0].items]


def flat_of(kernel: Kernel) -> Flat:
    move = laid_out(kernel, Card()).move
    assert isinstance(move, Flat)
    return move


def body_of(kernel: Kernel) -> str:
    text = cuda_source(kernel).text
    return text[text.index('extern "C"') :]


def test_what_steps_by_two_is_read_one_by_one() -> None:
    (kernel,) = kernels(F.max_pool2d(large(64, 64, 112, 112), 3, 2, 1))
    assert (flat_of(kernel).width, flat_of(kernel).repeat) == (1, 4)


def test_vectors_are_of_what_most_bytes_are_of() -> None:
    """A mask has a byte for each element: sixteen of them would be four vectors of the numbers."""
    x, y, mask = large(4096, 4096), large(4096, 4096), large(4096, 4096, dtype="bool")
    (kernel,) = kernels(x.where(mask, y))
    assert flat_of(kernel).width == 4
    (rows,) = kernels(x.masked_fill(mask, float("-inf")).softmax(1))
    move = laid_out(rows, Card()).move
    assert isinstance(move, Rows)
    assert move.width == 4


@pytest.mark.parametrize(("dtype", "width"), [("float32", 4), ("bfloat16", 8)])
def test_rows_that_are_looked_up_are_read_in_vectors(dtype: str, width: int) -> None:
    table, index = large(32000, 1024, dtype=dtype), large(16384, dtype="int64")
    (kernel,) = kernels(table.index_select(0, index))
    assert flat_of(kernel).width == width
    assert f"_where<{width}>" in body_of(kernel) or f"load_many_once<{width}>" in body_of(kernel)


def test_sums_at_places_are_vectors() -> None:
    base, index, rows = large(4096, 64), large(262144, dtype="int64"), large(262144, 64)
    assert "atomic_add_f32<4>" in body_of(kernels(base.index_add(0, index, rows))[-1])
    odd = large(262144, 66)
    assert "atomic_add_f32<2>" in body_of(kernels(large(4096, 66).index_add(0, index, odd))[-1])


def test_neighbours_in_memory_are_neighbours_of_a_block() -> None:
    """A short product of each row may not put the rows last."""
    a, b = large(4096, 4), large(256, 4)
    kernel = kernels(a[:, :2].prod(1)[:, None] + b[:, 2:].prod(1))[-1]
    assert flat_of(kernel).width > 1


@pytest.mark.parametrize(("rows", "states"), [(256, 256), (1024, 64), (529, 65)])
def test_lanes_go_where_most_of_what_they_read_lies_side_by_side(rows: int, states: int) -> None:
    """A step of a hidden Markov model: the moves from a state are a row of their matrix, and lie apart along
    the sum, although the states before lie together."""
    before, moves = large(rows, states), large(states, states)
    for kernel in kernels((before.unsqueeze(2) + moves).logsumexp(1)):
        flat_of(kernel)


def test_few_rows_of_the_same_reductions_are_read_once() -> None:
    """A column of a part is a thread's, which keeps it."""
    first = kernels(large(65536, 1024).var(0))[0]
    move = laid_out(first, Card()).move
    assert isinstance(move, Rows)
    assert (move.team, move.held) == (1, True)


def test_products_of_sixteen_columns_are_tiles() -> None:
    for x, y in ((large(65536, 512), large(512, 16)), (large(64, 16, 512), large(64, 512, 512))):
        move = laid_out(kernels(x @ y)[-1], Card()).move
        assert move is not None
        assert "threads" in str(move)


def short_programs() -> dict[str, tuple[Any, list[Array]]]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 12)).astype("float32")
    places = rng.integers(-300, 300, 500)
    halves = rng.integers(-8, 8, (500, 12)).astype("float32")
    edges = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3e38, 2**-30], "float32")
    return {
        "index_add": (lambda b, i, y: b.index_add(0, i, y), [x, places, halves]),
        "index_add of halves": (
            lambda b, i, y: b.half().index_add(0, i, y.half()).float(),
            [np.round(x), places, halves],
        ),
        "index_add of bfloat16": (
            lambda b, i, y: b.bfloat16().index_add(0, i, y.bfloat16()).float(),
            [np.round(x), np.arange(300), halves[:300]],
        ),
        "rows looked up": (lambda b, i: b[i] - b[i - 1], [x, places]),
        "places beyond the end": (
            lambda b, i: b.gather(0, (i.abs() % 300)[:, None].expand(500, 12)),
            [x, places],
        ),
        "places made of a row of sums": (
            lambda b: Tensor.arange(64, device=b.device)[(b.softmax(1) * 63).cast("int64")].float(),
            [np.round(rng.standard_normal((6, 512)) * 3).astype("float32")],
        ),
        "quotients": (lambda a: a[:, None] / a, [edges]),
        "product of 16 columns": (
            lambda a, b: a @ b,
            [
                rng.standard_normal((2100, 40)).astype("float32"),
                rng.standard_normal((40, 16)).astype("float32"),
            ],
        ),
    }


@needs_compiler
@pytest.mark.parametrize("name", short_programs())
def test_they_compute_what_the_cpu_does(name: str) -> None:
    program, arrays = short_programs()[name]
    wanted = program(*[Tensor(a) for a in arrays]).numpy()
    with emulated_gpu():
        found = program(*[Tensor(a, device="cuda") for a in arrays]).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(np.signbit(found[wanted == 0]), np.signbit(wanted[wanted == 0]))


@pytest.mark.skipif(nvrtc_missing() is not None, reason=str(nvrtc_missing()))
@pytest.mark.parametrize("arch", ["sm_75", "sm_90a"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_sums_at_places_compile(dtype: str, arch: str) -> None:
    from saccade.runtime.cuda.compiler import compile_cubin

    for columns in (64, 66, 65):
        base, rows = large(512, columns, dtype=dtype), large(4096, columns, dtype=dtype)
        kernel = kernels(base.index_add(0, large(4096, dtype="int64"), rows))[-1]
        assert compile_cubin(cuda_source(kernel), arch)[:4] == b"\x7fELF"


@pytest.mark.parametrize(("divided", "team", "held"), [(True, 1024, True), (False, 512, False)])
def test_quotients_of_a_long_row_are_not_made_again(divided: bool, team: int, held: bool) -> None:
    """For each pass over rows of a vocabulary. A block of twice the threads has registers for them."""
    x = large(1024, 32000, dtype="bfloat16")
    (kernel,) = kernels((where(x > 0, x / 1.2, x * 1.2) if divided else x).softmax(-1))
    move = laid_out(kernel, Card()).move
    assert isinstance(move, Rows)
    assert (move.team, move.held) == (team, held)
