"""Every dtype through the whole of code generation, against NumPy and Python integers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade.codegen.numerics.decompose import decompose
from saccade.codegen.numerics.words import WORDS
from saccade.graph import dtypes, monoid
from saccade.graph.constants import anything, is_anything
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import Kernel, fold, load, loop, param, prefix, project, sink, stage, store
from saccade.graph.monoid import Monoid
from saccade.graph.node import Node, const, make
from saccade.graph.ops import Op
from saccade.runtime.memory.halves import from_float32, storage_dtype, to_float32
from tests.codegen.kernels import apply, elementwise, run_on_cpu

Array = np.ndarray[Any, Any]
NARROW = [dtypes.float16, *WORDS]
Generator = np.random.Generator


def host(values: Any, dtype: DType) -> Array:
    """Values in the memory of a dtype."""
    if dtype in WORDS:
        return from_float32(np.asarray(values, np.float32), dtype)
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(storage_dtype(dtype))


def values(memory: Array, dtype: DType) -> Array:
    """What the memory of a dtype says, in a type NumPy computes with."""
    return to_float32(memory, dtype) if dtype in WORDS else memory


def samples(rng: Generator, dtype: DType, count: int = 1000) -> Array:
    """Memory of a dtype that holds its extremes and a spread of other values."""
    if dtype.is_bool:
        return rng.integers(0, 2, count).astype(np.bool_)
    if dtype.is_int:
        ends = np.array([dtype.min, dtype.max, dtype.min + 1, dtype.max - 1, 0, 1, 2, 100], dtype.name)
        spread = rng.integers(dtype.min, dtype.max, count, dtype=dtype.name, endpoint=True)
        return np.concatenate([ends, spread, spread // 2 ** (dtype.bits // 2)]).astype(dtype.name)
    ends = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1.0,
        -1.0,
        0.5,
        1.5,
        2.5,
        127.5,
        -129.0,
        255.5,
        3e9,
        -3e9,
        2.0**63,
        1e19,
        1e300,
    ]
    with np.errstate(over="ignore"):
        spread = rng.normal(size=count) * np.exp(rng.normal(0, 6, count))
        return host(np.concatenate([ends, spread]), dtype)


def cast_by_numpy(x: Array, target: DType) -> Array:
    """x, in a type of NumPy's, as memory of `target`: integers wrap, floats saturate and NaN is 0."""
    if target.is_bool:
        return x != 0
    if target.is_int and x.dtype.kind == "f":
        wide = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
        return np.array(
            [min(max(v, target.min), target.max) if np.isinf(v) else _clip(int(v), target) for v in wide],
            target.name,
        )
    with np.errstate(all="ignore"):
        return host(x.astype(np.float32) if target in WORDS else x, target)


def _clip(value: int, dtype: DType) -> int:
    return min(max(value, int(dtype.min)), int(dtype.max))


@pytest.mark.parametrize("target", dtypes.ALL, ids=lambda d: d.name)
@pytest.mark.parametrize("source", dtypes.ALL, ids=lambda d: d.name)
def test_cast(source: DType, target: DType, rng: Generator) -> None:
    memory = samples(rng, source)
    got = values(apply(lambda x: x.cast(target), [source], memory), target)
    expected = memory if source is target else cast_by_numpy(values(memory, source), target)
    np.testing.assert_array_equal(got, values(expected, target))


@pytest.mark.parametrize("dtype", dtypes.FLOATS, ids=lambda d: d.name)
def test_bitcast_keeps_the_bits(dtype: DType, rng: Generator) -> None:
    memory, word = samples(rng, dtype), dtypes.by_name(f"uint{dtype.bits}")
    there = apply(lambda x: make(Op.BITCAST, word, (x,)), [dtype], memory)
    np.testing.assert_array_equal(there, memory.view(f"uint{dtype.bits}"))
    back = apply(lambda x: make(Op.BITCAST, dtype, (x,)), [word], there)
    np.testing.assert_array_equal(back.view(there.dtype), there)


# --- narrow floats: one op, one rounding

UNARY: dict[Op, Callable[[Array], Array]] = {
    Op.NEG: operator.neg, Op.ABS: np.abs, Op.SQRT: np.sqrt, Op.RECIP: lambda x: 1 / x, Op.FLOOR: np.floor,
    Op.EXP: np.exp, Op.TANH: np.tanh, Op.ISNAN: np.isnan,
}  # fmt: skip
BINARY: dict[Op, Callable[[Array, Array], Array]] = {
    Op.ADD: operator.add, Op.SUB: operator.sub, Op.MUL: operator.mul, Op.DIV: operator.truediv, Op.MAX:
    np.maximum, Op.MIN: np.minimum, Op.LT: operator.lt, Op.LE: operator.le, Op.EQ: operator.eq, Op.NE:
    operator.ne, Op.MOD: np.mod,
}  # fmt: skip


