"""What a mask of attention leaves out is not multiplied, forward and backward, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade import Tensor, jit, vjp
from saccade.graph import dtypes
from saccade.graph.kernels.masks import masks_of
from saccade.schedule.cost import CPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs

SHAPE = (2, 3, 256, 64)
LEAVES_OUT = replace(CPU, pads_in_tiles=False, leaves_out=True)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q.scaled_dot_product_attention(k, v, is_causal=True)


def with_slopes(q: Tensor, k: Tensor, v: Tensor, slope: Tensor) -> tuple[Tensor, ...]:
    made, back = vjp(attention, q, k, v)
    return made, *back(slope)


def planned(*results: Tensor, count: int) -> KernelGraph:
    return schedule(tuple(t.node for t in results), count, LEAVES_OUT)


def masked(made: KernelGraph) -> int:
    return sum(bool(masks_of(item.kernel)) for item in made.items)


def test_every_product_of_causal_attention_is_half() -> None:
    """Scores and the mean; their slopes, those of queries, keys and values, and the sum along a row."""
    given = inputs(*[SHAPE] * 4)
    assert masked(planned(*with_slopes(*given), count=4)) == 7


def test_without_a_mask_nothing_is_left_out() -> None:
    *given, slope = inputs(*[SHAPE] * 4)
    made, back = vjp(lambda q, k, v: q.scaled_dot_product_attention(k, v), *given)
    assert masked(planned(made, *back(slope), count=4)) == 0


def test_scores_that_somebody_reads_are_whole() -> None:
    """As a result, or in a sum that has no mask."""
    q, k, v, slope = inputs(*[SHAPE] * 4)
    scores = q @ k.mT * SHAPE[-1] ** -0.5
    results = with_slopes(q, k, v, slope)
    assert masked(planned(*results, scores, count=4)) == 6
    assert masked(planned(*results, scores.contiguous().sum(-1), count=4)) == 6


def test_a_masked_factor_that_is_no_softmax_is_multiplied_as_it_is() -> None:
    """Zero times infinity is no number."""
    x, y = inputs((96, 96), (96, 64))
    assert masked(planned((x.tril() + 0.0).contiguous() @ y, count=2)) == 0


def test_a_short_triangle_is_not_worth_it() -> None:
    given = inputs(*[(2, 3, 16, 32)] * 4)
    assert masked(planned(*with_slopes(*given), count=4)) == 0


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((2, 3, 96, 32), "float32"),
        ((1, 2, 251, 33), "float32"),
        ((1, 1, 48, 8), "float32"),
        ((2, 1, 131, 65), "float64"),
        ((1, 2, 64, 1), "float32"),
    ],
)
def test_results_and_slopes(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> None:
    """Against NumPy; after a call whose numbers are all NaN, which leaves its scores in memory."""
    given = [rng.standard_normal(shape).astype(dtype) for _ in range(4)]
    program = jit(with_slopes)
    program(*[Tensor(np.full_like(x, np.nan)) for x in given])
    found = [t.numpy() for t in program(*map(Tensor, given))]
    q, k, v, g = (x.astype("float64") for x in given)
    length, scale = shape[-2], shape[-1] ** -0.5
    s = np.where(np.tri(length, dtype=bool), q @ k.swapaxes(-1, -2) * scale, -np.inf)
    w = np.exp(s - s.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    slope = g @ v.swapaxes(-1, -2)
    slope = w * (slope - (w * slope).sum(-1, keepdims=True)) * scale
    expected = (w @ v, slope @ k, slope.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ g)
    close = 1e-12 if dtype == "float64" else 2e-5
    for made, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(made, wanted, rtol=close, atol=close)


def test_half_types(rng: np.random.Generator) -> None:
    given = [
        Tensor(rng.standard_normal((1, 2, 80, 32)).astype("float32")).cast(dtypes.bfloat16) for _ in range(4)
    ]
    wide = [t.cast(dtypes.float32) for t in given]
    for half, whole in zip(with_slopes(*given), with_slopes(*wide), strict=True):
        np.testing.assert_allclose(half.cast(dtypes.float32).numpy(), whole.numpy(), rtol=0.05, atol=0.05)


def test_what_comes_later_does_not_reach_what_was_before(rng: np.random.Generator) -> None:
    """A value that is no number is seen by its own row and those behind it."""
    q, k, v, g = (rng.standard_normal((1, 1, 256, 64)).astype("float32") for _ in range(4))
    v[0, 0, 70] = np.nan
    found = jit(with_slopes)(*map(Tensor, (q, k, v, g)))[0].numpy()
    seen = np.isnan(found).any(-1)[0, 0]
    assert seen[70:].all()
    assert not seen[:70].any()
