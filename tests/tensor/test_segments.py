"""Reductions of segments against a loop over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade import Tensor, jit
from saccade.codegen.compile import shaped
from saccade.graph.ops import Op
from tests.schedule.programs import scheduled

REDUCTIONS: dict[str, tuple[Callable[..., Any], float]] = {
    "sum": (np.sum, 0.0),
    "mean": (np.mean, np.nan),
    "prod": (np.prod, 1.0),
    "max": (np.max, -np.inf),
    "min": (np.min, np.inf),
}


def reference(x: np.ndarray[Any, Any], lengths: list[int], reduce: str) -> np.ndarray[Any, Any]:
    function, empty = REDUCTIONS[reduce]
    ends = np.cumsum(lengths)
    parts = [x[end - n : end] for n, end in zip(lengths, ends, strict=True)]
    return np.stack([function(p, axis=0) if len(p) else np.full(x.shape[1:], empty, x.dtype) for p in parts])


@pytest.mark.parametrize("reduce", REDUCTIONS)
@settings(max_examples=10)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.sampled_from([(), (3,), (2, 5), (16,)]))
def test_segments_by_lengths_offsets_and_indices(
    reduce: str, lengths: list[int], after: tuple[int, ...]
) -> None:
    x = np.random.default_rng(sum(lengths)).integers(-3, 4, (sum(lengths), *after)).astype(np.float32)
    expected = reference(x, lengths, reduce)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.repeat(np.arange(len(lengths)), lengths)
    for given_by in (
        {"lengths": lengths},
        {"offsets": offsets.astype(np.int32)},
        {"indices": indices, "num_segments": len(lengths)},
    ):
        np.testing.assert_allclose(Tensor(x).segment_reduce(reduce, **given_by).numpy(), expected, rtol=1e-6)


def test_one_segment_of_lengths_that_change() -> None:
    """After a few lengths a program is made for all of them; where the segment begins is read from memory."""
    for length in (7, 6, 5, 8, 3, 40):
        x = np.arange(1, length + 1, dtype=np.float32)
        assert Tensor(x).segment_reduce("sum", lengths=[length]).numpy() == [x.sum()]
        inner = Tensor(x).segment_reduce("sum", offsets=np.array([1, length], np.int32), unsafe=True)
        assert inner.numpy() == [x[1:].sum()]


def test_rows_have_segments_of_their_own() -> None:
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    lengths = np.array([[2, 0, 4], [1, 5, 0]])
    found = Tensor(x).segment_reduce("sum", lengths=lengths, axis=1).numpy()
    np.testing.assert_array_equal(
        found, [reference(row, list(n), "sum") for row, n in zip(x, lengths, strict=True)]
    )


def test_all_start_from_the_initial_value() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    assert x.segment_reduce("sum", lengths=[2, 0, 1], initial=10).tolist() == [13.0, 10.0, 13.0]
    assert x.segment_reduce("max", lengths=[2, 0, 1], initial=2.5).tolist() == [2.5, 2.5, 3.0]
    assert x.segment_reduce("mean", lengths=[2, 0, 1], initial=1).tolist() == [2.0, 1.0, 4.0]


def test_half_precision_is_summed_in_single() -> None:
    x = np.full(4096, 1.0, np.float16)
    assert Tensor(x).segment_reduce("sum", lengths=[4096]).item() == 4096.0


def test_integers_stay_integers() -> None:
    found = Tensor(np.array([5, 1, 7], np.int32)).segment_reduce("max", lengths=[2, 1])
    assert found.dtype.name == "int32"
    assert found.tolist() == [5, 7]


def test_bounds_that_are_not_known_never_read_outside() -> None:
    """Inside jit nobody looks at offsets: what leaves the axis is cut off."""
    total = jit(lambda x, offsets: x.segment_reduce("sum", offsets=offsets))
    x = Tensor(np.ones(10, np.float32))
    assert total(x, Tensor(np.array([-5, 4, 1 << 40]))).tolist() == [4.0, 6.0]
    assert total(x, Tensor(np.array([8, 3, 5]))).tolist() == [0.0, 2.0]


def test_a_segment_is_a_loop_from_its_start_to_its_end() -> None:
    """One kernel, a loop with a computed end, and no test of each place."""
    plan = scheduled(lambda x, o: x.segment_reduce("max", offsets=o.long()), (1000, 8), (51,))
    (item,) = plan.items
    kernel = shaped(item.kernel)
    (fold,) = [n for n in kernel.nodes if n.op is Op.FOLD]
    assert any(r.src[0].op is not Op.CONST for r in kernel.ranges())
    assert fold.src[0].op is Op.LOAD
    assert len(fold.src[0].src) == 2


def test_nothing_to_reduce() -> None:
    assert (
        Tensor(np.zeros((0, 3), np.float32)).segment_reduce("sum", lengths=[0, 0]).tolist() == [[0.0] * 3] * 2
    )
    assert Tensor(np.zeros(3, np.float32)).segment_reduce("sum", lengths=[3][:0], unsafe=True).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lengths": [1, 1]}, "come to 2"),
        ({"lengths": [-1, 4]}, "cannot have -1"),
        ({"offsets": [0, 4]}, "up to the 3"),
        ({"offsets": [0, 2, 1]}, "ascending"),
        ({"indices": [1, 0, 2]}, "ascending"),
        ({"indices": [0, 1]}, "2 indices"),
        ({"lengths": [[3]]}, "do not fit"),
        ({}, "one of"),
        ({"lengths": [3], "offsets": [0, 3]}, "one of"),
    ],
)
def test_bad_segments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tensor([1.0, 2.0, 3.0]).segment_reduce("sum", **arguments)


def test_bad_reductions_are_named() -> None:
    with pytest.raises(ValueError, match="median"):
        Tensor([1.0]).segment_reduce("median", lengths=[1])
    with pytest.raises(TypeError, match="floats"):
        Tensor([1]).segment_reduce("mean", lengths=[1])
    with pytest.raises(TypeError, match="integers"):
        Tensor([1.0]).segment_reduce("sum", lengths=[1.0])