def close_in(got: Array, expected: Array, dtype: DType) -> None:
    """Equal, except that a result a hair off in float32 may round to the neighbouring narrow value."""
    if not dtype.is_float:
        np.testing.assert_array_equal(got, expected)
        return
    a, b = values(got, dtype).astype(np.float32), values(expected, dtype).astype(np.float32)
    np.testing.assert_array_equal(np.isfinite(a), np.isfinite(b))
    np.testing.assert_allclose(a, b, rtol=2.0**-dtype.mantissa_bits, atol=2.0 ** -(dtype.mantissa_bits + 10))
    assert np.mean((a == b) | (np.isnan(a) & np.isnan(b))) > 0.99


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
@pytest.mark.parametrize("op", UNARY, ids=str)
def test_narrow_function(op: Op, dtype: DType, rng: Generator) -> None:
    memory = samples(rng, dtype)
    got = apply(lambda x: x.alu(op), [dtype], memory)
    with np.errstate(all="ignore"):
        wide = UNARY[op](values(memory, dtype).astype(np.float32))
        close_in(
            got, wide if op is Op.ISNAN else host(wide, dtype), dtypes.bool_ if op is Op.ISNAN else dtype
        )


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
@pytest.mark.parametrize("op", BINARY, ids=str)
def test_narrow_operation(op: Op, dtype: DType, rng: Generator) -> None:
    a, b = samples(rng, dtype), rng.permutation(samples(rng, dtype))
    got = apply(lambda x, y: x.alu(op, y), [dtype, dtype], a, b)
    with np.errstate(all="ignore"):
        wide = BINARY[op](values(a, dtype).astype(np.float32), values(b, dtype).astype(np.float32))
        is_bool = wide.dtype == np.bool_
        close_in(got, wide if is_bool else host(wide, dtype), dtypes.bool_ if is_bool else dtype)


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
def test_choosing_and_copying_keep_the_bits(dtype: DType, rng: Generator) -> None:
    a, b = samples(rng, dtype), rng.permutation(samples(rng, dtype))
    condition = rng.integers(0, 2, a.size).astype(np.bool_)
    got = apply(lambda c, x, y: c.where(x, y), [dtypes.bool_, dtype, dtype], condition, a, b)
    np.testing.assert_array_equal(
        got.view(f"uint{dtype.bits}"), np.where(condition, a, b).view(f"uint{dtype.bits}")
    )


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
def test_constants_of_narrow_types(dtype: DType) -> None:
    memory = host(np.linspace(-3, 3, 100), dtype)
    got = apply(lambda x: x.maximum(const(0.75, dtype)), [dtype], memory)
    np.testing.assert_array_equal(
        got, host(np.maximum(values(memory, dtype).astype(np.float32), 0.75), dtype)
    )


# --- reductions, tiles and combining stores


