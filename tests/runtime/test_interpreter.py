"""The interpreter against the CPU and an evaluator of tensor graphs, which shares no code with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.graph import dtypes, monoid
from saccade.graph.kernels.kernel import Kernel, fold, load, loop, param, prefix, project, sink, stage, store
from saccade.graph.monoid import Monoid
from saccade.graph.node import Node, const, index_const
from saccade.graph.ops import Op
from saccade.runtime.device import Device
from saccade.runtime.interpreter.interpreter import run_kernel
from saccade.runtime.program import Source
from tests.codegen.kernels import kernels_of, random_arrays
from tests.reference import evaluate

Array = np.ndarray[Any, Any]
F32, I64 = dtypes.float32, dtypes.int64
RNG = np.random.default_rng(0)

MATRIX = RNG.normal(size=(17, 23)).astype(np.float32)
OTHER = RNG.normal(size=(23, 11)).astype(np.float32)
INTEGERS = RNG.integers(-9, 9, (17, 23))
IMAGE = RNG.normal(size=(2, 3, 9, 8)).astype(np.float32)
WEIGHT = RNG.normal(size=(4, 3, 3, 3)).astype(np.float32)
INDEX = RNG.integers(0, 17, (6, 23))

PROGRAMS: dict[str, tuple[Callable[..., Tensor], tuple[Array, ...]]] = {
    "arithmetic": (lambda x: (x * 2 + 1).sin().exp() / (x.abs() + 1), (MATRIX,)),
    "matmul": (lambda x, y: x @ y, (MATRIX, OTHER)),
    "softmax": (lambda x: x.softmax(1), (MATRIX,)),
    "layer norm": (
        lambda x: (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1e-5).sqrt(),
        (MATRIX,),
    ),
    "attention": (lambda x: (x @ x.transpose(0, 1)).softmax(1) @ x, (MATRIX,)),
    "convolution": (lambda x, w: x.conv2d(w, padding=1), (IMAGE, WEIGHT)),
    "running sum": (lambda x: x.cumsum(1), (MATRIX,)),
    "running maximum": (lambda x: x.cummax(0)[0], (MATRIX,)),
    "argmax": (lambda x: x.argmax(1), (MATRIX,)),
    "top k": (lambda x: x.topk(4, 1)[0], (MATRIX,)),
    "top k indices": (lambda x: x.topk(4, 1)[1], (MATRIX,)),
    "sort": (lambda x: x.sort(1)[0], (MATRIX,)),
    "integers": (lambda x: (x // 3) * 5 + x % 7, (INTEGERS,)),
    "gather": (lambda x, i: x.gather(0, i), (MATRIX, INDEX)),
    "scatter add": (lambda x, i: x.scatter_add(0, i, x[:6]), (MATRIX, INDEX)),
    "bfloat16": (lambda x: (x.cast("bfloat16") * 3).cast("float32"), (MATRIX,)),
    "float8": (lambda x: x.cast("float8_e4m3").sum(1).cast("float32"), (MATRIX,)),
    "padding": (lambda x: x.pad((2, 1, 0, 3)).sum(0), (MATRIX,)),
    "total": (lambda x: x.sum(), (MATRIX,)),
    "empty": (lambda x: x[:, :0].sum(1), (MATRIX,)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_agree_with_the_reference_and_the_cpu(name: str) -> None:
    program, arrays = PROGRAMS[name]
    got, by_cpu = (program(*[Tensor(a, device=d) for a in arrays]).numpy() for d in ("interpreter", "cpu"))
    expected = evaluate(program(*map(Tensor, arrays)).node)
    for value in (got, by_cpu):
        assert value.dtype == expected.dtype
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(value, expected, rtol=2e-5, atol=2e-5)
        else:
            np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_moves_and_pieces_do_not_change_a_kernel(name: str) -> None:
    """A kernel, the same one in very small pieces, and the same one with its moves."""
    program, arrays = PROGRAMS[name]
    for kernel in kernels_of(program(*map(Tensor, arrays))):
        plain, cut, moved = (random_arrays(kernel) for _ in range(3))
        run_kernel(kernel, plain)
        run_kernel(kernel, cut, most=2000)
        run_kernel(optimise(kernel), moved)
        for slot in kernel.outputs:
            np.testing.assert_allclose(cut[slot], plain[slot], rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(moved[slot], plain[slot], rtol=1e-5, atol=1e-6)


# --- kernels made by hand


def run(
    value: Node, order: tuple[Node, ...], index: Node, size: int, *inputs: Array, valid: Node | None = None
) -> Array:
    """out[index] = value over `order`."""
    out = np.zeros(size, value.dtype.name)
    memory = ((value.dtype, size), *((dtypes.of(a.dtype), a.size) for a in inputs))
    write = store(param(0, value.dtype, size), index, value, valid)
    run_kernel(Kernel(sink((write,)), order, memory, (0,)), [out, *inputs])
    return out


def test_a_fold_may_end_at_a_loaded_value(rng: np.random.Generator) -> None:
    lengths, x = np.array([3, 0, 5, 1]), rng.normal(size=20).astype(np.float32)
    i = loop(0, 4)
    j = loop(1, load(param(1, I64, 4), i))
    total = fold(monoid.ADD, (load(param(2, F32, 20), i * 5 + j),), (j,))
    got = run(total, (i,), i, 4, lengths, x)
    expected = [x[5 * n : 5 * n + length].sum() for n, length in enumerate(lengths)]
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_ragged_top_k_with_too_few_elements_has_empty_slots(rng: np.random.Generator) -> None:
    lengths, x = np.array([3, 0, 1]), rng.normal(size=12).astype(np.float32)
    i = loop(0, 3)
    j = loop(1, load(param(1, I64, 3), i))
    best = fold(Monoid("topmax", 2), (load(param(2, F32, 12), i * 4 + j), j), (j,))
    values = run(project(best, 1), (i,), i, 3, lengths, x)
    assert values[0] == np.sort(x[:3])[1]
    assert values[1] == values[2] == -np.inf
    assert run(project(best, 3), (i,), i, 3, lengths, x).tolist()[1:] == [I64.max, I64.max]


def test_an_output_loop_may_end_at_a_loaded_value() -> None:
    """Rows of different length are packed one after the other; what is past the end is not written."""
    lengths = np.array([2, 0, 3])
    i = loop(0, 3)
    j = loop(1, load(param(1, I64, 3), i))
    got = run((i * 10 + j + 1).cast(F32), (i, j), i * 4 + j, 12, lengths)
    assert got.tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 21, 22, 23, 0]


def test_masked_loads_read_zero_and_masked_stores_write_nothing() -> None:
    x = np.arange(1, 5, dtype=np.float32)
    i = loop(0, 6)
    inside = (i >= 1) & (i < 5)
    got = run(load(param(1, F32, 4), i - 1, inside) + 10.0, (i,), i, 6, x)
    assert got.tolist() == [10, 11, 12, 13, 14, 10]
    kept = run(load(param(1, F32, 4), i - 1, inside), (i,), i, 6, x, valid=i.ne(2))
    assert kept.tolist() == [0, 1, 0, 3, 4, 0]


@pytest.mark.parametrize("step", [-1, 1])
def test_an_index_out_of_bounds_is_an_error(step: int) -> None:
    x, i = np.ones(4, np.float32), loop(0, 4)
    with pytest.raises(IndexError, match="a load reads element"):
        run(load(param(1, F32, 4), i + step), (i,), i, 4, x)
    with pytest.raises(IndexError, match="a store writes elements"):
        run(load(param(1, F32, 4), i), (i,), i + step, 4, x)


def test_tiles_are_filled_once_for_each_iteration_that_holds_them(rng: np.random.Generator) -> None:
    x = rng.normal(size=12).astype(np.float32)
    i, j, k = loop(0, 3), loop(1, 4), loop(2, 4)
    tile = stage(load(param(1, F32, 12), i * 4 + k) * 2.0, index_const(3) - k, (k,), 3, 4)
    got = run(load(tile, j), (i, j), i * 4 + j, 12, x)
    np.testing.assert_array_equal(got.reshape(3, 4), 2 * x.reshape(3, 4)[:, ::-1])


def test_a_part_of_a_tile_that_nobody_fills_is_not_a_number() -> None:
    i, k = loop(0, 4), loop(1, 2)
    tile = stage(const(1.0, F32) + k.cast(F32), k, (k,), 2, 4)
    got = run(load(tile, i), (i,), i, 4)
    assert got[:2].tolist() == [1, 2]
    assert np.isnan(got[2:]).all()


def test_stores_to_one_place_combine_in_order() -> None:
    index, x = np.array([1, 0, 1, 1]), np.array([1, 2, 3, 4], np.float32)
    i = loop(0, 4)
    where = load(param(1, I64, 4), i)
    for mode, expected in ((None, [2, 4]), ("add", [2, 8]), ("max", [2, 4]), ("mul", [0, 0])):
        out = np.zeros(2, np.float32)
        write = store(param(0, F32, 2), where, load(param(2, F32, 4), i), const(True, dtypes.bool_), mode)
        run_kernel(Kernel(sink((write,)), (i,), ((F32, 2), (I64, 4), (F32, 4)), (0,)), [out, index, x])
        assert out.tolist() == expected


def test_a_running_argmax_keeps_the_first_of_equals() -> None:
    x = np.array([1, 3, 3, 2, 5, 5], np.float32)
    i = loop(0, 6)
    got = run(project(prefix(monoid.ARGMAX, (load(param(1, F32, 6), i), i), i), 1), (i,), i, 6, x)
    assert got.tolist() == [0, 1, 1, 1, 4, 4]


@pytest.mark.parametrize(("kind", "expected"), [("argmax", 2), ("argmin", 2), ("topmax", 2), ("topmin", 1)])
def test_where_nan_counts(kind: str, expected: int) -> None:
    x, j = np.array([5, -1, np.nan, 2], np.float32), loop(0, 4)
    best = fold(Monoid(kind), (load(param(1, F32, 4), j), j), (j,))
    assert run(project(best, 1), (), index_const(0), 1, x).tolist() == [expected]


def test_integers_wrap_and_divide_as_defined() -> None:
    x = np.array([-7, 7, 2**63 - 1, -(2**63)])
    i = loop(0, 4)
    element = load(param(1, I64, 4), i)
    minus_one, zero = index_const(-1), index_const(0)
    assert run(element // 2, (i,), i, 4, x).tolist() == [-4, 3, 2**62 - 1, -(2**62)]
    assert run(element.alu(Op.TDIV, index_const(2)), (i,), i, 4, x).tolist() == [-3, 3, 2**62 - 1, -(2**62)]
    assert run(element // minus_one, (i,), i, 4, x).tolist() == [7, -7, -(2**63) + 1, -(2**63)]
    assert run(element % zero, (i,), i, 4, x).tolist() == x.tolist()
    assert run(element + 1, (i,), i, 4, x).tolist() == [-6, 8, -(2**63), -(2**63) + 1]


# --- what callers get wrong


def test_wrong_arrays_are_refused() -> None:
    i = loop(0, 4)
    kernel = Kernel(sink((store(param(0, F32, 4), i, i.cast(F32)),)), (i,), ((F32, 4),), (0,))
    with pytest.raises(ValueError, match="1 parameters was given 0"):
        run_kernel(kernel, [])
    with pytest.raises(ValueError, match="4 elements of float32, not 4 of float64"):
        run_kernel(kernel, [np.zeros(4)])
    with pytest.raises(ValueError, match="make it contiguous"):
        run_kernel(kernel, [np.zeros((4, 2), np.float32)[:, 0]])


def test_text_is_refused() -> None:
    with pytest.raises(ValueError, match="source_for"):
        Device["interpreter"].compile([Source("k", "define ...", 1, 1)])
