"""Maps over padded rows: the padding is left out, and is there."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor, jit
from saccade.codegen.compile import shaped, source_of
from saccade.codegen.linear.skip import at_likeliest, skip_of
from saccade.codegen.moves.ordered import conjuncts
from saccade.graph import dtypes
from saccade.graph.kernels.kernel import VECTOR, load, loop, param
from saccade.graph.node import Node, const, index_const
from saccade.graph.ops import Op
from saccade.graph.rules.symbolic import simplify
from saccade.runtime.cpu.engine import goes_without_avx512
from saccade.runtime.cpu.machine import Registers, assuming
from saccade.tensor.tensor import where
from tests.codegen.kernels import WITHOUT_VNNI, kernels_of, run_on_cpu

WIDTH = 72
Array = np.ndarray[Any, Any]


def there(counts: Tensor, width: int = WIDTH) -> Tensor:
    return Tensor.arange(width, dtype="int32") < counts.unsqueeze(-1)


def moved_along(x: Tensor, order: Tensor, counts: Tensor) -> Tensor:
    return where(there(counts), x.gather(-1, order) * 2.0 + 1.0, -3.0)


def counted(rows: int, values: object) -> Tensor:
    return Tensor(np.broadcast_to(np.asarray(values, np.int32), (rows,)).copy())


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(-2, WIDTH + 3), min_size=1, max_size=5), st.integers(0, 100))
def test_counts_of_every_kind(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(len(counts), WIDTH)).astype(np.float32)
    order = rng.integers(0, WIDTH, x.shape)
    number = np.array(counts, np.int32)
    found = moved_along(Tensor(x), Tensor(order), Tensor(number)).numpy()
    taken = np.take_along_axis(x, order, -1) * 2 + 1
    np.testing.assert_array_equal(found, np.where(np.arange(WIDTH) < number[:, None], taken, -3))


def test_several_results_with_a_padding_each() -> None:
    rng = np.random.default_rng(0)
    x, flags = rng.normal(size=(4, WIDTH)).astype(np.float32), rng.random((4, WIDTH)) < 0.5
    number = np.array([0, 5, WIDTH, 33], np.int32)

    @jit
    def both(x: Tensor, flags: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        mask = there(counts)
        return where(mask, x.exp() / (x * x + 1.0), float("-inf")), flags & mask & (x > 0.0)

    values, kept = both(Tensor(x), Tensor(flags), Tensor(number))
    mask = np.arange(WIDTH) < number[:, None]
    np.testing.assert_allclose(values.numpy(), np.where(mask, np.exp(x) / (x * x + 1), -np.inf), rtol=1e-6)
    np.testing.assert_array_equal(kept.numpy(), flags & mask & (x > 0))


def test_the_mask_is_tested_once_a_vector() -> None:
    x, order = Tensor(np.ones((64, 512), np.float32)), Tensor(np.zeros((64, 512), np.int64))
    (kernel,) = kernels_of(where(there(counted(64, 9), 512), x.gather(-1, order) * 2.0 + 1.0, 0.0))
    moved = shaped(kernel)
    skip = skip_of(moved)
    assert skip is not None
    assert [p.arg for p in skip.padding] == [0.0]
    assert moved.order[-1].arg.kind == VECTOR


def test_edges_of_a_copy_are_not_tested() -> None:
    """The test of a mask of lanes would cost AVX-512, and leaves out one load: 0.45 -> 0.09 ms for 8 x 128
    pictures of 14 x 14, padded by 2."""
    (kernel,) = kernels_of(Tensor(np.ones((2, 3, 14, 14), np.float32)).pad([2, 2, 2, 2]).contiguous())
    assert skip_of(shaped(kernel)) is None


def test_padding_that_does_not_matter_stays_unwritten() -> None:
    rng = np.random.default_rng(1)
    x, order = rng.normal(size=(4, 512)).astype(np.float32), rng.integers(0, 512, (4, 512))
    number = np.array([0, 9, 512, 100], np.int32)
    value = Tensor(x).gather(-1, Tensor(order)) * 2.0 + 1.0
    (kernel,) = kernels_of(where(there(Tensor(number), 512), value, Tensor.empty(())))
    given = {"int32": number, "int64": order, "float32": x}
    arrays = [given[dtype.name].copy() for dtype, _ in kernel.params]
    (out,) = kernel.outputs
    arrays[out][...] = -7.0
    run_on_cpu(kernel, arrays)
    place, mask = np.arange(512), np.arange(512) < number[:, None]
    expected = np.take_along_axis(x, order, -1) * 2 + 1
    np.testing.assert_array_equal(arrays[out][mask], expected[mask])
    beyond = place >= number[:, None] + 64  # a vector may hold the last of them and padding
    assert (arrays[out][beyond] == -7.0).all()


@pytest.mark.parametrize("padding", ["none", "zero"])
def test_a_loop_ends_where_nothing_is_written_any_more(padding: str) -> None:
    x, order = Tensor(np.ones((64, 512), np.float32)), Tensor(np.zeros((64, 512), np.int64))
    value, mask = x.gather(-1, order) * 2.0 + 1.0, there(counted(64, 9), 512)
    result = where(mask, value, Tensor.empty(()) if padding == "none" else 0.0)
    (kernel,) = kernels_of(result)
    ends = [r.src[0].op is not Op.CONST for r in shaped(kernel).order]
    assert ends.count(True) == (padding == "none")


def test_a_tensor_whose_values_do_not_matter_is_zero_where_it_is_used() -> None:
    x = Tensor(np.arange(6, dtype=np.float32))
    assert (where(x > 2.0, x, Tensor.empty(())) + 1.0).tolist() == [1.0, 1.0, 1.0, 4.0, 5.0, 6.0]
    assert Tensor.empty(2, 3, dtype="int32").tolist() == [[0, 0, 0], [0, 0, 0]]
    assert Tensor.empty(2, dtype="bool").tolist() == [False, False]


@pytest.mark.parametrize("kind", ["no constant", "a cheap value", "the same for a whole row"])
def test_what_is_not_skipped(kind: str) -> None:
    x, mask = Tensor(np.ones((64, WIDTH), np.float32)), there(counted(64, 9))
    value = (x + 1.0).sqrt() / (x * 3.0 + 2.0) * x
    if kind == "no constant":
        result = where(mask, value, x)
    elif kind == "a cheap value":
        result = where(mask, x, 0.0)
    else:
        result = where(counted(64, 9).unsqueeze(-1) > 3, value, 0.0)
    (kernel,) = kernels_of(result)
    assert skip_of(shaped(kernel)) is None


LANES = loop(0, 8, VECTOR)
STEPS = loop(1, 9)
COUNT = load(param(0, dtypes.int32, 1), index_const(0))


def masks() -> st.SearchStrategy[Node]:
    """What places of a vector are asked: before a count, behind one, in a window, on neither side."""

    def at(step: int, shift: int, last: int) -> Node:
        return (STEPS * 8 + LANES * step + shift).minimum(index_const(last)).cast(dtypes.int32)

    place = st.builds(at, st.sampled_from([-3, -1, 0, 1, 2]), st.integers(-9, 9), st.integers(0, 200))
    one = st.builds(lambda p, before: p < COUNT if before else p > COUNT, place, st.booleans())
    odd = st.builds(lambda p: (p % 3) < 1, place)
    return st.lists(one | odd, min_size=1, max_size=3).map(lambda parts: reduce(Node.__and__, parts))


@settings(max_examples=60, deadline=None)
@given(masks(), st.integers(-5, 80))
def test_the_likeliest_lane_tells_whether_a_mask_may_hold_anywhere(mask: Node, count: int) -> None:
    found = at_likeliest(mask, [LANES])
    if found is None:
        assert any(n.op is Op.MOD for n in mask.toposort())
        return
    for step in range(9):

        def holds(condition: Node, lane: int, step: int = step) -> bool:
            places = {LANES: index_const(lane), STEPS: index_const(step), COUNT: const(count, dtypes.int32)}
            return bool(simplify(condition.substitute(places)).arg)

        anywhere = [holds(mask, lane) for lane in range(8)]
        assert holds(found, 0) >= any(anywhere)
        if len(conjuncts(mask)) == 1:
            assert holds(found, 0) == any(anywhere)


@pytest.mark.parametrize("registers", WITHOUT_VNNI)
def test_a_count_is_no_question_to_every_lane(registers: Registers) -> None:
    """Kernels that ask vectors of flags go without AVX-512."""
    x = Tensor(np.ones((64, 512), np.float32))
    value = (x + 1.0).sqrt() / (x * 3.0 + 2.0) * x
    (kernel,) = kernels_of(where(there(counted(64, 9), 512), value, 0.0))
    with assuming(registers):
        moved = shaped(kernel)
        assert skip_of(moved) is not None
        assert not goes_without_avx512(source_of(kernel, moved).text)