def rows(
    rng: Generator, dtype: DType, make_value: Callable[[Node, Node], Node], shape: tuple[int, int]
) -> tuple[Kernel, Array]:
    """out[i] = make_value(x[i, j], j) and the memory of x."""
    n, m = shape
    i, j = loop(0, n), loop(1, m)
    value = make_value(load(param(1, dtype, n * m), i * m + j), j)
    kernel = Kernel(
        sink((store(param(0, value.dtype, n), i, value),)), (i,), ((value.dtype, n), (dtype, n * m)), (0,)
    )
    return kernel, host(rng.normal(size=n * m), dtype)


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
@pytest.mark.parametrize("kind", ["add", "max", "min"])
def test_folds_of_narrow_types_round_once(kind: str, dtype: DType, rng: Generator) -> None:
    kernel, x = rows(rng, dtype, lambda v, j: fold(Monoid(kind), (v,), (j,)), (7, 300))
    out = np.zeros(7, storage_dtype(dtype))
    run_on_cpu(kernel, [out, x])
    wide = values(x, dtype).reshape(7, 300).astype(np.float32)
    if kind != "add":
        close_in(out, host({"max": wide.max(1), "min": wide.min(1)}[kind], dtype), dtype)
        return
    # Sums in single precision differ by at most this in any order. Where positive and negative numbers nearly
    # cancel it is more than a rounding of what is left.
    order = wide.shape[1] * 2.0**-24 * np.abs(wide).sum(1).max()
    found, expected = (values(m, dtype).astype(np.float32) for m in (out, host(wide.sum(1), dtype)))
    np.testing.assert_allclose(found, expected, rtol=2.0**-dtype.mantissa_bits, atol=order)


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
def test_components_of_a_narrow_fold(dtype: DType, rng: Generator) -> None:
    top = Monoid("topmax", 2)
    kernel, x = rows(rng, dtype, lambda v, j: project(fold(top, (v, j), (j,)), 1), (5, 40))
    second = np.zeros(5, storage_dtype(dtype))
    run_on_cpu(kernel, [second, x])
    wide = values(x, dtype).reshape(5, 40).astype(np.float32)
    np.testing.assert_array_equal(values(second, dtype), np.sort(wide, axis=1)[:, -2])
    where, y = rows(rng, dtype, lambda v, j: project(fold(monoid.ARGMAX, (v, j), (j,)), 1), (5, 40))
    first = np.zeros(5, np.int64)
    run_on_cpu(where, [first, y])
    np.testing.assert_array_equal(first, values(y, dtype).reshape(5, 40).astype(np.float32).argmax(1))


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
def test_running_sum_of_a_narrow_type(dtype: DType, rng: Generator) -> None:
    n, m = 3, 50
    i, j = loop(0, n), loop(1, m)
    value = prefix(monoid.ADD, (load(param(1, dtype, n * m), i * m + j),), j)
    kernel = Kernel(
        sink((store(param(0, dtype, n * m), i * m + j, value),)), (i, j), ((dtype, n * m),) * 2, (0,)
    )
    x, out = host(rng.integers(-2, 3, n * m), dtype), np.zeros(n * m, storage_dtype(dtype))
    run_on_cpu(kernel, [out, x])
    exact = np.cumsum(values(x, dtype).reshape(n, m).astype(np.float32), axis=1, dtype=np.float32)
    np.testing.assert_array_equal(values(out, dtype), values(host(exact.reshape(-1), dtype), dtype))


@pytest.mark.parametrize("dtype", NARROW, ids=lambda d: d.name)
def test_tiles_of_a_narrow_type(dtype: DType, rng: Generator) -> None:
    n, m = 4, 24
    i, j, k = loop(0, n), loop(1, m), loop(2, m)
    x = param(1, dtype, n * m)
    tile = stage(load(x, i * m + k) + load(x, i * m + k), k, (k,), 3, m)
    value = load(tile, const(m - 1, dtypes.index) - j)
    kernel = Kernel(
        sink((store(param(0, dtype, n * m), i * m + j, value),)), (i, j), ((dtype, n * m),) * 2, (0,)
    )
    memory, out = host(rng.normal(size=n * m), dtype), np.zeros(n * m, storage_dtype(dtype))
    run_on_cpu(kernel, [out, memory])
    wide = values(memory, dtype).reshape(n, m).astype(np.float32)
    np.testing.assert_array_equal(out, host((wide + wide)[:, ::-1].reshape(-1), dtype))


@pytest.mark.parametrize("dtype", [*NARROW, dtypes.float32, dtypes.int32], ids=lambda d: d.name)
@pytest.mark.parametrize("mode", ["add", "max"])
def test_combining_stores(mode: str, dtype: DType, rng: Generator) -> None:
    n, bins = 64, 5
    i = loop(0, n)
    where = load(param(1, dtypes.int64, n), i)
    inside = (where >= 0) & (where < bins)
    write = store(param(0, dtype, bins), where, load(param(2, dtype, n), i), inside, mode)
    kernel = Kernel(sink((write,)), (i,), ((dtype, bins), (dtypes.int64, n), (dtype, n)), (0,))
    index, updates = rng.integers(-1, bins + 1, n), host(rng.integers(-3, 4, n), dtype)
    out = host(np.arange(bins), dtype)
    expected = out.copy()
    run_on_cpu(kernel, [out, index, updates])
    combine = {"add": np.add, "max": np.maximum}[mode]
    for place, update in zip(index, updates, strict=True):
        if 0 <= place < bins:  # memory is of the narrow type: every step rounds
            held, new = (values(np.array([m]), dtype).astype(np.float64) for m in (expected[place], update))
            expected[place] = host(combine(held, new), dtype)[0]
    np.testing.assert_array_equal(values(out, dtype), values(expected, dtype))


# --- integers and bools


def _divide(a: int, b: int) -> int:
    return a // b if b else 0


INTEGER: dict[Op, Callable[[int, int], int]] = {
    Op.ADD: operator.add, Op.SUB: operator.sub, Op.MUL: operator.mul, Op.MAX: max, Op.MIN: min, Op.AND:
    operator.and_, Op.OR: operator.or_, Op.XOR: operator.xor, Op.IDIV: _divide, Op.MOD: lambda a, b: a % b if
    b else a, Op.TDIV: lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else 0, Op.LT:
    operator.lt,
    Op.LE: operator.le, Op.EQ: operator.eq, Op.NE: operator.ne,
}  # fmt: skip


