"""Columns by number: places are read once for several rows, and results are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor
from saccade.codegen.cpu.heuristic import optimise
from saccade.codegen.cpu.lookups import ROWS
from saccade.codegen.cpu.prefetch import lookups_to_fetch
from saccade.codegen.linear.skip import skip_of
from saccade.graph.kernels.kernel import UNROLL, VECTOR, range_size
from saccade.graph.ops import Op
from saccade.graph.rules.bounds import bounds
from tests.codegen.kernels import kernels_of


def rows_at_a_time(result: Tensor) -> list[int]:
    (kernel,) = kernels_of(result)
    return [range_size(r) for r in optimise(kernel).order if r.arg.kind == UNROLL]


def test_rows_share_their_places() -> None:
    x, at = Tensor(np.zeros((300, 64), "float32")), Tensor(np.arange(40))
    assert rows_at_a_time(x.index_select(-1, at)) == [ROWS]
    assert rows_at_a_time(x[:, at] * 2) == [ROWS]
    assert rows_at_a_time(x[:6, at]) == []  # too few
    assert rows_at_a_time(x.gather(1, Tensor(np.zeros((300, 40), "int64")))) == []  # places of their own
    assert rows_at_a_time(x.index_select(0, at)) == []  # whole rows


def test_a_place_outside_is_not_tested_first() -> None:
    (kernel,) = kernels_of(Tensor(np.zeros((300, 64), "float32")).index_select(-1, Tensor(np.arange(40))))
    assert skip_of(kernel) is None


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8"])
@pytest.mark.parametrize(("rows", "n", "m"), [(8, 5, 1), (9, 33, 17), (130, 7, 70), (1, 9, 40), (11, 3, 0)])
def test_results(rows: int, n: int, m: int, dtype: str, rng: np.random.Generator) -> None:
    a = rng.integers(-9, 10, (rows, n)).astype(dtype)
    at = rng.integers(-n, n, m)
    x, places = Tensor(a), Tensor(at)
    np.testing.assert_array_equal(x[:, places].numpy(), a[:, at])
    np.testing.assert_array_equal((x[:, places] * 2 + 1).numpy(), a[:, at] * 2 + 1)
    np.testing.assert_array_equal(x.index_select(1, Tensor(at % n)).numpy(), a[:, at % n])
    whole = x.unsqueeze(1).expand(rows, 3, n)[:, :, places].numpy()
    np.testing.assert_array_equal(whole, np.repeat(a[:, None], 3, 1)[:, :, at])


@pytest.mark.parametrize("width", [33, 64, 129])
def test_rows_by_number_are_fetched_ahead(width: int) -> None:
    x, at = Tensor(np.zeros((300, width), "float32")), Tensor(np.arange(40))
    (kernel,) = kernels_of(x.index_select(0, at))
    made = optimise(kernel)
    found = lookups_to_fetch(made)
    assert found
    assert all(memory.op is Op.PARAM for memory, _ in found)
    # the number itself is read, so it must be one of those that are there
    reads = [n for _, index in found for n in index.toposort() if n.op is Op.LOAD]
    assert reads
    assert all(bounds(n.src[1])[1] < 40 for n in reads)


def test_single_elements_are_not_fetched() -> None:
    x, at = Tensor(np.zeros(300, "float32")), Tensor(np.arange(40))
    (kernel,) = kernels_of(x[at] * 2)
    assert lookups_to_fetch(optimise(kernel)) == []


def test_numbers_do_not_narrow_the_lanes() -> None:
    x, at = Tensor(np.zeros((300, 1024), "float32")), Tensor(np.arange(40, dtype="int64"))
    (kernel,) = kernels_of(x.index_select(0, at))
    assert [range_size(r) for r in optimise(kernel).order if r.arg.kind == VECTOR] == [16]


@pytest.mark.parametrize(("rows", "n", "m"), [(1, 64, 1), (3, 33, 2), (40, 129, 7), (5, 512, 3), (9, 17, 0)])
def test_rows_by_number(rows: int, n: int, m: int, rng: np.random.Generator) -> None:
    a, at = rng.normal(size=(rows, n)).astype("float32"), rng.integers(-rows, rows, m)
    np.testing.assert_array_equal(Tensor(a)[Tensor(at)].numpy(), a[at])
    np.testing.assert_array_equal((Tensor(a)[Tensor(at)] * 2).numpy(), a[at] * 2)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8", "uint8", "int16"])
def test_places_of_its_own_for_each_element(dtype: str, rng: np.random.Generator) -> None:
    """Lanes whose places are outside read nothing, as the rows beside them."""
    x = rng.integers(0, 100, (7, 33)).astype(dtype)
    at = rng.integers(0, 33, (7, 41))
    np.testing.assert_array_equal(Tensor(x).gather(1, Tensor(at)).numpy(), np.take_along_axis(x, at, 1))
    masked = (Tensor(x).gather(1, Tensor(at)) * 2).where(Tensor(at) < 20, 1).numpy()
    np.testing.assert_array_equal(masked, np.where(at < 20, np.take_along_axis(x, at, 1) * 2, 1))
