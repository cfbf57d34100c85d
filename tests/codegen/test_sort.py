"""Sorting and large top-k on the CPU and, by parts, on a GPU: against NumPy's stable sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor
from saccade.codegen.compile import source_for
from saccade.codegen.cuda.templates.sort.source import sort_source
from saccade.schedule.cost import GPU
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from saccade.transform.parallel import sorting
from tests.codegen.cuda_emulator import emulated_gpu

Array = np.ndarray[Any, np.dtype[Any]]
DTYPES = ("float32", "float64", "float16", "int8", "uint8", "int32", "uint32", "int64", "uint64", "bool")


def in_order(x: Array, axis: int, descending: bool) -> Array:
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(backwards, axis))


def drawn(seed: int, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers with ties, both zeros, infinities and NaN, and the ends of integers."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return random.random(shape) < 0.5
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        x = random.integers(0, 9, shape).astype(kind)
        x[random.random(shape) < 0.2] = ends.max
        x[random.random(shape) < 0.2] = ends.min
        return x
    x = (random.integers(-4, 5, shape) / 2).astype(kind)
    for value in (-0.0, np.inf, -np.inf, np.nan, -np.nan):
        x[random.random(shape) < 0.05] = value
    return x


def check(x: Array, axis: int, descending: bool, device: str, keep: int) -> None:
    order = in_order(x, axis, descending)
    made = Tensor(x, device=device)
    values, indices = made.sort(axis, descending)
    values.realize(indices)  # by one kernel; the first few below by one each
    np.testing.assert_array_equal(indices.numpy(), order)
    expected = np.take_along_axis(x, order, axis)
    found = values.numpy()
    np.testing.assert_array_equal(found, expected)
    if x.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))  # zeros stay what they were
    first = np.take(order, range(keep), axis)
    values, indices = made._sorted(axis, descending, keep)
    np.testing.assert_array_equal(indices.numpy(), first)
    np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, first, axis))


@settings(max_examples=45)
@given(st.sampled_from(DTYPES), st.integers(1, 70), st.booleans(), st.data())
def test_rows_of_every_length(dtype: str, n: int, descending: bool, data: st.DataObject) -> None:
    """Networks of eight and what is left over, runs of equal and of other lengths, and the first few. How
    rows are merged does not depend on the type, so types and lengths are drawn together."""
    keep = data.draw(st.integers(1, n))
    check(drawn(n, (3, n), dtype), 1, descending, "cpu", keep)


@pytest.mark.parametrize("shape", [(100, 3), (2, 50, 3), (1, 1), (1000,)])
def test_any_axis(shape: tuple[int, ...]) -> None:
    for axis in range(len(shape)):
        check(drawn(1, shape, "float32"), axis, axis % 2 == 0, "cpu", min(17, shape[axis]))


@pytest.mark.parametrize("order", ["ascending", "descending", "equal"])
def test_the_first_few_of_rows_in_order(order: str) -> None:
    """Every element is better than all before, none is, or all are alike."""
    x = np.zeros(3000, np.float32) if order == "equal" else np.arange(3000, dtype=np.float32)
    x = x[::-1].copy() if order == "descending" else x
    for descending in (False, True):
        check(x, 0, descending, "cpu", 20)


@pytest.mark.parametrize(("shape", "axis", "dtype"), [((200,), 0, "float32"), ((130, 2), 0, "int32")])
def test_long_rows_on_a_gpu_are_merged(
    shape: tuple[int, ...], axis: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorting, "PART", 64)
    with emulated_gpu():
        check(drawn(2, shape, dtype), axis, shape[axis] % 4 == 0, "cuda", 40)


@pytest.mark.parametrize(
    ("length", "dtype", "descending"),
    [
        (1, "float32", False), (7, "int8", True), (8, "bool", False), (255, "float16", True),
        (256, "uint32", False), (257, "float32", True), (300, "float32", False), (600, "int32", True),
        (300, "float64", True),
    ],
)  # fmt: skip
def test_rows_on_a_gpu(length: int, dtype: str, descending: bool) -> None:
    """Rows of a warp and of several, whole and with places beyond them; the first few, and another axis."""
    with emulated_gpu():
        check(drawn(length, (3, length), dtype), 1, descending, "cuda", length)
        check(drawn(length, (length, 2), dtype), 0, descending, "cuda", max(1, length // 3))


@pytest.mark.parametrize(
    ("length", "keep", "dtype", "descending"),
    [
        (256, 32, "float32", True), (257, 1, "float32", False), (700, 40, "float16", True),
        (900, 100, "int32", False), (640, 80, "uint8", True),
    ],
)  # fmt: skip
def test_the_first_few_of_rows_on_a_gpu_are_selected(
    length: int, keep: int, dtype: str, descending: bool
) -> None:
    """Distinct numbers, few different ones, and equal ones, of which more than candidates are told apart by
    their places; whole rows of threads and others, along rows and down columns."""
    distinct = np.random.default_rng(length).permutation(length).astype(dtype)
    rows = np.stack([distinct, drawn(length, (length,), dtype), np.full(length, 3, dtype), np.sort(distinct)])
    with emulated_gpu():
        for axis, x in ((1, rows), (0, np.ascontiguousarray(rows.T))):
            first = np.take(in_order(x, axis, descending), range(keep), axis)
            values, indices = Tensor(x, device="cuda")._sorted(axis, descending, keep)
            np.testing.assert_array_equal(indices.numpy(), first)
            np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, first, axis))


def test_few_of_long_rows_need_no_sort() -> None:
    """A row of 4,096 is sorted for its first 600, and for its first 40 it is not."""
    for keep, sorts in ((40, False), (600, True)):
        form, _ = canonical([Tensor(np.zeros((7, 4096), np.float32)).topk(keep).values.node])
        (item,) = schedule(*graph_of(form), GPU).items
        assert ("sort_row(" in sort_source(item.kernel, "rows").text) == sorts


def test_a_long_row_is_a_sort_of_parts_and_merges() -> None:
    x = Tensor(np.zeros(1 << 17, np.float32))
    form, _ = canonical([x.sort(0).values.node])
    kernels = [item.kernel.sink.src[0].arg for item in schedule(*graph_of(form), GPU).items]
    assert [k.run > 0 for k in kernels] == [False] + [True] * 5
    assert kernels[0].length == sorting.PART * sorting.NARROW_TIMES
    assert [k.length for k in kernels[1:]] == [kernels[0].length << level for level in range(1, 6)]


def test_a_long_top_k_carries_k_elements_from_step_to_step() -> None:
    x = Tensor(np.zeros(1 << 17, np.float32))
    form, _ = canonical([x.topk(100).values.node])
    kernels = [item.kernel.sink.src[0].arg for item in schedule(*graph_of(form), GPU).items]
    assert {k.keep for k in kernels} == {100}


def test_places_are_read_from_memory() -> None:
    """LLVM 22 for x86 read far outside a row of four with a stride: it took a word for the low half of it."""
    x = Tensor(np.arange(68, dtype=np.int32).reshape(1, 4, 17))
    assert x.sort(1, descending=True).values.tolist() == np.flip(x.numpy(), 1).tolist()
    form, _ = canonical([x.sort(1).values.node])
    (kernel,) = (item.kernel for item in schedule(*graph_of(form)).items)
    assert "load volatile i64" in source_for(kernel, "cpu").text