def wrapped(value: int, dtype: DType) -> int:
    return int(const(value, dtype).arg)


@pytest.mark.parametrize("dtype", dtypes.INTS, ids=lambda d: d.name)
@pytest.mark.parametrize("op", INTEGER, ids=str)
def test_integer_operation(op: Op, dtype: DType, rng: Generator) -> None:
    a = samples(rng, dtype, 300)
    b = rng.permutation(a)
    b[::7] = 0
    got = apply(lambda x, y: x.alu(op, y), [dtype, dtype], a, b)
    expected = [INTEGER[op](int(x), int(y)) for x, y in zip(a, b, strict=True)]
    out = dtypes.bool_ if op in (Op.LT, Op.LE, Op.EQ, Op.NE) else dtype
    assert got.tolist() == [wrapped(v, out) if out is dtype else v for v in expected]


@pytest.mark.parametrize("dtype", dtypes.INTS, ids=lambda d: d.name)
@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 16])
def test_division_by_a_constant(divisor: int, dtype: DType, rng: Generator) -> None:
    a = samples(rng, dtype, 300)
    for op in (Op.IDIV, Op.MOD, Op.TDIV):
        got = apply(lambda x, op=op: x.alu(op, const(divisor, dtype)), [dtype], a)
        assert got.tolist() == [wrapped(INTEGER[op](int(x), divisor), dtype) for x in a]


@pytest.mark.parametrize("dtype", dtypes.INTS, ids=lambda d: d.name)
def test_integer_functions_and_shifts(dtype: DType, rng: Generator) -> None:
    a = samples(rng, dtype, 300)
    for op, function in ((Op.NEG, operator.neg), (Op.ABS, abs), (Op.NOT, operator.invert)):
        got = apply(lambda x, op=op: x.alu(op), [dtype], a)
        assert got.tolist() == [wrapped(function(int(x)), dtype) for x in a]
    amount = rng.integers(0, dtype.bits + 3, a.size).astype(dtype.name)
    left = apply(lambda x, y: x.alu(Op.SHL, y), [dtype, dtype], a, amount)
    assert left.tolist() == [wrapped(int(x) << int(y), dtype) for x, y in zip(a, amount, strict=True)]
    right = apply(lambda x, y: x.alu(Op.SHR, y), [dtype, dtype], a, amount)
    assert right.tolist() == [wrapped(int(x) >> int(y), dtype) for x, y in zip(a, amount, strict=True)]


@pytest.mark.parametrize(
    "op", [Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR, Op.LT, Op.LE, Op.EQ, Op.NE], ids=str
)
def test_bools(op: Op) -> None:
    a, b = np.array([False, False, True, True] * 9), np.array([False, True] * 18)
    got = apply(lambda x, y: x.alu(op, y), [dtypes.bool_, dtypes.bool_], a, b)
    expected = [bool(INTEGER[op](int(x), int(y))) for x, y in zip(a, b, strict=True)]
    assert got.tolist() == expected
    assert apply(lambda x: ~x, [dtypes.bool_], a).tolist() == (~a).tolist()


# --- the pass itself


@pytest.mark.parametrize("dtype", list(WORDS), ids=lambda d: d.name)
def test_no_value_of_a_word_type_is_left(dtype: DType) -> None:
    kernel = elementwise(lambda x, y: (x + y).alu(Op.EXP).maximum(const(1.0, dtype)), [dtype, dtype], 8)
    left = [n for n in decompose(kernel.sink).toposort() if n.dtype in WORDS]
    assert [n.op for n in left] == [Op.STORE]


def test_what_the_machine_has_is_left_alone() -> None:
    kernel = elementwise(lambda x, y: x * y + x, [dtypes.float32, dtypes.float32], 8)
    assert decompose(kernel.sink) is kernel.sink


def test_work_grows_with_the_graph_only() -> None:
    """A shared subexpression is replaced once, however many read it."""

    def deep(x: Node, levels: int) -> Node:
        for _ in range(levels):
            x = x.alu(Op.TANH) + x
        return x

    sizes = [
        len(decompose(elementwise(lambda x, n=n: deep(x, n), [dtypes.bfloat16], 8).sink).toposort())
        for n in (10, 20, 40)
    ]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


@pytest.mark.parametrize("dtype", [dtypes.bfloat16, dtypes.float8_e4m3, dtypes.float16])
def test_what_does_not_matter_does_not_matter_in_words_either(dtype: DType) -> None:
    """Nothing has to be stored where a mask fails, so a loop may end there."""
    assert is_anything(decompose(anything(dtype)))
